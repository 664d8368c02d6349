//! Packs of kernels, and the search for an entry. The compiler can search too, so a missing entry does not compile.
//!
//! ```text
//! "warpfold" "ptx2"  u32 entries, u32 kernels, u32 bytes of names, u64 checksum of these and of all up to the frames
//! entries, in order of their names   u32 place of the name, u16 its length, u16 kernel
//! kernels                            u16 entry that has its name, u16 base, u32 bytes of the frame, u32 bytes of the text,
//!                                    u16 1 if the text is kept with ranks, u16 registers per thread, u64 checksum of the text,
//!                                    u64 checksum of the frame
//! names
//! frames, in order of the kernels
//! ```
//!
//! Numbers are little-endian. The positions of frames are not stored but summed up, so a change of one kernel leaves
//! the bytes of the others alone, and git stores little more than that kernel for the new pack.
//!
//! The index has a checksum, so that no changed bit leads from an entry to another kernel, which would be launched with the wrong
//! arguments. A frame has one too, which is compared when it is decoded.

use crate::checksum;

/// The first bytes of every pack.
pub(crate) const MAGIC: &[u8; 12] = b"warpfoldptx2";

/// Bytes before the checksum of the index: the first bytes, and three counts.
pub(crate) const COUNTED: usize = MAGIC.len() + 12;

/// Bytes before the entries.
pub(crate) const HEAD: usize = COUNTED + 8;

/// Bytes per entry.
pub(crate) const ENTRY: usize = 8;

/// Bytes per kernel.
pub(crate) const KERNEL: usize = 32;

/// Where in a kernel's record its registers are.
pub(crate) const REGISTERS: usize = 14;

/// The base number of a kernel without a base.
pub(crate) const NO_BASE: u16 = u16::MAX;

/// Compressed kernels, by the names of their entry points.
#[derive(Clone, Copy)]
pub struct Pack<'a> {
    pub(crate) bytes: &'a [u8],
    entries: usize,
    kernels: usize,
    names_bytes: usize,
}

impl PartialEq for Pack<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.bytes == other.bytes
    }
}
impl Eq for Pack<'_> {}

impl std::fmt::Debug for Pack<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Pack({} entries in {} bytes)", self.entry_count(), self.bytes.len())
    }
}

/// A kernel in a pack.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    pub(crate) pack: Pack<'a>,
    pub(crate) number: u16,
    kernel: &'a str,
}

impl<'a> Pack<'a> {
    /// Creates the pack with these bytes, and reads its head. If the bytes are not a pack, or its index has been
    /// damaged since it was written, it has no entries. Reads all of the index, so a pack in a constant is better than
    /// one that is made often.
    #[must_use]
    pub const fn new(bytes: &'a [u8]) -> Self {
        let pack = Self::unchecked(bytes);
        let is_whole = pack.frames_at() <= bytes.len() && pack.index_checksum() == pack.number(COUNTED, 8);
        if is_whole { pack } else { Self { bytes, entries: 0, kernels: 0, names_bytes: 0 } }
    }

    /// Reads the head, whatever the index is.
    pub(crate) const fn unchecked(bytes: &'a [u8]) -> Self {
        let none = Self { bytes, entries: 0, kernels: 0, names_bytes: 0 };
        if none.compare(0, MAGIC.len(), MAGIC) != 0 {
            return none;
        }
        Self {
            bytes,
            entries: none.number(MAGIC.len(), 4) as usize,
            kernels: none.number(MAGIC.len() + 4, 4) as usize,
            names_bytes: none.number(MAGIC.len() + 8, 4) as usize,
        }
    }

    /// Returns the checksum that the index should have.
    pub(crate) const fn index_checksum(self) -> u64 {
        let (counts, index) = (self.slice(0, COUNTED), self.slice(HEAD, self.frames_at() - HEAD));
        checksum::step(checksum::of(counts), checksum::of(index))
    }

    /// Finds the kernel of the entry point `name`.
    #[must_use]
    pub const fn find(self, name: &str) -> Option<Place<'a>> {
        // A binary search that compares names in place, because the compiler runs it for every entry.
        let (mut first, mut end) = (0, self.entries);
        let (names_at, name) = (self.names_at(), name.as_bytes());
        while first < end {
            let middle = first + (end - first) / 2;
            let at = HEAD + middle * ENTRY;
            let (place, length) = (self.number(at, 4) as usize, self.number(at + 4, 2) as usize);
            match self.compare(names_at + place, length, name) {
                0 => return self.place(middle),
                ..0 => first = middle + 1,
                1.. => end = middle,
            }
        }
        None
    }

    /// Returns the entry points in order of their names, with the kernel of each.
    pub fn entries(self) -> impl Iterator<Item = (&'a str, Place<'a>)> {
        (0..self.entry_count())
            .filter_map(move |entry| Some((str::from_utf8(self.name(entry)).ok()?, self.place(entry)?)))
    }

    pub(crate) const fn entry_count(self) -> usize {
        self.entries
    }

    /// Returns the position of the kernels.
    pub(crate) const fn kernels_at(self) -> usize {
        HEAD + self.entries * ENTRY
    }

    const fn names_at(self) -> usize {
        self.kernels_at() + self.kernels * KERNEL
    }

    /// Returns the position of the first frame.
    pub(crate) const fn frames_at(self) -> usize {
        self.names_at() + self.names_bytes
    }

    /// Returns the name of an entry.
    const fn name(self, entry: usize) -> &'a [u8] {
        let at = HEAD + entry * ENTRY;
        self.slice(self.names_at() + self.number(at, 4) as usize, self.number(at + 4, 2) as usize)
    }

    const fn place(self, entry: usize) -> Option<Place<'a>> {
        let number = self.number(HEAD + entry * ENTRY + 6, 2) as usize;
        if number >= self.kernels {
            return None;
        }
        let named = self.number(self.kernels_at() + number * KERNEL, 2) as usize;
        match str::from_utf8(self.name(named)) {
            Ok(kernel) => Some(Place { pack: self, number: number as u16, kernel }),
            Err(_) => None,
        }
    }

    /// Returns the number in `length` bytes at a position, or 0 beyond the end.
    pub(crate) const fn number(self, at: usize, length: usize) -> u64 {
        if at > self.bytes.len() || length > self.bytes.len() - at {
            return 0;
        }
        let (mut number, mut left) = (0, length);
        while left > 0 {
            left -= 1;
            number = number << 8 | self.bytes[at + left] as u64;
        }
        number
    }

    /// Compares the bytes at a position with `other`: negative for less, 0 for equal. Bytes beyond the end are taken as
    /// empty. [`Ord`] cannot be used in constants.
    const fn compare(self, at: usize, length: usize, other: &[u8]) -> i32 {
        let length = if at > self.bytes.len() || length > self.bytes.len() - at { 0 } else { length };
        let mut i = 0;
        while i < length && i < other.len() {
            if self.bytes[at + i] != other[i] {
                return self.bytes[at + i] as i32 - other[i] as i32;
            }
            i += 1;
        }
        (length > i) as i32 - (other.len() > i) as i32
    }

    /// Returns the bytes at a position; empty if some are beyond the end.
    pub(crate) const fn slice(self, at: usize, length: usize) -> &'a [u8] {
        if at > self.bytes.len() || length > self.bytes.len() - at {
            return &[];
        }
        self.bytes.split_at(at).1.split_at(length).0
    }
}

impl<'a> Place<'a> {
    /// Returns the name of the `.visible .entry` in the text: this entry point, or another one with the same code.
    #[must_use]
    pub const fn kernel(self) -> &'a str {
        self.kernel
    }

    /// Returns the registers per thread that ptxas gave the kernel for sm_90, if they were noted. The driver's compiler may
    /// give it some more or fewer.
    #[must_use]
    pub const fn registers(self) -> Option<u32> {
        let at = self.pack.kernels_at() + self.number as usize * KERNEL + REGISTERS;
        match self.pack.number(at, 2) {
            0 => None,
            registers => Some(registers as u32),
        }
    }

    /// Returns whether both are the same kernel of the same pack, by the packs' addresses.
    #[must_use]
    pub fn is_at(self, other: Self) -> bool {
        std::ptr::eq(self.pack.bytes, other.pack.bytes) && self.number == other.number
    }
}

/// Kernels are equal if their names and texts are, wherever they are stored.
impl PartialEq for Place<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.kernel == other.kernel && self.checksum() == other.checksum()
    }
}
impl Eq for Place<'_> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_is_that_of_texts() {
        let texts = ["", "A", "a", "a_", "a_b", "ab", "abc", "b", "z"];
        for a in texts {
            for b in texts {
                let ordered = Pack::new(a.as_bytes()).compare(0, a.len(), b.as_bytes());
                assert_eq!(ordered.cmp(&0), a.cmp(b), "{a} {b}");
            }
        }
    }

    #[test]
    fn what_is_no_pack_has_nothing() {
        for bytes in [&b""[..], b"warpfoldptx2", b"warpfoldptx1\xff\xff\0\0\xff\0\0\0\xff\0\0\0", &[255; 100]]
        {
            assert_eq!(Pack::new(bytes).find("a"), None);
            assert_eq!(Pack::new(bytes).entries().count(), 0);
        }
    }

    /// Counts that reach beyond the bytes, with the checksum of what is there.
    #[test]
    fn an_index_that_is_cut_off_has_nothing() {
        let mut bytes = MAGIC.to_vec();
        bytes.extend([1_u32, 1, 40].map(u32::to_le_bytes).concat());
        let sum = Pack::unchecked(&bytes).index_checksum();
        bytes.extend(sum.to_le_bytes());
        assert_eq!(Pack::new(&bytes).entries().count(), 0);
    }
}
