//! The launches that select by rank. They check that their arguments are memory the kernels may touch, as
//! [`enqueue`](crate::cuda::launch::enqueue) does for folds.

use gpu_kernels::arguments;
use gpu_kernels::select::shapes::{
    DIGIT_BITS, DIGITS, DIGITS_THREADS, FILTER_THREADS, MOST_SORTED, PICK_THREADS, SAMPLE_THREADS, Sample,
    piece_len, select_rows, select_vector,
};
use gpu_kernels::sort::shapes::codes;

use crate::cuda::launch::memory::Region;
use crate::cuda::launch::{Items, Kernels, Queue, SortKeys, enqueue};
use crate::error::Error;
use crate::kernel::moves::{SELECT, SELECT_PICK, SELECT_SAMPLE, Select};

/// Elements, and how to rank them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Keys<'a> {
    /// The elements, each one word of 1, 2, 4 or 8 bytes.
    pub(crate) items: Items<'a>,
    /// Number of elements.
    pub(crate) len: u64,
    /// The bits to flip in words with the sign bit set.
    pub(crate) signed: u64,
    /// The bits to flip in all words.
    pub(crate) all: u64,
    /// The number to subtract after flipping, as a word of the elements' size.
    pub(crate) less: u64,
}

/// A range of the order of pairs of rank and index.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Stretch<'a> {
    /// From one rank up to another. Elements with the other rank are included up to an index.
    Known(u64, u64, u64),
    /// The same three numbers, found by an earlier launch.
    Found(Region<'a>),
}

/// Room for pairs of rank and index.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pairs<'a> {
    /// The ranks, as u64.
    pub(crate) ranks: Region<'a>,
    /// The indices, if wanted.
    pub(crate) indices: Option<Region<'a>>,
    /// Number of pairs that fit.
    pub(crate) room: u64,
    /// A cell for the number of pairs.
    pub(crate) count: Region<'a>,
}

/// The bits to count by.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Digit {
    /// The bits of a rank's distance from the least, from this one on.
    OfRank(u32),
    /// The bits of the index, from this one on.
    OfIndex(u32),
}

/// What to do with the `k`-th pair and the pairs before it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Picked<'a> {
    /// Write the bounds of a range: room for 3 numbers, and for a 0 that a filter then uses to count pairs.
    Bounds(Region<'a>),
    /// Write the pairs in order, after their number and 0: room for [`sorted_len`] numbers.
    Sorted(Region<'a>),
}

/// Returns how many numbers the first `k` pairs and their head take.
pub(crate) fn sorted_len(k: usize) -> u64 {
    2 + 2 * k as u64
}

impl<'a> Keys<'a> {
    /// Returns the ranking of keys of up to 8 bytes that sorts compare by their [codes].
    pub(crate) fn of(keys: SortKeys<'a>) -> Self {
        let SortKeys { items, len, coding } = keys;
        let mask = u64::MAX >> 64_usize.saturating_sub(8 * items.bytes);
        let sign = mask ^ mask >> 1;
        let (signed, all) = match coding & (codes::SIGNED | codes::FLOAT) {
            codes::UNSIGNED => (0, 0),
            codes::SIGNED => (0, sign),
            _ => (mask >> 1, sign),
        };
        // The bits of a mantissa are all set in the least keys that wrap round.
        let less = (1 << (coding >> codes::MANTISSA)) - 1;
        match coding & codes::DESCENDING {
            0 => Self { items, len, signed, all, less },
            _ => Self { items, len, signed, all: all ^ mask, less: less.wrapping_neg() & mask },
        }
    }
}

impl Keys<'_> {
    /// Returns the kernels for the words' size.
    pub(super) fn kernels(self) -> Result<&'static Select, Error> {
        let found = SELECT.iter().find(|select| select.bytes == self.items.bytes);
        found.ok_or(Error::Plan { why: "elements of 1, 2, 4 or 8 bytes are selected on a GPU" })
    }

    /// Returns the number of blocks of `threads` threads: one for each tile, but at most `most`.
    pub(super) fn blocks(self, threads: u32, most: u32) -> u32 {
        let of_thread = select_vector(self.items.bytes) * select_rows(self.items.bytes);
        let tiles = self.len.div_ceil(u64::from(threads) * of_thread as u64);
        tiles.clamp(1, u64::from(most.max(1))) as u32
    }
}

/// Fails with `why` unless `holds`.
fn check(holds: bool, why: &'static str) -> Result<(), Error> {
    if holds { Ok(()) } else { Err(Error::Plan { why }) }
}

impl Queue {
    /// Writes the first pair of each group of a sample to `ranks` and `indices`.
    pub(crate) fn sample(
        &self,
        kernels: &Kernels,
        keys: Keys<'_>,
        sample: Sample,
        (ranks, indices): (Region<'_>, Region<'_>),
    ) -> Result<(), Error> {
        let Keys { items, len, signed, all, less } = keys;
        keys.kernels()?;
        let Sample { pieces, distance, groups, .. } = sample;
        let last = pieces.saturating_sub(1).checked_mul(distance);
        let end = last.and_then(|last| last.checked_add(piece_len(items.bytes) as u64));
        check(end.is_some_and(|end| end <= len), "a sample's pieces are within the elements")?;
        let warps = u64::from(SAMPLE_THREADS / 32);
        check(groups.is_multiple_of(warps), "groups are of whole blocks")?;
        let blocks = enqueue::blocks(groups / warps)?;
        let arguments = arguments::Sample {
            input: items.open(self, len, items.bytes)?,
            bytes: items.bytes as u32,
            len,
            signed,
            all,
            less,
            pieces,
            distance,
            groups,
            ranks: self.opened(ranks, groups)?,
            indices: self.opened(indices, groups)?,
        };
        // SAFETY: checked above: the elements are readable, the pieces lie within them, and there is a warp and room
        // for two numbers for each group. The queue keeps all memory.
        unsafe { self.launch(kernels, SELECT_SAMPLE, blocks, SAMPLE_THREADS, arguments) }
    }

    /// Finds the `k`-th of pairs whose ranks have `bits` bits and whose indices are less than `index_end`. The number
    /// of pairs is `pairs.count` if `is_counted`, and otherwise all of the room.
    pub(crate) fn pick(
        &self,
        kernels: &Kernels,
        (pairs, is_counted): (Pairs<'_>, bool),
        k: usize,
        (bits, index_end): (u32, u64),
        to: Picked<'_>,
    ) -> Result<(), Error> {
        let Some(indices) = pairs.indices else {
            return Err(Error::Plan { why: "pairs are picked by their ranks and indices" });
        };
        let most = if matches!(to, Picked::Sorted(_)) { MOST_SORTED } else { u32::MAX as usize };
        check((1..=most).contains(&k), "one block picks so many elements")?;
        check((1..=u64::BITS).contains(&bits), "ranks have 1 to 64 bits")?;
        check(pairs.room <= u64::from(u32::MAX), "one block counts pairs in 32 bits")?;
        let (bounds, sorted) = match to {
            Picked::Bounds(region) => (Some(region), None),
            Picked::Sorted(region) => (None, Some(region)),
        };
        let arguments = arguments::Pick {
            ranks: self.opened(pairs.ranks, pairs.room)?,
            indices: self.opened(indices, pairs.room)?,
            found: self.opened_if(is_counted.then_some(pairs.count), 1)?,
            room: pairs.room,
            k: k as u32,
            bits,
            index_bits: (u64::BITS - index_end.saturating_sub(1).leading_zeros()).max(1),
            bounds: self.opened_if(bounds, 4)?,
            sorted: self.opened_if(sorted, sorted_len(k))?,
        };
        // SAFETY: checked above: the pairs are readable, there is room for the output, and `k` is at most what the
        // kernel sorts. The caller must see that no pairs are equal, but even if some are, the kernel writes only
        // positions below `k` in `sorted`. The queue keeps all memory.
        unsafe { self.launch(kernels, SELECT_PICK, 1, PICK_THREADS, arguments) }
    }

    /// Adds the elements within `stretch` to `pairs` in any order, and their number to the count. Elements for which
    /// there is no room are only counted. Uses at most `most_blocks` blocks.
    pub(crate) fn filter(
        &self,
        kernels: &Kernels,
        keys: Keys<'_>,
        stretch: Stretch<'_>,
        pairs: Pairs<'_>,
        most_blocks: u32,
    ) -> Result<(), Error> {
        let Keys { items, len, signed, all, less } = keys;
        let select = keys.kernels()?;
        let blocks = keys.blocks(FILTER_THREADS, most_blocks);
        let (mut least, mut most, mut limit, mut bounds) = (0, 0, 0, None);
        match stretch {
            Stretch::Known(first, last, index) => {
                check(first <= last, "a stretch goes up")?;
                (least, most, limit) = (first, last, index);
            }
            Stretch::Found(found) => bounds = Some(found),
        }
        let Pairs { ranks, indices, room, count } = pairs;
        let arguments = arguments::Filter {
            input: items.open(self, len, items.bytes)?,
            len,
            signed,
            all,
            less,
            least,
            most,
            limit,
            bounds: self.opened_if(bounds, 3)?,
            ranks: self.opened(ranks, room)?,
            indices: self.opened_if(indices, room)?,
            room,
            count: self.opened(count, 1)?,
        };
        // SAFETY: checked above: the elements are readable, and there is room for the pairs and their number. Bounds
        // found by an earlier launch ascend from 0. The queue keeps all memory.
        unsafe { self.launch(kernels, select.filter, blocks, FILTER_THREADS, arguments) }
    }

    /// Counts the elements with ranks from `least` to `most` by each value of a digit, and adds the counts to `sums`.
    /// Uses at most `most_blocks` blocks.
    pub(crate) fn count_by_digit(
        &self,
        kernels: &Kernels,
        keys: Keys<'_>,
        (least, most): (u64, u64),
        digit: Digit,
        sums: Region<'_>,
        most_blocks: u32,
    ) -> Result<(), Error> {
        let Keys { items, len, signed, all, less } = keys;
        let select = keys.kernels()?;
        let (shift, by_index, greatest) = match digit {
            Digit::OfRank(shift) => (shift, 0_u32, most.saturating_sub(least)),
            Digit::OfIndex(shift) => (shift, 1, len.saturating_sub(1)),
        };
        let bits = 8 * items.bytes as u32;
        check(least <= most, "ranks that are counted go up")?;
        check(shift < if by_index == 0 { bits } else { 64 }, "a digit begins at one of the bits")?;
        check(greatest >> shift < 1 << DIGIT_BITS, "digits have 11 bits")?;
        let blocks = keys.blocks(DIGITS_THREADS, most_blocks);
        check(len / u64::from(blocks) < 1 << 31, "a block counts in 32 bits")?;
        let arguments = arguments::Digits {
            input: items.open(self, len, items.bytes)?,
            len,
            signed,
            all,
            less,
            least,
            most,
            shift,
            by_index,
            sums: self.opened(sums, DIGITS as u64)?,
        };
        // SAFETY: checked above: the elements are readable, every digit has its number in `sums`, and no block has more
        // elements than it can count. The queue keeps all memory.
        unsafe { self.launch(kernels, select.digits, blocks, DIGITS_THREADS, arguments) }
    }
}
