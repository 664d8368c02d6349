//! Global memory behind typed handles. A kernel makes its handles once from raw pointers. Reads and writes through them
//! are checked and safe.

use core::marker::PhantomData;

use bytemuck::Pod;

use crate::imp;

mod across;

pub use across::{Across, VectorsFrom};

/// Bytes of a vector load, and its alignment.
pub const VECTOR_BYTES: usize = 16;

/// A load's cache behaviour (PTX ISA, cache operators).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheHint {
    /// Cached as usual.
    Keep,
    /// Used once, so evicted first (`ld.global.cs`).
    Stream,
    /// Through the read-only path (`ld.global.nc`).
    ReadOnly,
}

/// Loads `V` elements of 16 bytes in all by one instruction. [Slices](GlobalSlice) do the same with checks and without
/// a hint.
///
/// # Safety
/// `address` is a multiple of 16 and readable for 16 bytes, and nothing writes there during the launch.
#[inline(always)]
#[must_use]
#[track_caller]
pub unsafe fn load_vector<T: Pod, const V: usize>(address: *const T, hint: CacheHint) -> [T; V] {
    const { assert!(V * size_of::<T>() == VECTOR_BYTES, "a vector is 16 bytes") }
    // SAFETY: promised by this function's contract.
    let words = unsafe { imp::load_words(address.cast(), hint) };
    let mut vector = [T::zeroed(); V];
    bytemuck::cast_slice_mut::<T, u8>(&mut vector).copy_from_slice(bytemuck::bytes_of(&words));
    vector
}

/// Elements that a kernel reads and that nothing writes during its launch.
#[derive(Clone, Copy)]
pub struct GlobalSlice<T> {
    start: *const T,
    len: u64,
}

impl<T: Copy> GlobalSlice<T> {
    /// Makes the handle.
    ///
    /// # Safety
    /// `start` is aligned and readable for `len` elements, all of them valid. Nothing writes them while the handle is
    /// used, or a [ticket](crate::atomic::Ticket) orders the writes before the reads.
    #[inline(always)]
    #[must_use]
    pub unsafe fn new(start: *const T, len: u64) -> Self {
        Self { start, len }
    }

    /// Returns the number of elements.
    #[inline(always)]
    #[must_use]
    pub fn len(self) -> u64 {
        self.len
    }

    /// Returns whether there are no elements.
    #[inline(always)]
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len == 0
    }

    /// Returns the elements from `start` up to, but not including, `start + len`, cut off at the slice's end.
    #[inline(always)]
    #[must_use]
    pub fn window(self, start: u64, len: u64) -> Self {
        let start = start.min(self.len);
        // SAFETY: `start` is at most `len` by the line above; the caller of `new` promised the slice.
        Self { start: unsafe { self.start.add(start as usize) }, len: len.min(self.len - start) }
    }

    /// Returns whether the slice's first element can begin a load of `V` elements: they have 8 or 16 bytes, and it is
    /// aligned to as many.
    #[inline(always)]
    #[must_use]
    pub fn is_vector_aligned<const V: usize>(self) -> bool {
        let bytes = V * size_of::<T>();
        (bytes == VECTOR_BYTES || bytes == VECTOR_BYTES / 2) && self.start.addr().is_multiple_of(bytes)
    }

    /// Returns the element at `index`. Traps (on the host: panics) if `index >= len`.
    #[inline(always)]
    #[must_use]
    #[track_caller]
    pub fn read(self, index: u64) -> T {
        if index >= self.len {
            imp::out_of_bounds();
        }
        // SAFETY: `index` is below `len` by the check above; the caller of `new` promised the slice.
        unsafe { imp::load(self.start.add(index as usize)) }
    }

    /// Returns the elements at `first`, `first + step` and so on: `N` loads with one check. Traps (on the host: panics)
    /// if one of them is beyond the end.
    #[inline(always)]
    #[must_use]
    #[track_caller]
    pub fn read_column<const N: usize>(self, first: u64, step: u32) -> [T; N] {
        const { assert!(N > 0) }
        let steps = u64::from(step) * (N as u64 - 1);
        if steps >= self.len || first >= self.len - steps {
            imp::out_of_bounds();
        }
        // SAFETY: the last index is below `len` by the check above, and the others are less; the caller of `new`
        // promised the slice.
        core::array::from_fn(|i| unsafe { imp::load(self.start.add(first as usize + i * step as usize)) })
    }

    /// Returns this thread's column of the slice seen as rows of `row` elements: the vectors of `V` elements at
    /// `first`, `first + row`, ..., in steps of `N` whole rows. It is empty if the slice is not
    /// [aligned](Self::is_vector_aligned) for `V` elements, `first` or `row` is not a multiple of `V`, or the first
    /// vector is not within the first row.
    #[inline(always)]
    #[must_use]
    pub fn rows<const V: usize, const N: usize>(self, first: u64, row: u64) -> Rows<T, V, N> {
        const { assert!(V > 0 && N > 0) }
        let vectors = self.is_vector_aligned::<V>();
        let within = first.is_multiple_of(V as u64)
            && row.is_multiple_of(V as u64)
            && first < row
            && row - first >= V as u64;
        let left = if vectors && within { self.len / row / N as u64 } else { 0 };
        Rows { next: self.start.wrapping_add(first as usize), row, left }
    }

    /// Returns the slice as vectors of `V` elements. Leftover elements at its end belong to none. Returns `None` if the
    /// slice is not [aligned](Self::is_vector_aligned) for vectors or is shorter than one.
    #[inline(always)]
    #[must_use]
    pub fn vectors<const V: usize>(self) -> Option<Vectors<T, V>> {
        const { assert!(V.is_power_of_two()) }
        let vectors = self.vectors_end::<V>() / V as u64;
        (vectors > 0).then(|| Vectors { start: self.start, last: vectors - 1 })
    }

    /// Returns the slice as `N` neighbours at any position, each loaded alone.
    #[inline(always)]
    #[must_use]
    pub fn neighbours<const N: usize>(self) -> Neighbours<T, N> {
        Neighbours { slice: self }
    }

    /// Returns the slice as `N` elements at any position, each `step` behind the one before it, but at most `last` behind the
    /// first.
    #[inline(always)]
    #[must_use]
    pub fn spread<const N: usize>(self, step: u64, last: u64) -> Spread<T, N> {
        Spread { slice: self, step, last }
    }

    /// Returns the slice as `V` elements at any position, loaded by the two aligned vectors that contain them. Returns
    /// `None` unless `V` elements are 16 bytes in all and 1 or 2 each; larger elements cost less as
    /// [neighbours](Self::neighbours).
    #[inline(always)]
    #[must_use]
    pub fn straddled_vectors<const V: usize>(self) -> Option<StraddledVectors<T, V>> {
        let size = size_of::<T>();
        if V * size != VECTOR_BYTES || size > 2 {
            return None;
        }
        let before = self.start.addr() % VECTOR_BYTES / size;
        let end = (before as u64 + self.len) / V as u64;
        let first = u64::from(before > 0);
        let (last, has_any) = (end.saturating_sub(1), end > first);
        Some(StraddledVectors { slice: self, before: before as u32, first: first as u32, last, has_any })
    }

    /// Returns the element at `index`, or the last one if `index` is beyond the end. Traps (on the host: panics) if the
    /// slice is empty.
    #[inline(always)]
    #[must_use]
    #[track_caller]
    pub fn read_or_last(self, index: u64) -> T {
        self.read(index.min(self.len.saturating_sub(1)))
    }

    /// Returns the `V` elements at `first` by one load. Returns `None` if some are beyond the end, or if they do not
    /// have 8 or 16 bytes or are not aligned to as many.
    #[inline(always)]
    #[must_use]
    #[track_caller]
    pub fn read_vector<const V: usize>(self, first: u64) -> Option<[T; V]> {
        if !self.has_vector::<V>(first) {
            return None;
        }
        // SAFETY: the vector is within the slice and aligned by the check above; the caller of `new` promised the
        // slice.
        Some(unsafe {
            let vector = self.start.add(first as usize);
            if V * size_of::<T>() == VECTOR_BYTES {
                imp::load(vector.cast::<Aligned<[T; V]>>()).0
            } else {
                imp::load(vector.cast::<AlignedHalf<[T; V]>>()).0
            }
        })
    }

    /// Does [`read_vector`](Self::read_vector) by an instruction that the compiler cannot see through, and returns
    /// packed words.
    #[inline(always)]
    #[must_use]
    #[track_caller]
    pub fn read_packed<const V: usize>(self, first: u64) -> Option<Vector<T, V>> {
        if !self.has_vector::<V>(first) {
            return None;
        }
        // SAFETY: the vector is within the slice and aligned by the check above; the caller of `new` promised the
        // slice.
        Some(unsafe { Vector::load(self.start.add(first as usize)) })
    }

    /// Returns whether the `V` elements at `first` are within the slice, have 8 or 16 bytes, and are aligned to as
    /// many.
    #[inline(always)]
    fn has_vector<const V: usize>(self, first: u64) -> bool {
        let aligned = self.is_vector_aligned::<V>() && first.is_multiple_of(V as u64);
        aligned && first <= self.len && self.len - first >= V as u64
    }

    /// Returns the end of the vectors that [`read_vector`](Self::read_vector) can load: the end of the last whole one,
    /// or 0 if there is none.
    #[inline(always)]
    #[must_use]
    pub fn vectors_end<const V: usize>(self) -> u64 {
        const { assert!(V.is_power_of_two()) }
        if self.is_vector_aligned::<V>() { self.len & !(V as u64 - 1) } else { 0 }
    }
}

/// The vectors of a slice that has at least one, by number. [`GlobalSlice::vectors`] makes it.
#[derive(Clone, Copy)]
pub struct Vectors<T, const V: usize> {
    start: *const T,
    last: u64,
}

impl<T: Copy, const V: usize> Vectors<T, V> {
    /// Returns vector `number`, or the last one if `number` is beyond the end. There is no branch, so several loads are
    /// under way before the first is waited for.
    #[inline(always)]
    #[must_use]
    #[track_caller]
    pub fn read_or_last(self, number: u64) -> Vector<T, V> {
        let first = number.min(self.last) as usize * V;
        // SAFETY: `vectors` checked size and alignment and counted the vectors; the caller of `new` promised the slice.
        unsafe { Vector::load(self.start.add(first)) }
    }

    /// Returns the `N` (2 to 8) vectors with numbers `first`, `first + step` and so on, with one check. Traps (on the
    /// host: panics) if one of them is beyond the end.
    #[inline(always)]
    #[must_use]
    #[track_caller]
    pub fn read_column<const N: usize>(self, first: u64, step: u64) -> [Vector<T, V>; N] {
        const { assert!(N > 1 && N <= 8) }
        // If `step` is at most `last`, it is within memory, so seven steps do not overflow.
        let steps = step.wrapping_mul(N as u64 - 1);
        if step > self.last || steps > self.last || first > self.last - steps {
            imp::out_of_bounds();
        }
        let (start, step) = (self.start.wrapping_add(first as usize * V), step as usize * V);
        // SAFETY: the last number is at most `last` by the check above, and the others are less; `vectors` checked size
        // and alignment and counted the vectors; the caller of `new` promised the slice.
        core::array::from_fn(|i| unsafe { Vector::load(start.wrapping_add(i * step)) })
    }

    /// Returns `N` by `M` vectors, row after row, with numbers `first`, `first + step` and so on: one check, and
    /// constant distances between addresses. Traps (on the host: panics) if one of them is beyond the end.
    #[inline(always)]
    #[must_use]
    #[track_caller]
    pub fn read_grid<const N: usize, const M: usize>(self, first: u64, step: u32) -> [[Vector<T, V>; M]; N] {
        const { assert!(N * M > 0) }
        let steps = u64::from(step) * (N * M - 1) as u64;
        if steps > self.last || first > self.last - steps {
            imp::out_of_bounds();
        }
        let start = self.start.wrapping_add(first as usize * V);
        core::array::from_fn(|n| {
            core::array::from_fn(|m| {
                // SAFETY: the last number is at most `last` by the check above, and the others are less; `vectors`
                // checked size and alignment and counted the vectors; the caller of `new` promised the slice.
                unsafe { Vector::load(start.wrapping_add((n * M + m) * step as usize * V)) }
            })
        })
    }
}

/// The elements of a slice, `N` at a time at any position, each loaded alone. [`GlobalSlice::neighbours`] makes it.
#[derive(Clone, Copy)]
pub struct Neighbours<T, const N: usize> {
    slice: GlobalSlice<T>,
}

impl<T: Copy, const N: usize> Neighbours<T, N> {
    /// Returns the `N` elements at `first`, or the slice's last `N` if some are beyond the end: one address, and
    /// constant distances from it. Traps (on the host: panics) if the slice is empty.
    #[inline(always)]
    #[must_use]
    #[track_caller]
    pub fn read(self, first: u64) -> [T; N] {
        if self.slice.len < N as u64 {
            return core::array::from_fn(|i| self.slice.read_or_last(first.saturating_add(i as u64)));
        }
        let first = first.min(self.slice.len - N as u64);
        let address = self.slice.start.wrapping_add(first as usize);
        // SAFETY: `N` elements from `first` are within the slice by the lines above; the caller of `new` promised it.
        core::array::from_fn(|i| unsafe { imp::load(address.wrapping_add(i)) })
    }

    /// Returns the `N` elements at `first`, with the last element in place of those beyond the end. `elements` is what
    /// [`read`](Self::read) returned for the same `first`.
    #[inline(always)]
    #[must_use]
    #[track_caller]
    pub fn settle(self, mut elements: [T; N], first: u64) -> [T; N] {
        if first.saturating_add(N as u64) > self.slice.len {
            // Only at the slice's end: elements are read again, from the last to the first, and shifted in.
            let mut i = N as u64;
            while i > 0 {
                i -= 1;
                let element = self.slice.read_or_last(first.saturating_add(i));
                elements = core::array::from_fn(|at| if at == 0 { element } else { elements[at - 1] });
            }
        }
        elements
    }
}

/// The elements of a slice, `N` at a time, at the same distances from any first one. [`GlobalSlice::spread`] makes it.
#[derive(Clone, Copy)]
pub struct Spread<T, const N: usize> {
    slice: GlobalSlice<T>,
    step: u64,
    last: u64,
}

impl<T: Copy, const N: usize> Spread<T, N> {
    /// Returns the distance between neighbours, but for those that are at most [`GlobalSlice::spread`]'s `last` behind the first.
    #[inline(always)]
    #[must_use]
    pub fn step(self) -> u64 {
        self.step
    }

    /// Returns how far behind the first element the one with this number is.
    #[inline(always)]
    #[must_use]
    pub fn distance(self, number: usize) -> u64 {
        self.step.wrapping_mul(number as u64).min(self.last)
    }

    /// Returns the `N` elements whose first is at `first`: that many loads behind one check. Traps (on the host: panics) if they
    /// are not all there.
    #[inline(always)]
    #[must_use]
    #[track_caller]
    pub fn read(self, first: u64) -> [T; N] {
        let [elements] = self.read_column(first, 0);
        elements
    }

    /// Returns `M` times [`N` elements](Self::read), whose first are at `first`, `first + step` and so on, behind one check.
    #[inline(always)]
    #[must_use]
    #[track_caller]
    pub fn read_column<const M: usize>(self, first: u64, step: u64) -> [[T; N]; M] {
        const { assert!(N > 0 && M > 0 && M <= 8) }
        // A step within a slice in memory is so short that eight of them can be counted.
        let steps = step.wrapping_mul(M as u64 - 1);
        let len = self.slice.len;
        if step > len || steps > len || self.last >= len - steps || first >= len - steps - self.last {
            imp::out_of_bounds();
        }
        let start = self.slice.start.wrapping_add(first as usize);
        core::array::from_fn(|m| {
            let start = start.wrapping_add(m * step as usize);
            // SAFETY: the last one of all is within the slice by the lines above, and none is further behind `first`; `new`'s
            // caller promised the slice.
            core::array::from_fn(|n| unsafe { imp::load(start.wrapping_add(self.distance(n) as usize)) })
        })
    }
}

/// The elements of a slice, `V` at a time at any position. [`GlobalSlice::straddled_vectors`] makes it.
///
/// Vectors begin at multiples of 16 bytes, wherever the slice begins. Vector 0 contains the slice's first element.
#[derive(Clone, Copy)]
pub struct StraddledVectors<T, const V: usize> {
    slice: GlobalSlice<T>,
    /// Elements of vector 0 that lie before the slice.
    before: u32,
    /// Number of the first vector that is wholly within the slice, and of the last: if there are any.
    first: u32,
    last: u64,
    has_any: bool,
}

impl<T: Copy, const V: usize> StraddledVectors<T, V> {
    /// Returns the two vectors that contain the `V` elements at `first`. If those are not both within the slice,
    /// returns others. Lanes of a warp do not diverge, so several loads are under way before the first is waited for.
    #[inline(always)]
    #[must_use]
    #[track_caller]
    pub fn read(self, first: u64) -> [Vector<T, V>; 2] {
        let (number, next, _) = self.place(first);
        let read = |number: u64| {
            let number = number.clamp(u64::from(self.first), self.last);
            let address =
                self.slice.start.wrapping_sub(self.before as usize).wrapping_add(number as usize * V);
            // SAFETY: `straddled_vectors` checked that the vectors from `first` to `last` are within the slice,
            // aligned, and 16 bytes; the caller of `new` promised the slice.
            unsafe { Vector::load(address) }
        };
        if self.has_any {
            [read(number), read(next)]
        } else {
            let none = Vector { words: [0; 4], of: PhantomData };
            [none, none]
        }
    }

    /// Returns the `V` elements at `first`, with the last element in place of those beyond the end. The two vectors are
    /// what [`read`](Self::read) returned for the same `first`.
    #[inline(always)]
    #[must_use]
    #[track_caller]
    pub fn join(self, [low, high]: [Vector<T, V>; 2], first: u64) -> Vector<T, V> {
        let (number, next, skipped) = self.place(first);
        let is_within = self.has_any && number >= u64::from(self.first) && next <= self.last;
        let bytes = skipped * size_of::<T>() as u32;
        let words =
            if is_within { shifted(low.words, high.words, bytes) } else { self.read_one_by_one(first) };
        Vector { words, of: PhantomData }
    }

    /// Returns the number of the vector that contains element `first`, the next number if that vector is needed too
    /// (otherwise the same), and the count of elements before `first` in the vector.
    #[inline(always)]
    fn place(self, first: u64) -> (u64, u64, u32) {
        let at = first.wrapping_add(u64::from(self.before));
        let (number, skipped) = (at / V as u64, at as u32 % V as u32);
        (number, number + u64::from(skipped > 0), skipped)
    }

    /// Reads elements one by one and shifts each into the words. It is a loop to keep the code short, since few threads
    /// of a launch come here.
    #[inline(always)]
    #[track_caller]
    fn read_one_by_one(self, first: u64) -> [u32; 4] {
        let size = 8 * size_of::<T>() as u32;
        let moved = |low: u32, high: u32| low >> size | high << (32 - size);
        let mut words = [0; 4];
        let mut i = 0;
        while i < V as u32 {
            let element = bits(self.slice.read_or_last(first.saturating_add(u64::from(i))));
            let [a, b, c, d] = words;
            words = [moved(a, b), moved(b, c), moved(c, d), moved(d, element)];
            i = imp::unknown(i + 1);
        }
        words
    }
}

/// Returns the bits of an element of 1 or 2 bytes.
#[inline(always)]
fn bits<T: Copy>(element: T) -> u32 {
    // SAFETY: each arm copies exactly the bytes of the element.
    unsafe {
        match size_of::<T>() {
            1 => u32::from(core::mem::transmute_copy::<T, u8>(&element)),
            2 => u32::from(core::mem::transmute_copy::<T, u16>(&element)),
            _ => 0,
        }
    }
}

/// Returns 16 bytes from byte `bytes`, which is below 16: shifted by two words, by one word, and by bits, because
/// registers cannot be indexed.
#[inline(always)]
fn shifted([a, b, c, d]: [u32; 4], [e, f, g, h]: [u32; 4], bytes: u32) -> [u32; 4] {
    let two = |near: u32, far: u32| if bytes & 8 == 0 { near } else { far };
    let [a, b, c, d, e, f] = [two(a, c), two(b, d), two(c, e), two(d, f), two(e, g), two(f, h)];
    let one = |near: u32, far: u32| if bytes & 4 == 0 { near } else { far };
    let [a, b, c, d, e] = [one(a, b), one(b, c), one(c, d), one(d, e), one(e, f)];
    let moved = |low: u32, high: u32| ((u64::from(high) << 32 | u64::from(low)) >> (bytes % 4 * 8)) as u32;
    [moved(a, b), moved(b, c), moved(c, d), moved(d, e)]
}

/// The vectors of a column, `N` rows at a time. [`GlobalSlice::rows`] makes it.
pub struct Rows<T, const V: usize, const N: usize> {
    next: *const T,
    row: u64,
    left: u64,
}

impl<T: Copy, const V: usize, const N: usize> Rows<T, V, N> {
    /// Returns the next `N` vectors. All loads are issued before the first is waited for. Each is a fixed instruction:
    /// left to the compiler, a vector that is used in a later turn of a loop becomes two loads of half its size.
    #[inline(always)]
    #[must_use]
    #[track_caller]
    pub fn read_next(&mut self) -> Option<[Vector<T, V>; N]> {
        // The check of the size is for the compiler: with another size `rows` sets `left` to 0.
        let bytes = V * size_of::<T>();
        if self.left == 0 || (bytes != VECTOR_BYTES && bytes != VECTOR_BYTES / 2) {
            return None;
        }
        let vectors = core::array::from_fn(|i| {
            // SAFETY: `rows` counted the slice's whole rows, and checked that the vectors are 8 or 16 bytes, within the
            // rows and aligned; the caller of `new` promised the slice.
            unsafe { Vector::load(self.next.add(i * self.row as usize)) }
        });
        self.next = self.next.wrapping_add(N * self.row as usize);
        self.left -= 1;
        Some(vectors)
    }
}

/// `V` elements of 8 or 16 bytes in all, in the words that were loaded. Separate elements of 1 or 2 bytes would take a
/// register each, so they are [unpacked](Vector::elements) where they are used.
#[derive(Clone, Copy)]
pub struct Vector<T, const V: usize> {
    words: [u32; 4],
    of: PhantomData<[T; V]>,
}

impl<T: Copy, const V: usize> Vector<T, V> {
    /// Loads a vector by one instruction.
    ///
    /// # Safety
    /// `V` elements are 8 or 16 bytes. `address` is aligned to as many and readable for them, all are valid, and
    /// nothing writes them during the launch.
    #[inline(always)]
    #[track_caller]
    unsafe fn load(address: *const T) -> Self {
        // SAFETY: promised by this function's contract.
        let words = unsafe {
            if V * size_of::<T>() == VECTOR_BYTES {
                imp::load_words(address.cast(), CacheHint::Keep)
            } else {
                let [low, high] = imp::load_two_words(address.cast());
                [low, high, 0, 0]
            }
        };
        Self { words, of: PhantomData }
    }

    /// Unpacks the elements.
    #[inline(always)]
    #[must_use]
    pub fn elements(self) -> [T; V] {
        // SAFETY: only `load` makes vectors, and its caller promised that the words hold `V` valid elements.
        unsafe { core::mem::transmute_copy::<Aligned<[u32; 4]>, [T; V]>(&Aligned(self.words)) }
    }
}

/// A value aligned for a vector load.
#[derive(Clone, Copy)]
#[repr(C, align(16))]
pub(crate) struct Aligned<V>(pub(crate) V);

/// A value aligned for a load of half a vector.
#[derive(Clone, Copy)]
#[repr(C, align(8))]
pub(crate) struct AlignedHalf<V>(pub(crate) V);

/// Elements that a kernel writes. It may read back what other blocks wrote before they took a
/// [ticket](crate::atomic::Ticket).
#[derive(Clone, Copy)]
pub struct GlobalCells<T> {
    start: *mut T,
    len: u64,
}

impl<T: Copy> GlobalCells<T> {
    /// Makes the handle.
    ///
    /// # Safety
    /// `start` is aligned, and writable for every index used, all of which are below `len`. Nothing but the launch
    /// accesses those cells meanwhile, and every bit pattern is a valid `T`. Each cell is written by at most one thread
    /// of the launch, or by several in an order that barriers or [tickets](crate::atomic::Ticket) establish. It is read
    /// only after such an order with its writer.
    #[inline(always)]
    #[must_use]
    pub unsafe fn new(start: *mut T, len: u64) -> Self {
        Self { start, len }
    }

    /// Writes `value` at `index`. Traps (on the host: panics) if `index >= len`.
    #[inline(always)]
    #[track_caller]
    pub fn write(self, index: u64, value: T) {
        if index >= self.len {
            imp::out_of_bounds();
        }
        // SAFETY: `index` is below `len` by the check above; the caller of `new` promised the cells.
        unsafe { imp::store(self.start.add(index as usize), value) }
    }

    /// Returns what a block wrote at `index` before it took its ticket. Traps (on the host: panics) if `index >= len`.
    #[inline(always)]
    #[must_use]
    #[track_caller]
    pub fn read_handed_over(self, index: u64) -> T {
        if index >= self.len {
            imp::out_of_bounds();
        }
        // SAFETY: `index` is below `len` by the check above; the caller of `new` promised the cells.
        unsafe { imp::load_handed_over(self.start.add(index as usize)) }
    }
}

impl<T: Pod> GlobalCells<T> {
    /// Writes `values` from `first` on: by stores of 16 bytes, if the size and the alignment of the destination allow
    /// it. Traps (on the host: panics) unless all are below `len`.
    #[inline(always)]
    #[track_caller]
    pub fn write_neighbours<const N: usize>(self, first: u64, values: [T; N]) {
        if first > self.len || self.len - first < N as u64 {
            imp::out_of_bounds();
        }
        let bytes = bytemuck::bytes_of(&values);
        // SAFETY: all indices are below `len` by the check above; the caller of `new` promised the cells.
        unsafe {
            let place = self.start.add(first as usize);
            if bytes.len().is_multiple_of(VECTOR_BYTES) && place.addr().is_multiple_of(VECTOR_BYTES) {
                for (i, vector) in bytes.chunks_exact(VECTOR_BYTES).enumerate() {
                    let words =
                        core::array::from_fn(|w| bytemuck::pod_read_unaligned(&vector[4 * w..4 * w + 4]));
                    imp::store_words(place.cast::<[u32; 4]>().add(i), words);
                }
            } else {
                for (i, value) in values.into_iter().enumerate() {
                    imp::store(place.add(i), value);
                }
            }
        }
    }
}

impl GlobalCells<[u32; 4]> {
    /// Writes `vectors` at `first`, `first + step` and so on, each by one store, with one check and at constant
    /// distances. Traps (on the host: panics) unless all are below `len` and the cells are aligned to 16 bytes.
    #[inline(always)]
    #[track_caller]
    pub fn write_column<const N: usize>(self, first: u64, step: u32, vectors: [[u32; 4]; N]) {
        const { assert!(N > 0) }
        let steps = u64::from(step) * (N as u64 - 1);
        if steps >= self.len || first >= self.len - steps || !self.start.addr().is_multiple_of(VECTOR_BYTES) {
            imp::out_of_bounds();
        }
        let start = self.start.wrapping_add(first as usize);
        for (i, words) in vectors.into_iter().enumerate() {
            // SAFETY: the last index is below `len` by the check above, and the others are less; the caller of `new`
            // promised the cells.
            unsafe { imp::store_words(start.wrapping_add(i * step as usize), words) }
        }
    }
}

/// A place in the host's memory for one value, which the host may read while the launch still runs.
///
/// The value travels in words of 32 bits, each stored with a tag as one word of 64 bits. The host sees a word together
/// with its tag or not at all, so it needs no fence to know which words have arrived. With tag 0 the place is an
/// ordinary cell, which the host or a later launch reads after the launch has ended.
#[derive(Clone, Copy)]
pub struct Outbox<T> {
    place: *mut T,
    tag: u32,
}

impl<T: Pod> Outbox<T> {
    /// Makes the handle.
    ///
    /// # Safety
    /// Without a tag, `place` is aligned and writable for a `T`. With one, it is aligned to 8 and writable for 8 bytes
    /// per 4 bytes of `T`, and the host reads it by atomic loads of 64 bits. One thread of the launch writes it, once;
    /// nothing else does.
    #[inline(always)]
    #[must_use]
    pub unsafe fn new(place: *mut T, tag: u32) -> Self {
        const { assert!(size_of::<T>().is_multiple_of(4), "a value travels in words of 4 bytes") }
        Self { place, tag }
    }

    /// Writes the value.
    #[inline(always)]
    #[track_caller]
    pub fn write(self, value: T) {
        if self.tag == 0 {
            // SAFETY: the caller of `new` promised the place.
            return unsafe { imp::store(self.place, value) };
        }
        for i in 0..size_of::<T>() / 4 {
            let word: u32 = bytemuck::pod_read_unaligned(&bytemuck::bytes_of(&value)[4 * i..4 * i + 4]);
            // SAFETY: the caller of `new` promised 8 bytes for each word.
            unsafe {
                imp::store_for_host(
                    self.place.cast::<u64>().add(i),
                    u64::from(self.tag) << 32 | u64::from(word),
                );
            }
        }
    }
}
