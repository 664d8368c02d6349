//! How elements of rows are read and written: by whole vectors, or one by one.

use cuda_std::global::{GlobalCells, GlobalSlice, Vector, Vectors};
use cuda_std::thread::unknown;
use warpfold_exact::unrolled;

use super::FloatElement;
use super::row::turned;

/// Elements in memory. A kernel has its code once for each way, so that the fast one has no branches of the other.
pub(crate) trait Access<T: FloatElement, const V: usize>: Copy {
    /// Where results are written.
    type Cells: Copy;

    /// Returns `M` vectors: of vector `i` the first `present(i)` elements from `first(i)` on, where elements are. The other elements of a
    /// vector with some are `absent`; a vector with none has any.
    fn load<const M: usize>(
        self,
        first: impl Fn(usize) -> u64,
        present: impl Fn(usize) -> u32,
        absent: T,
    ) -> [Vector<T, V>; M];

    /// Returns whether an element of a vector with `present` elements is present.
    fn has(v: usize, present: u32) -> bool;

    /// Writes the first `present` elements from `first` on, rounded. There is one.
    fn store(out: Self::Cells, first: u64, values: [T::Carrier; V], present: u32);
}

/// Whole vectors: rows begin and end at multiples of `V`, in memory too.
#[derive(Clone, Copy)]
pub(crate) struct Whole<T, const V: usize>(pub(crate) Vectors<T, V>);

impl<T: FloatElement, const V: usize> Access<T, V> for Whole<T, V> {
    type Cells = GlobalCells<[u32; 4]>;

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn load<const M: usize>(
        self,
        first: impl Fn(usize) -> u64,
        _present: impl Fn(usize) -> u32,
        _absent: T,
    ) -> [Vector<T, V>; M] {
        core::array::from_fn(|i| self.0.read_or_last(first(i) >> V.trailing_zeros()))
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn has(_v: usize, _present: u32) -> bool {
        true
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn store(out: Self::Cells, first: u64, values: [T::Carrier; V], _present: u32) {
        let words = Vector::of(values.map(T::nearest)).words();
        // One store of 16 bytes.
        out.write_column(first >> V.trailing_zeros(), 1, [words]);
    }
}

/// Single elements.
#[derive(Clone, Copy)]
pub(crate) struct Single<T>(pub(crate) GlobalSlice<T>);

impl<T: FloatElement, const V: usize> Access<T, V> for Single<T> {
    type Cells = GlobalCells<T>;

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn load<const M: usize>(
        self,
        first: impl Fn(usize) -> u64,
        present: impl Fn(usize) -> u32,
        absent: T,
    ) -> [Vector<T, V>; M] {
        let mut all = [Vector::of([absent; V]); M];
        if self.0.is_empty() {
            return all;
        }
        let mut i = 0;
        // A loop: the addresses of all elements would take more registers than all else.
        while i < M {
            let (first, present) = (first(i), present(i));
            let loaded: [T; V] = core::array::from_fn(|v| self.0.read_or_last(first.wrapping_add(v as u64)));
            let there = |v: usize| if (v as u32) < present { loaded[v] } else { absent };
            all[0] = Vector::of(core::array::from_fn(there));
            all = turned(all);
            i = unknown(i as u32 + 1) as usize;
        }
        all
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn has(v: usize, present: u32) -> bool {
        (v as u32) < present
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn store(out: Self::Cells, first: u64, values: [T::Carrier; V], present: u32) {
        let rounded = values.map(T::nearest);
        unrolled!(v < V, up to 8 => {
            if (v as u32) < present {
                out.write(first + v as u64, rounded[v]);
            }
        });
    }
}
