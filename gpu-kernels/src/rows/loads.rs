//! How a lane loads neighbouring elements of a row: by one vector that begins with them, by the two vectors that they lie
//! across, or one by one. There are no branches: a load beyond the end loads elements within it, so that several loads are in
//! flight before the first is waited for.

use bytemuck::NoUninit;
use cuda_std::global::{Neighbours, StraddledVectors, Vector, Vectors};

use crate::source::{Packed, Single};

/// Loads of `N` elements.
pub(crate) trait Loads<T, const N: usize>: Copy {
    /// Whether rows end where loads do, so that all elements of a load are in the row or none is.
    const ARE_WHOLE: bool;
    /// The result of a load.
    type Loaded: Copy;
    /// The elements of a load.
    type Elements: Packed<T, N>;
    /// Loads the elements from `first` on; beyond the end the elements are arbitrary.
    fn load(self, first: u64) -> Self::Loaded;
    /// Returns the elements of what `load` returned for the same `first`.
    fn elements(self, loaded: Self::Loaded, first: u64) -> Self::Elements;
}

impl<T: NoUninit, const N: usize> Loads<T, N> for Vectors<T, N> {
    const ARE_WHOLE: bool = true;
    type Loaded = Vector<T, N>;
    type Elements = Vector<T, N>;
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[track_caller]
    fn load(self, first: u64) -> Vector<T, N> {
        self.read_or_last(first / N as u64)
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn elements(self, loaded: Vector<T, N>, _: u64) -> Vector<T, N> {
        loaded
    }
}

impl<T: NoUninit, const N: usize> Loads<T, N> for StraddledVectors<T, N> {
    const ARE_WHOLE: bool = false;
    type Loaded = Option<[Vector<T, N>; 2]>;
    type Elements = Vector<T, N>;
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[track_caller]
    fn load(self, first: u64) -> Option<[Vector<T, N>; 2]> {
        self.read(first)
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[track_caller]
    fn elements(self, loaded: Option<[Vector<T, N>; 2]>, first: u64) -> Vector<T, N> {
        self.join(loaded, first)
    }
}

impl<T: Copy, const N: usize> Loads<T, N> for Neighbours<T, N> {
    const ARE_WHOLE: bool = N == 1;
    type Loaded = Single<T, N>;
    type Elements = Single<T, N>;
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[track_caller]
    fn load(self, first: u64) -> Single<T, N> {
        Single(self.read(first))
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[track_caller]
    fn elements(self, loaded: Single<T, N>, first: u64) -> Single<T, N> {
        Single(self.settle(loaded.0, first))
    }
}
