//! Global memory behind typed handles. A kernel makes its handles once from raw pointers; reading and writing
//! through them is checked and safe.

use crate::imp;

/// Bytes of a vector load, and the alignment that it needs.
pub const VECTOR_BYTES: usize = 16;

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

    /// Whether vector loads may start at this slice's first element.
    #[inline(always)]
    #[must_use]
    pub fn is_vector_aligned(self) -> bool {
        self.start.addr().is_multiple_of(VECTOR_BYTES)
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

    /// `ROWS` vectors of `V` elements, the first at `first`, each next one `stride` further: all loads are
    /// issued before the first is waited for. The slice is [aligned](Self::is_vector_aligned), and `first` and
    /// `stride` are multiples of `V`. Traps (on the host: panics) out of bounds, and if `V` elements are not
    /// 16 bytes.
    #[inline(always)]
    #[must_use]
    #[track_caller]
    pub fn read_vectors<const V: usize, const ROWS: usize>(self, first: u64, stride: u64) -> [[T; V]; ROWS] {
        /// What the vector load takes.
        #[derive(Clone, Copy)]
        #[repr(C, align(16))]
        struct Vector<T, const V: usize>([T; V]);
        let last = first + stride * (ROWS as u64 - 1);
        if V * size_of::<T>() != VECTOR_BYTES || last + V as u64 > self.len {
            imp::out_of_bounds();
        }
        core::array::from_fn(|row| {
            let index = first + stride * row as u64;
            // SAFETY: at most `last + V` by the line above; `new`'s caller promised the slice.
            let vector: Vector<T, V> = unsafe { imp::load(self.start.add(index as usize).cast()) };
            vector.0
        })
    }
}

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
    /// `start` is aligned and writable for `len` elements that nothing else uses during the launch, and every
    /// bit pattern is a valid `T`.
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
