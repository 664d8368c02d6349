//! How elements of rows are read and written: by whole vectors, or one by one; alone, or beside a gradient.

use bytemuck::{Pod, Zeroable};
use cuda_std::global::{GlobalCells, GlobalSlice, Vector, Vectors};
use cuda_std::thread::unknown;
use warpfold_exact::unrolled;

use super::FloatElement;
use super::row::turned;

/// Elements in memory. A kernel has its code once for each way, so that the fast one has no branches of the other.
pub trait Access<T: FloatElement, const V: usize>: Copy {
    /// Where results are written.
    type Cells: Copy;

    /// Returns the elements of rows of `len`, if they can be read so.
    fn elements(all: GlobalSlice<T>, len: u64) -> Option<Self>;

    /// Returns the cells of results, if they can be written so.
    fn cells(all: GlobalCells<T>) -> Option<Self::Cells>;

    /// Returns `M` vectors: of vector `i` the first `present(i)` elements from `first(i)` on, where elements are. The other elements of a
    /// vector with some are `absent`; a vector with none has any.
    fn read<const M: usize>(
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
    fn elements(all: GlobalSlice<T>, len: u64) -> Option<Self> {
        if len & (V as u64 - 1) == 0 { Some(Self(all.vectors()?)) } else { None }
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn cells(all: GlobalCells<T>) -> Option<Self::Cells> {
        all.vectors::<V>()
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn read<const M: usize>(
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
    fn elements(all: GlobalSlice<T>, _len: u64) -> Option<Self> {
        Some(Self(all))
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn cells(all: GlobalCells<T>) -> Option<Self::Cells> {
        Some(all)
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn read<const M: usize>(
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

/// What rows are computed of: elements, or elements beside a gradient.
pub trait Source<T: FloatElement, const V: usize>: Copy {
    /// How each array is read, and results are written.
    type Access: Access<T, V>;
    /// A vector as it is held.
    type Loaded: Copy;
    /// What is computed of each element.
    type Element: Pod;

    /// Returns `M` vectors as [`Access::read`] does: vector `i` from the index and the column `at(i)` on.
    fn load<const M: usize>(
        self,
        at: impl Fn(usize) -> [u64; 2],
        present: impl Fn(usize) -> u32,
        absent: T,
    ) -> [Self::Loaded; M];

    /// Returns a vector of absent elements.
    fn absent(absent: T) -> Self::Loaded;

    /// Unpacks a vector.
    fn unpacked(loaded: Self::Loaded) -> [Self::Element; V];
}

/// Elements.
#[derive(Clone, Copy)]
pub struct Alone<A>(pub(super) A);

impl<T: FloatElement, A: Access<T, V>, const V: usize> Source<T, V> for Alone<A> {
    type Access = A;
    type Loaded = Vector<T, V>;
    type Element = T::Carrier;

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn load<const M: usize>(
        self,
        at: impl Fn(usize) -> [u64; 2],
        present: impl Fn(usize) -> u32,
        absent: T,
    ) -> [Vector<T, V>; M] {
        self.0.read(|i| at(i)[0], present, absent)
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn absent(absent: T) -> Vector<T, V> {
        Vector::of([absent; V])
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn unpacked(loaded: Vector<T, V>) -> [T::Carrier; V] {
        loaded.elements().map(T::wide)
    }
}

/// Elements, and the gradient of each one's result, times the weight of its column if there is one.
#[derive(Clone, Copy)]
pub struct WithGradient<A> {
    pub(super) x: A,
    pub(super) gradient: A,
    pub(super) weight: Option<A>,
}

/// An element and its gradient.
pub(super) type Pair<A> = [A; 2];

impl<T: FloatElement, A: Access<T, V>, const V: usize> Source<T, V> for WithGradient<A> {
    type Access = A;
    type Loaded = (Vector<T, V>, [T::Carrier; V]);
    type Element = Pair<T::Carrier>;

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn load<const M: usize>(
        self,
        at: impl Fn(usize) -> [u64; 2],
        present: impl Fn(usize) -> u32,
        absent: T,
    ) -> [Self::Loaded; M] {
        let x: [_; M] = self.x.read(|i| at(i)[0], &present, absent);
        let gradients: [_; M] = self.gradient.read(|i| at(i)[0], &present, absent);
        let mut all: [_; M] = core::array::from_fn(|i| (x[i], gradients[i].elements().map(T::wide)));
        if let Some(weight) = self.weight {
            let weights: [Vector<T, V>; M] = weight.read(|i| at(i)[1], present, absent);
            unrolled!(i < M, up to 8 => {
                let weights = weights[i].elements();
                unrolled!(v < V, up to 8 => { all[i].1[v] = all[i].1[v] * weights[v].wide() });
            });
        }
        all
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn absent(absent: T) -> Self::Loaded {
        (Vector::of([absent; V]), [T::Carrier::zeroed(); V])
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn unpacked((x, gradients): Self::Loaded) -> [Pair<T::Carrier>; V] {
        let x = x.elements();
        core::array::from_fn(|v| [x[v].wide(), gradients[v]])
    }
}
