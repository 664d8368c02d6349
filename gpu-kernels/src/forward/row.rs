//! What a verb asks of the rows that a thread has elements of.

use cuda_std::global::{GlobalCells, GlobalSlice, Vectors};
use warpfold_exact::unrolled;

use super::FloatElement;
use crate::ops::{Float, Ordered, Wide};

/// Rows whose elements the threads of a warp or of a block share. A thread has vectors of `V` elements of `N` rows.
///
/// The methods are collectives of the threads that share a row.
pub(crate) trait Rows<T: FloatElement, const V: usize, const N: usize> {
    /// Returns `of` for each row.
    fn each(&self, values: [T::Carrier; N], of: impl Fn(T::Carrier) -> T::Carrier) -> [T::Carrier; N];

    /// Returns the greatest element that is a number; `-infinity` or a NaN if there is none.
    fn greatest(&mut self) -> [T::Carrier; N];

    /// Returns the sums of `of` each element, along the tree.
    fn sums(&mut self, of: impl Fn(T::Carrier) -> T::Carrier) -> [T::Carrier; N];

    /// Replaces each element by `kept` of its row's centre and of itself, and returns the sums of `term` of these, along the tree. If
    /// `MASKED`, absent elements are left out; otherwise `term` of one is 0. Called once, after all folds of the elements. The code stands
    /// once for all vectors, which move round: unrolled it would not fit a cache.
    fn keep<const MASKED: bool>(
        &mut self,
        centres: [T::Carrier; N],
        kept: impl Fn(T::Carrier, T::Carrier) -> T::Carrier,
        term: impl Fn(T::Carrier) -> T::Carrier,
    ) -> [T::Carrier; N];

    /// Writes `finish` of the value of each row and of vectors of what was kept, with the column of the first element. A block, which has
    /// one row, keeps elements again where it has not held them. The code stands once too: unrolled it would take up to 255 registers.
    fn write(
        &mut self,
        out: GlobalCells<T>,
        kept: impl Fn(T::Carrier) -> T::Carrier,
        values: [T::Carrier; N],
        finish: impl Fn(T::Carrier, [T::Carrier; V], u64) -> [T::Carrier; V],
    );

    /// Writes the value of each row.
    fn write_one(&self, out: GlobalCells<T::Carrier>, values: [T::Carrier; N]);

    /// Returns the number of elements of each row.
    fn len(&self) -> u64;
}

/// Elements in memory, loaded by whole vectors if rows are.
#[derive(Clone, Copy)]
pub(crate) struct Elements<T, const V: usize> {
    pub(crate) single: GlobalSlice<T>,
    pub(crate) vectors: Option<Vectors<T, V>>,
}

impl<T: FloatElement, const V: usize> Elements<T, V> {
    /// `are_vectors` tells whether all loads begin at multiples of `V` and have all of their elements, or none.
    #[inline(always)]
    pub(crate) fn new(single: GlobalSlice<T>, are_vectors: bool) -> Self {
        Self { single, vectors: if are_vectors { single.vectors::<V>() } else { None } }
    }

    /// Returns `M` vectors: of vector `i` the first `present(i)` elements from `first(i)` on, and `absent` for the others. All loads are
    /// under way before the first is waited for.
    #[inline(always)]
    pub(crate) fn load<const M: usize>(
        self,
        first: impl Fn(usize) -> u64,
        present: impl Fn(usize) -> u64,
        absent: T::Carrier,
    ) -> [[T::Carrier; V]; M] {
        let loaded: [[T; V]; M] = match self.vectors {
            Some(vectors) => {
                let packed: [_; M] =
                    core::array::from_fn(|i| vectors.read_or_last(first(i) >> V.trailing_zeros()));
                packed.map(cuda_std::global::Vector::elements)
            }
            None if self.single.is_empty() => [[T::zeroed(); V]; M],
            None => core::array::from_fn(|i| {
                core::array::from_fn(|v| self.single.read_or_last(first(i).wrapping_add(v as u64)))
            }),
        };
        let mut values = [[absent; V]; M];
        unrolled!(i < M => {
            let present = present(i);
            unrolled!(v < V => {
                if (v as u64) < present {
                    values[i][v] = loaded[i][v].wide();
                }
            });
        });
        values
    }
}

/// Writes the first `present` elements from `first` on, rounded.
#[inline(always)]
pub(crate) fn store<T: FloatElement, const V: usize>(
    out: GlobalCells<T>,
    first: u64,
    values: [T::Carrier; V],
    present: u64,
) {
    let rounded: [T; V] = values.map(T::nearest);
    if present >= V as u64 {
        out.write_neighbours(first, rounded);
    } else {
        unrolled!(v < V => {
            if (v as u64) < present {
                out.write(first + v as u64, rounded[v]);
            }
        });
    }
}

/// Returns the sum of neighbouring lanes of the tree.
#[inline(always)]
pub(crate) fn pairs<A: Float, const V: usize>(mut sums: [A; V]) -> A {
    const { assert!(V.is_power_of_two() && V <= 8) }
    unrolled!(i < V / 2, up to 4 => { sums[i] = sums[2 * i] + sums[2 * i + 1] });
    unrolled!(i < V / 4, up to 2 => { sums[i] = sums[2 * i] + sums[2 * i + 1] });
    unrolled!(i < V / 8, up to 2 => { sums[i] = sums[2 * i] + sums[2 * i + 1] });
    sums[0]
}

/// Returns the values with the first one last, since registers cannot be indexed.
#[inline(always)]
pub(crate) fn turned<X: Copy, const M: usize>(values: [X; M]) -> [X; M] {
    core::array::from_fn(|i| values[(i + 1) % M])
}

/// Returns the sum of two subtrees. It has the same bits on both sides.
#[inline(always)]
pub(crate) fn sum<A: Float>(left: A, right: A) -> A {
    left + right
}

/// Returns the greater of two numbers.
#[inline(always)]
pub(crate) fn greater<A: Float>(left: A, right: A) -> A {
    Ordered::greater(left, right)
}

/// The sum of an empty row.
#[inline(always)]
pub(crate) fn nothing<A: Float>() -> A {
    <A as Wide>::ZERO
}
