//! Sources of elements: one slice, or two of the same length side by side.

use bytemuck::NoUninit;
use cuda_std::global::{GlobalSlice, Rows, Vector};
use cuda_std::memory::Readable;

pub use crate::addresses::Two;

/// A source of the elements that a kernel folds. A copy is another handle on the same elements.
#[allow(clippy::len_without_is_empty)] // Kernels compare indices with the length.
pub trait Source<T>: Copy {
    /// Reads this thread's vectors, one of each row: [`GlobalSlice::rows`].
    type Rows<const V: usize, const N: usize>: ReadRows<T, V, N>;
    /// Returns the number of elements.
    fn len(self) -> u64;
    /// Returns the elements in `start..start + len`, or as many as there are.
    fn window(self, start: u64, len: u64) -> Self;
    /// Returns the element at `index`. Traps (on the host: panics) if `index >= len`.
    fn read(self, index: u64) -> T;
    /// Returns the `V` elements at `first`, if they can be loaded at once: [`GlobalSlice::read_vector`].
    fn read_vector<const V: usize>(self, first: u64) -> Option<[T; V]>;
    /// [`read_vector`](Self::read_vector) in the words in which they are loaded: [`GlobalSlice::read_packed`].
    fn read_packed<const V: usize>(self, first: u64) -> Option<impl Packed<T, V>>;
    /// Returns a reader of the vectors of `V` elements at `first`, `first + row`, ..., `N` whole rows at a time.
    fn rows<const V: usize, const N: usize>(self, first: u64, row: u64) -> Self::Rows<V, N>;
    /// Returns the end of the vectors that [`read_vector`](Self::read_vector) returns.
    fn vectors_end<const V: usize>(self) -> u64;
}

/// A reader of whole rows, several at a time.
pub trait ReadRows<T, const V: usize, const N: usize> {
    /// A loaded vector.
    type Packed: Packed<T, V>;
    /// Returns this thread's vectors of the next `N` rows, or `None` if fewer are left: [`Rows::read_next`].
    fn read_next(&mut self) -> Option<[Self::Packed; N]>;
}

/// `V` elements, in the words in which they were loaded.
pub trait Packed<T, const V: usize>: Copy {
    /// Returns the elements.
    fn elements(self) -> [T; V];
}

/// `V` elements that were loaded one by one.
#[derive(Clone, Copy)]
pub(crate) struct Single<T, const V: usize>(pub(crate) [T; V]);

impl<T: Copy, const V: usize> Packed<T, V> for Single<T, V> {
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn elements(self) -> [T; V] {
        self.0
    }
}

impl<T: NoUninit> Source<T> for GlobalSlice<T> {
    type Rows<const V: usize, const N: usize> = Rows<T, V, N>;
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn len(self) -> u64 {
        self.len()
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn window(self, start: u64, len: u64) -> Self {
        self.window(start, len)
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[track_caller]
    fn read(self, index: u64) -> T {
        self.read(index)
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[track_caller]
    fn read_vector<const V: usize>(self, first: u64) -> Option<[T; V]> {
        self.read_vector(first)
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[track_caller]
    fn read_packed<const V: usize>(self, first: u64) -> Option<impl Packed<T, V>> {
        self.read_packed(first)
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn rows<const V: usize, const N: usize>(self, first: u64, row: u64) -> Rows<T, V, N> {
        self.rows(first, row)
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn vectors_end<const V: usize>(self) -> u64 {
        self.vectors_end::<V>()
    }
}

impl<T: NoUninit, const V: usize, const N: usize> ReadRows<T, V, N> for Rows<T, V, N> {
    type Packed = Vector<T, V>;
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[track_caller]
    fn read_next(&mut self) -> Option<[Vector<T, V>; N]> {
        self.read_next()
    }
}

impl<T: NoUninit, const V: usize> Packed<T, V> for Vector<T, V> {
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn elements(self) -> [T; V] {
        self.elements()
    }
}

/// Two slices of one length; element `i` is the pair of their elements `i`.
#[derive(Clone, Copy)]
pub struct Zipped<T>(GlobalSlice<T>, GlobalSlice<T>);

/// A reader of the same rows of both slices.
pub struct ZippedRows<T, const V: usize, const N: usize>(Rows<T, V, N>, Rows<T, V, N>);

/// A vector of each slice.
#[derive(Clone, Copy)]
pub struct ZippedVector<T, const V: usize>(Vector<T, V>, Vector<T, V>);

impl<T: NoUninit, const V: usize> Packed<[T; 2], V> for ZippedVector<T, V> {
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn elements(self) -> [[T; 2]; V] {
        pair(self.0.elements(), self.1.elements())
    }
}

/// Pairs the elements of two vectors.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn pair<T: Copy, const V: usize>(x: [T; V], y: [T; V]) -> [[T; 2]; V] {
    core::array::from_fn(|v| [x[v], y[v]])
}

impl<T: NoUninit> Source<[T; 2]> for Zipped<T> {
    type Rows<const V: usize, const N: usize> = ZippedRows<T, V, N>;
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn len(self) -> u64 {
        self.0.len()
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn window(self, start: u64, len: u64) -> Self {
        Self(self.0.window(start, len), self.1.window(start, len))
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[track_caller]
    fn read(self, index: u64) -> [T; 2] {
        [self.0.read(index), self.1.read(index)]
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[track_caller]
    fn read_vector<const V: usize>(self, first: u64) -> Option<[[T; 2]; V]> {
        let (x, y) = (self.0.read_vector(first), self.1.read_vector(first));
        Some(pair(x?, y?))
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[track_caller]
    fn read_packed<const V: usize>(self, first: u64) -> Option<impl Packed<[T; 2], V>> {
        let (x, y) = (self.0.read_packed(first), self.1.read_packed(first));
        Some(ZippedVector(x?, y?))
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn rows<const V: usize, const N: usize>(self, first: u64, row: u64) -> ZippedRows<T, V, N> {
        ZippedRows(self.0.rows(first, row), self.1.rows(first, row))
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn vectors_end<const V: usize>(self) -> u64 {
        self.0.vectors_end::<V>().min(self.1.vectors_end::<V>())
    }
}

impl<T: NoUninit, const V: usize, const N: usize> ReadRows<[T; 2], V, N> for ZippedRows<T, V, N> {
    type Packed = ZippedVector<T, V>;
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[track_caller]
    fn read_next(&mut self) -> Option<[ZippedVector<T, V>; N]> {
        let (x, y) = (self.0.read_next(), self.1.read_next());
        let (x, y) = (x?, y?);
        Some(core::array::from_fn(|i| ZippedVector(x[i], y[i])))
    }
}

/// The addresses of an input, as an entry point gets them.
pub trait Inputs<T>: Copy {
    /// The elements at these addresses.
    type Source: Source<T>;
    /// Makes the handle on `len` elements.
    ///
    /// # Safety
    /// The contract of [`Readable::slice`], for each array.
    unsafe fn open(self, len: u64) -> Self::Source;
}

impl<T: NoUninit> Inputs<T> for Readable<T> {
    type Source = GlobalSlice<T>;
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    unsafe fn open(self, len: u64) -> GlobalSlice<T> {
        // SAFETY: by this function's contract.
        unsafe { self.slice(len) }
    }
}

impl<T: NoUninit> Inputs<[T; 2]> for Two<T> {
    type Source = Zipped<T>;
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    unsafe fn open(self, len: u64) -> Zipped<T> {
        // SAFETY: by this function's contract.
        unsafe { Zipped(self.0.slice(len), self.1.slice(len)) }
    }
}
