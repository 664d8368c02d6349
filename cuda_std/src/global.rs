//! Global memory behind typed handles. A kernel makes its handles once from raw pointers; reading and writing
//! through them is checked and safe.

use core::marker::PhantomData;

use bytemuck::Pod;

use crate::imp;

/// Bytes of a vector load, and the alignment that it needs.
pub const VECTOR_BYTES: usize = 16;

/// What a load asks of the caches (PTX ISA, cache operators).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheHint {
    /// Kept as usual.
    Keep,
    /// Used once: evicted first (`ld.global.cs`).
    Stream,
    /// Through the read-only path (`ld.global.nc`).
    ReadOnly,
}

/// `V` elements of 16 bytes in all, by one load. The [slices](GlobalSlice) do this with checks and without a hint.
///
/// # Safety
/// `address` is a multiple of 16, readable for 16 bytes, and written by nobody during the launch.
#[inline(always)]
#[must_use]
#[track_caller]
pub unsafe fn load_vector<T: Pod, const V: usize>(address: *const T, hint: CacheHint) -> [T; V] {
    const { assert!(V * size_of::<T>() == VECTOR_BYTES, "a vector is 16 bytes") }
    // SAFETY: by this function's contract.
    let words = unsafe { imp::load_words(address.cast(), hint) };
    let mut vector = [T::zeroed(); V];
    bytemuck::cast_slice_mut::<T, u8>(&mut vector).copy_from_slice(bytemuck::bytes_of(&words));
    vector
}

/// Elements that a kernel reads and nothing writes during its launch.
#[derive(Clone, Copy)]
pub struct GlobalSlice<T> {
    start: *const T,
    len: u64,
}

impl<T: Copy> GlobalSlice<T> {
    /// Makes the handle.
    ///
    /// # Safety
    /// `start` is aligned and readable for `len` elements, all of them valid, and nothing writes them while
    /// the handle is used (or whoever does is ordered before by a [ticket](crate::atomic::Ticket)).
    #[inline(always)]
    #[must_use]
    pub unsafe fn new(start: *const T, len: u64) -> Self {
        Self { start, len }
    }

    /// Number of elements.
    #[inline(always)]
    #[must_use]
    pub fn len(self) -> u64 {
        self.len
    }

    /// Whether there are no elements.
    #[inline(always)]
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len == 0
    }

    /// The elements from `start` up to, not including, `start + len`, as far as there are any.
    #[inline(always)]
    #[must_use]
    pub fn window(self, start: u64, len: u64) -> Self {
        let start = start.min(self.len);
        // SAFETY: `start` is within the slice or one past its end.
        Self { start: unsafe { self.start.add(start as usize) }, len: len.min(self.len - start) }
    }

    /// Whether loads of `V` elements at once may start at this slice's first element: they are 8 or 16 bytes, and it lies
    /// at a multiple of as many.
    #[inline(always)]
    #[must_use]
    pub fn is_vector_aligned<const V: usize>(self) -> bool {
        let bytes = V * size_of::<T>();
        (bytes == VECTOR_BYTES || bytes == VECTOR_BYTES / 2) && self.start.addr().is_multiple_of(bytes)
    }

    /// The element at `index`. Traps (on the host: panics) if `index >= len`.
    #[inline(always)]
    #[must_use]
    #[track_caller]
    pub fn read(self, index: u64) -> T {
        if index >= self.len {
            imp::out_of_bounds();
        }
        // SAFETY: within the slice by the line above; `new`'s caller promised the slice.
        unsafe { imp::load(self.start.add(index as usize)) }
    }

    /// This thread's column of the slice seen as rows of `row` elements: the vectors of `V` elements at `first`, `first +
    /// row`, ..., by `N` whole rows at a time. None at all if the slice is not [aligned](Self::is_vector_aligned) for
    /// `V` elements, `first` and `row` are not multiples of `V`, or the first vector is not within the
    /// first row.
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

    /// The slice as vectors of `V` elements; what is left at its end is none. `None` if the slice is not
    /// [aligned](Self::is_vector_aligned) for them, or has not even one.
    #[inline(always)]
    #[must_use]
    pub fn vectors<const V: usize>(self) -> Option<Vectors<T, V>> {
        const { assert!(V.is_power_of_two()) }
        let vectors = self.vectors_end::<V>() / V as u64;
        (vectors > 0).then(|| Vectors { start: self.start, last: vectors - 1 })
    }

    /// The element at `index`, or the last one if there are not so many. Traps (on the host: panics) if there are none.
    #[inline(always)]
    #[must_use]
    #[track_caller]
    pub fn read_or_last(self, index: u64) -> T {
        self.read(index.min(self.len.saturating_sub(1)))
    }

    /// The `V` elements at `first` by one load; `None` if they are not all there, are not 8 or 16 bytes, or do not lie at a
    /// multiple of as many.
    #[inline(always)]
    #[must_use]
    #[track_caller]
    pub fn read_vector<const V: usize>(self, first: u64) -> Option<[T; V]> {
        if !self.has_vector::<V>(first) {
            return None;
        }
        // SAFETY: within the slice and aligned by the lines above; `new`'s caller promised the slice.
        Some(unsafe {
            let vector = self.start.add(first as usize);
            if V * size_of::<T>() == VECTOR_BYTES {
                imp::load(vector.cast::<Aligned<[T; V]>>()).0
            } else {
                imp::load(vector.cast::<AlignedHalf<[T; V]>>()).0
            }
        })
    }

    /// As [`read_vector`](Self::read_vector), by an instruction that the compiler does not look into, to words.
    #[inline(always)]
    #[must_use]
    #[track_caller]
    pub fn read_packed<const V: usize>(self, first: u64) -> Option<Vector<T, V>> {
        if !self.has_vector::<V>(first) {
            return None;
        }
        // SAFETY: within the slice and aligned by the lines above; `new`'s caller promised the slice.
        Some(unsafe { Vector::load(self.start.add(first as usize)) })
    }

    /// Whether the `V` elements at `first` are there, are 8 or 16 bytes, and lie at a multiple of as many.
    #[inline(always)]
    fn has_vector<const V: usize>(self, first: u64) -> bool {
        let aligned = self.is_vector_aligned::<V>() && first.is_multiple_of(V as u64);
        aligned && first <= self.len && self.len - first >= V as u64
    }

    /// Where the vectors that [`read_vector`](Self::read_vector) gives end: behind the last whole one, or at 0 if there
    /// is none.
    #[inline(always)]
    #[must_use]
    pub fn vectors_end<const V: usize>(self) -> u64 {
        const { assert!(V.is_power_of_two()) }
        if self.is_vector_aligned::<V>() { self.len & !(V as u64 - 1) } else { 0 }
    }
}

/// The vectors of a slice that has any, by their number; [`GlobalSlice::vectors`] makes it.
#[derive(Clone, Copy)]
pub struct Vectors<T, const V: usize> {
    start: *const T,
    last: u64,
}

impl<T: Copy, const V: usize> Vectors<T, V> {
    /// Vector `number`, or the last one if there are not so many: without a branch, so that several loads are under way
    /// before the first is waited for.
    #[inline(always)]
    #[must_use]
    #[track_caller]
    pub fn read_or_last(self, number: u64) -> Vector<T, V> {
        let first = number.min(self.last) as usize * V;
        // SAFETY: `vectors` saw that they are 8 or 16 bytes and aligned, and counted them; `new`'s caller promised the slice.
        unsafe { Vector::load(self.start.add(first)) }
    }
}

/// Vectors of a column, `N` rows at a time; [`GlobalSlice::rows`] makes it.
pub struct Rows<T, const V: usize, const N: usize> {
    next: *const T,
    row: u64,
    left: u64,
}

impl<T: Copy, const V: usize, const N: usize> Rows<T, V, N> {
    /// The next `N` vectors: all loads are issued before the first is waited for. Each is one instruction by name: left to
    /// the compiler, a vector that is used in a later turn of a loop becomes two loads of half its size.
    #[inline(always)]
    #[must_use]
    #[track_caller]
    pub fn read_next(&mut self) -> Option<[Vector<T, V>; N]> {
        // The second half is for the compiler: `rows` leaves none of another size.
        let bytes = V * size_of::<T>();
        if self.left == 0 || (bytes != VECTOR_BYTES && bytes != VECTOR_BYTES / 2) {
            return None;
        }
        let vectors = core::array::from_fn(|i| {
            // SAFETY: `rows` counted the whole rows of the slice and saw that the vectors are 8 or 16 bytes, within those
            // rows and aligned; `new`'s caller promised the slice.
            unsafe { Vector::load(self.next.add(i * self.row as usize)) }
        });
        self.next = self.next.wrapping_add(N * self.row as usize);
        self.left -= 1;
        Some(vectors)
    }
}

/// `V` elements of 8 or 16 bytes in all, in the words that they were loaded in. Elements of 1 or 2 bytes would fill a
/// register each; so they are [taken apart](Vector::elements) where they are used.
#[derive(Clone, Copy)]
pub struct Vector<T, const V: usize> {
    words: [u32; 4],
    of: PhantomData<[T; V]>,
}

impl<T: Copy, const V: usize> Vector<T, V> {
    /// By one load.
    ///
    /// # Safety
    /// `V` elements are 8 or 16 bytes; `address` is a multiple of as many, readable for them, all of them valid, and
    /// written by nobody during the launch.
    #[inline(always)]
    #[track_caller]
    unsafe fn load(address: *const T) -> Self {
        // SAFETY: by this function's contract.
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

    /// The elements.
    #[inline(always)]
    #[must_use]
    pub fn elements(self) -> [T; V] {
        // SAFETY: `load`, which alone makes vectors, was promised that these words hold that many elements.
        unsafe { core::mem::transmute_copy::<Aligned<[u32; 4]>, [T; V]>(&Aligned(self.words)) }
    }
}

/// What the vector load takes.
#[derive(Clone, Copy)]
#[repr(C, align(16))]
pub(crate) struct Aligned<V>(pub(crate) V);

/// What the load of half a vector takes.
#[derive(Clone, Copy)]
#[repr(C, align(8))]
pub(crate) struct AlignedHalf<V>(pub(crate) V);

/// Elements that a kernel writes, and reads back what other blocks wrote before they took a
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
    /// `start` is aligned, and writable for every index that is used, all below `len`; nothing but the launch uses those
    /// cells meanwhile, and every bit pattern is a valid `T`. Each cell is written by one thread of the launch at most,
    /// or by several in an order that barriers or [tickets](crate::atomic::Ticket) establish, and it is read only after
    /// such an order with its writer.
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
        // SAFETY: within the cells by the line above; `new`'s caller promised them.
        unsafe { imp::store(self.start.add(index as usize), value) }
    }

    /// What a block wrote at `index` before it took its ticket. Traps (on the host: panics) if
    /// `index >= len`.
    #[inline(always)]
    #[must_use]
    #[track_caller]
    pub fn read_handed_over(self, index: u64) -> T {
        if index >= self.len {
            imp::out_of_bounds();
        }
        // SAFETY: within the cells by the line above; `new`'s caller promised them.
        unsafe { imp::load_handed_over(self.start.add(index as usize)) }
    }
}

/// A place in the host's memory for one value, which the host may look at while the launch still runs.
///
/// The value travels in words of 32 bits, each with a tag in one store of 64: the host sees a word and its tag or
/// neither, so it needs no fence to know which words have arrived. With tag 0 it is an ordinary cell, which the host, or
/// a later launch, reads when the launch has ended.
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
    /// per 4 bytes of a `T`, which the host reads by atomic loads of 64 bits. One thread of the launch writes it, once;
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
            // SAFETY: `new`'s caller promised the place.
            return unsafe { imp::store(self.place, value) };
        }
        for i in 0..size_of::<T>() / 4 {
            let word: u32 = bytemuck::pod_read_unaligned(&bytemuck::bytes_of(&value)[4 * i..4 * i + 4]);
            // SAFETY: `new`'s caller promised 8 bytes for each word.
            unsafe {
                imp::store_for_host(
                    self.place.cast::<u64>().add(i),
                    u64::from(self.tag) << 32 | u64::from(word),
                );
            }
        }
    }
}
