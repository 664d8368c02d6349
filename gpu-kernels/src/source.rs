//! Where elements are read from: one slice, or several of the same length side by side.

use cuda_std::global::{GlobalSlice, Rows, Vector};

pub use crate::addresses::Two;

/// What a kernel folds the elements of. A copy is another handle on the same elements.
#[allow(clippy::len_without_is_empty)] // Kernels compare places with the length.
pub trait Source<T>: Copy {
    /// This thread's column of the source: [`GlobalSlice::rows`].
    type Rows<const V: usize, const N: usize>: ReadRows<T, V, N>;
    /// Number of elements.
    fn len(self) -> u64;
    /// The elements from `start` up to, not including, `start + len`, as far as there are any.
    fn window(self, start: u64, len: u64) -> Self;
    /// The element at `index`. Traps (on the host: panics) if `index >= len`.
    fn read(self, index: u64) -> T;
    /// The `V` elements at `first`, if they can be loaded at once: [`GlobalSlice::read_vector`].
    fn read_vector<const V: usize>(self, first: u64) -> Option<[T; V]>;
    /// As [`read_vector`](Self::read_vector), in the words that they are loaded in: [`GlobalSlice::read_packed`].
    fn read_packed<const V: usize>(self, first: u64) -> Option<impl Packed<T, V>>;
    /// The vectors of `V` elements at `first`, `first + row`, ..., by `N` whole rows at a time.
    fn rows<const V: usize, const N: usize>(self, first: u64, row: u64) -> Self::Rows<V, N>;
    /// Where the vectors that [`read_vector`](Self::read_vector) gives end.
    fn vectors_end<const V: usize>(self) -> u64;
}

/// Whole rows, some at a time.
pub trait ReadRows<T, const V: usize, const N: usize> {
    /// What a vector is loaded to.
    type Packed: Packed<T, V>;
    /// The next `N` vectors of a column, if so many rows are left: [`Rows::read_next`].
    fn read_next(&mut self) -> Option<[Self::Packed; N]>;
}

/// `V` elements, in the words that they were loaded in.
pub trait Packed<T, const V: usize>: Copy {
    /// The elements.
    fn elements(self) -> [T; V];
}

impl<T: Copy> Source<T> for GlobalSlice<T> {
    type Rows<const V: usize, const N: usize> = Rows<T, V, N>;
    #[inline(always)]
    fn len(self) -> u64 {
        self.len()
    }
    #[inline(always)]
    fn window(self, start: u64, len: u64) -> Self {
        self.window(start, len)
    }
    #[inline(always)]
    #[track_caller]
    fn read(self, index: u64) -> T {
        self.read(index)
    }
    #[inline(always)]
    #[track_caller]
    fn read_vector<const V: usize>(self, first: u64) -> Option<[T; V]> {
        self.read_vector(first)
    }
    #[inline(always)]
    #[track_caller]
    fn read_packed<const V: usize>(self, first: u64) -> Option<impl Packed<T, V>> {
        self.read_packed(first)
    }
    #[inline(always)]
    fn rows<const V: usize, const N: usize>(self, first: u64, row: u64) -> Rows<T, V, N> {
        self.rows(first, row)
    }
    #[inline(always)]
    fn vectors_end<const V: usize>(self) -> u64 {
        self.vectors_end::<V>()
    }
}

impl<T: Copy, const V: usize, const N: usize> ReadRows<T, V, N> for Rows<T, V, N> {
    type Packed = Vector<T, V>;
    #[inline(always)]
    #[track_caller]
    fn read_next(&mut self) -> Option<[Vector<T, V>; N]> {
        self.read_next()
    }
}

impl<T: Copy, const V: usize> Packed<T, V> for Vector<T, V> {
    #[inline(always)]
    fn elements(self) -> [T; V] {
        self.elements()
    }
}

/// Two slices of one length, whose element `i` is the pair of theirs at `i`.
#[derive(Clone, Copy)]
pub struct Zipped<T>(GlobalSlice<T>, GlobalSlice<T>);

/// The same column of both.
pub struct ZippedRows<T, const V: usize, const N: usize>(Rows<T, V, N>, Rows<T, V, N>);

/// A vector of each slice.
#[derive(Clone, Copy)]
pub struct ZippedVector<T, const V: usize>(Vector<T, V>, Vector<T, V>);

impl<T: Copy, const V: usize> Packed<[T; 2], V> for ZippedVector<T, V> {
    #[inline(always)]
    fn elements(self) -> [[T; 2]; V] {
        pair(self.0.elements(), self.1.elements())
    }
}

/// Pairs, from what each slice has.
#[inline(always)]
fn pair<T: Copy, const V: usize>(x: [T; V], y: [T; V]) -> [[T; 2]; V] {
    core::array::from_fn(|v| [x[v], y[v]])
}

impl<T: Copy> Source<[T; 2]> for Zipped<T> {
    type Rows<const V: usize, const N: usize> = ZippedRows<T, V, N>;
    #[inline(always)]
    fn len(self) -> u64 {
        self.0.len()
    }
    #[inline(always)]
    fn window(self, start: u64, len: u64) -> Self {
        Self(self.0.window(start, len), self.1.window(start, len))
    }
    #[inline(always)]
    #[track_caller]
    fn read(self, index: u64) -> [T; 2] {
        [self.0.read(index), self.1.read(index)]
    }
    #[inline(always)]
    #[track_caller]
    fn read_vector<const V: usize>(self, first: u64) -> Option<[[T; 2]; V]> {
        let (x, y) = (self.0.read_vector(first), self.1.read_vector(first));
        Some(pair(x?, y?))
    }
    #[inline(always)]
    #[track_caller]
    fn read_packed<const V: usize>(self, first: u64) -> Option<impl Packed<[T; 2], V>> {
        let (x, y) = (self.0.read_packed(first), self.1.read_packed(first));
        Some(ZippedVector(x?, y?))
    }
    #[inline(always)]
    fn rows<const V: usize, const N: usize>(self, first: u64, row: u64) -> ZippedRows<T, V, N> {
        ZippedRows(self.0.rows(first, row), self.1.rows(first, row))
    }
    #[inline(always)]
    fn vectors_end<const V: usize>(self) -> u64 {
        self.0.vectors_end::<V>().min(self.1.vectors_end::<V>())
    }
}

impl<T: Copy, const V: usize, const N: usize> ReadRows<[T; 2], V, N> for ZippedRows<T, V, N> {
    type Packed = ZippedVector<T, V>;
    #[inline(always)]
    #[track_caller]
    fn read_next(&mut self) -> Option<[ZippedVector<T, V>; N]> {
        let (x, y) = (self.0.read_next(), self.1.read_next());
        let (x, y) = (x?, y?);
        Some(core::array::from_fn(|i| ZippedVector(x[i], y[i])))
    }
}

/// What an entry point is given of its input: addresses.
pub trait Inputs<T>: Copy {
    /// The elements there.
    type Source: Source<T>;
    /// Makes the handle.
    ///
    /// # Safety
    /// The contract of [`GlobalSlice::new`], of each array.
    unsafe fn open(self, len: u64) -> Self::Source;
}

impl<T: Copy> Inputs<T> for *const T {
    type Source = GlobalSlice<T>;
    #[inline(always)]
    unsafe fn open(self, len: u64) -> GlobalSlice<T> {
        // SAFETY: by this function's contract.
        unsafe { GlobalSlice::new(self, len) }
    }
}

impl<T: Copy> Inputs<[T; 2]> for Two<T> {
    type Source = Zipped<T>;
    #[inline(always)]
    unsafe fn open(self, len: u64) -> Zipped<T> {
        // SAFETY: by this function's contract.
        unsafe { Zipped(GlobalSlice::new(self.0, len), GlobalSlice::new(self.1, len)) }
    }
}
