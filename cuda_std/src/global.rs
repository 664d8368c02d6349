//! Global memory behind typed handles. A kernel makes its handles once from raw pointers. Reads and writes through them
//! are checked and safe.

use core::marker::PhantomData;

use bytemuck::{NoUninit, Pod};

use crate::imp;

mod across;
mod cells;
mod neighbours;
mod outbox;
mod spread;
mod straddled;

pub use across::{Across, VectorsFrom};
pub use cells::GlobalCells;
pub use neighbours::Neighbours;
pub use outbox::Outbox;
pub use spread::Spread;
pub use straddled::StraddledVectors;

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
#[cfg_attr(target_arch = "nvptx64", inline(always))]
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
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[must_use]
    pub unsafe fn new(start: *const T, len: u64) -> Self {
        Self { start, len }
    }

    /// Returns the number of elements.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[must_use]
    pub fn len(self) -> u64 {
        self.len
    }

    /// Returns whether there are no elements.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len == 0
    }

    /// Returns the elements from `start` up to, but not including, `start + len`, cut off at the slice's end.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[must_use]
    pub fn window(self, start: u64, len: u64) -> Self {
        let start = start.min(self.len);
        // SAFETY: `start` is at most `len` by the line above; the caller of `new` promised the slice.
        Self { start: unsafe { self.start.add(start as usize) }, len: len.min(self.len - start) }
    }

    /// Returns whether the slice's first element can begin a load of `V` elements: they have 8 or 16 bytes, and it is
    /// aligned to as many.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[must_use]
    pub fn is_vector_aligned<const V: usize>(self) -> bool {
        let bytes = V * size_of::<T>();
        (bytes == VECTOR_BYTES || bytes == VECTOR_BYTES / 2) && self.start.addr().is_multiple_of(bytes)
    }

    /// Returns the element at `index`. Traps (on the host: panics) if `index >= len`.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
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
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
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

    /// Returns the element at `index`, or the last one if `index` is beyond the end. Traps (on the host: panics) if the
    /// slice is empty.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[must_use]
    #[track_caller]
    pub fn read_or_last(self, index: u64) -> T {
        self.read(index.min(self.len.saturating_sub(1)))
    }

    /// Returns the `V` elements at `first` by one load. Returns `None` if some are beyond the end, or if they do not
    /// have 8 or 16 bytes or are not aligned to as many.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
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

    /// Returns whether the `V` elements at `first` are within the slice, have 8 or 16 bytes, and are aligned to as
    /// many.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn has_vector<const V: usize>(self, first: u64) -> bool {
        let aligned = self.is_vector_aligned::<V>() && first.is_multiple_of(V as u64);
        aligned && first <= self.len && self.len - first >= V as u64
    }

    /// Returns the end of the vectors that [`read_vector`](Self::read_vector) can load: the end of the last whole one,
    /// or 0 if there is none.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[must_use]
    pub fn vectors_end<const V: usize>(self) -> u64 {
        const { assert!(V.is_power_of_two()) }
        if self.is_vector_aligned::<V>() { self.len & !(V as u64 - 1) } else { 0 }
    }
}

/// Loads of words, so of elements without padding.
impl<T: NoUninit> GlobalSlice<T> {
    /// Returns this thread's column of the slice seen as rows of `row` elements: the vectors of `V` elements at
    /// `first`, `first + row`, ..., in steps of `N` whole rows. It is empty if the slice is not
    /// [aligned](Self::is_vector_aligned) for `V` elements, `first` or `row` is not a multiple of `V`, or the first
    /// vector is not within the first row.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
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
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[must_use]
    pub fn vectors<const V: usize>(self) -> Option<Vectors<T, V>> {
        const { assert!(V.is_power_of_two()) }
        let vectors = self.vectors_end::<V>() / V as u64;
        (vectors > 0).then(|| Vectors { start: self.start, last: vectors - 1 })
    }

    /// Does [`read_vector`](Self::read_vector) by an instruction that the compiler cannot see through, and returns
    /// packed words.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
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
}

/// The vectors of a slice that has at least one, by number. [`GlobalSlice::vectors`] makes it.
#[derive(Clone, Copy)]
pub struct Vectors<T, const V: usize> {
    start: *const T,
    last: u64,
}

impl<T: NoUninit, const V: usize> Vectors<T, V> {
    /// Returns vector `number`, or the last one if `number` is beyond the end. There is no branch, so several loads are
    /// under way before the first is waited for.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[must_use]
    #[track_caller]
    pub fn read_or_last(self, number: u64) -> Vector<T, V> {
        let first = number.min(self.last) as usize * V;
        // SAFETY: `vectors` checked size and alignment and counted the vectors; the caller of `new` promised the slice.
        unsafe { Vector::load(self.start.add(first)) }
    }

    /// Returns the `N` (2 to 8) vectors with numbers `first`, `first + step` and so on, with one check. Traps (on the
    /// host: panics) if one of them is beyond the end.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
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
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
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

/// The vectors of a column, `N` rows at a time. [`GlobalSlice::rows`] makes it.
pub struct Rows<T, const V: usize, const N: usize> {
    next: *const T,
    row: u64,
    left: u64,
}

impl<T: NoUninit, const V: usize, const N: usize> Rows<T, V, N> {
    /// Returns the next `N` vectors. All loads are issued before the first is waited for. Each is a fixed instruction:
    /// left to the compiler, a vector that is used in a later turn of a loop becomes two loads of half its size.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
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

impl<T: NoUninit, const V: usize> Vector<T, V> {
    /// Loads a vector by one instruction.
    ///
    /// # Safety
    /// `V` elements are 8 or 16 bytes. `address` is aligned to as many and readable for them, all are valid, and
    /// nothing writes them during the launch. (They have no padding, so their bytes are words.)
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
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

    /// Returns the words that hold the elements; those behind are arbitrary.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[must_use]
    pub fn words(self) -> [u32; 4] {
        self.words
    }

    /// Unpacks the elements.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[must_use]
    pub fn elements(self) -> [T; V] {
        // SAFETY: the words hold `V` valid elements: those that the caller of `load` promised or `of` packed, the copies of one of
        // `Across::filled`, or those that `StraddledVectors::join` takes from such words.
        unsafe { core::mem::transmute_copy::<Aligned<[u32; 4]>, [T; V]>(&Aligned(self.words)) }
    }
}

impl<T: Pod, const V: usize> Vector<T, V> {
    /// Packs elements.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[must_use]
    pub fn of(elements: [T; V]) -> Self {
        const { assert!(V * size_of::<T>() <= VECTOR_BYTES, "a vector has up to 16 bytes") }
        let mut words = [0; 4];
        let bytes = bytemuck::bytes_of(&elements);
        bytemuck::cast_slice_mut::<u32, u8>(&mut words)[..bytes.len()].copy_from_slice(bytes);
        Self { words, of: PhantomData }
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
