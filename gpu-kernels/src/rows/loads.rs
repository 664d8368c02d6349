//! How a lane loads the elements of a row that stand side by side: by vectors, one by one, or one alone. Without branches: a
//! load beyond the end is one of what is there, so that several are under way before the first is waited for.

use cuda_std::global::{GlobalSlice, Vector, Vectors};

use crate::source::Packed;

/// Loads of `N` elements.
pub(crate) trait Loads<T, const N: usize>: Copy {
    /// Whether a row ends where a load does, so that all elements of a load are the row's or none is.
    const ARE_WHOLE: bool;
    /// What the elements are loaded to.
    type Loaded: Packed<T, N>;
    /// The elements from `first` on: any elements in the place of those that are not there.
    fn load(self, first: u64) -> Self::Loaded;
}

impl<T: Copy, const N: usize> Loads<T, N> for Vectors<T, N> {
    const ARE_WHOLE: bool = true;
    type Loaded = Vector<T, N>;
    #[inline(always)]
    #[track_caller]
    fn load(self, first: u64) -> Vector<T, N> {
        self.read_or_last(first / N as u64)
    }
}

/// Elements that were loaded one by one.
#[derive(Clone, Copy)]
pub(crate) struct Single<T, const N: usize>([T; N]);

impl<T: Copy, const N: usize> Packed<T, N> for Single<T, N> {
    #[inline(always)]
    fn elements(self) -> [T; N] {
        self.0
    }
}

impl<T: Copy, const N: usize> Loads<T, N> for GlobalSlice<T> {
    const ARE_WHOLE: bool = N == 1;
    type Loaded = Single<T, N>;
    #[inline(always)]
    #[track_caller]
    fn load(self, first: u64) -> Single<T, N> {
        Single(core::array::from_fn(|i| self.read_or_last(first + i as u64)))
    }
}
