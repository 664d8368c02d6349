//! What a verb asks of the rows that a thread has elements of.

use bytemuck::Pod;
use cuda_std::global::GlobalCells;
use warpfold_exact::unrolled;

use super::FloatElement;
use super::access::{Access, Source};
use crate::ops::{Float, Ordered, Wide};

/// Rows whose elements the threads of a warp or of a block share. A thread has vectors of `V` elements of `N` rows.
///
/// The methods are collectives of the threads that share a row.
pub trait Rows<T: FloatElement, S: Source<T, V>, const V: usize, const N: usize> {
    /// Returns `of` for each row.
    fn each<X: Pod>(&self, values: [X; N], of: impl Fn(X) -> T::Carrier) -> [T::Carrier; N];

    /// Returns the greatest element that is a number; `-infinity` or a NaN if there is none.
    fn greatest(&mut self) -> [T::Carrier; N]
    where
        S: Source<T, V, Element = T::Carrier>;

    /// Returns the sums of terms along the tree.
    fn sums<M: Terms<T::Carrier, S::Element>>(&mut self, terms: [M; N]) -> [T::Carrier; N];

    /// Keeps what the terms keep of each element, and returns the sums of the terms along the tree. Called once, after all folds of the
    /// elements.
    fn keep<M: Terms<T::Carrier, S::Element>>(&mut self, terms: [M; N]) -> [T::Carrier; N];

    /// Writes the results of each row. A block, which has one row, keeps elements again where it has not held them.
    fn write<M: Terms<T::Carrier, S::Element>, R: Results<T, S::Element, V>>(
        &mut self,
        out: CellsOf<T, S, V>,
        terms: [M; N],
        results: [R; N],
    );

    /// Writes the value of each row.
    fn write_one(&self, out: GlobalCells<T::Carrier>, values: [T::Carrier; N]);

    /// Returns the number of each row. It may be too great for a row that is not there.
    fn numbers(&self) -> [u64; N];

    /// Returns the number of elements of each row.
    fn len(&self) -> u64;
}

/// Where results are written.
pub(super) type CellsOf<T, S, const V: usize> = <<S as Source<T, V>>::Access as Access<T, V>>::Cells;

/// What is kept of an element `X`, and which term of a sum it has. No closures: what is called often would not be inlined.
pub trait Terms<A, X = A>: Copy {
    /// Whether absent elements have to be left out. Otherwise the term of one is 0.
    const IS_MASKED: bool = false;

    /// Returns what is kept of an element.
    fn kept(self, x: X) -> X;

    /// Returns the term.
    fn term(self, kept: X) -> A;
}

/// What is written of a row.
pub trait Results<T: FloatElement, X, const V: usize>: Copy {
    /// Returns the results of kept elements. `column` is the first one's.
    fn of(self, kept: [X; V], column: u64) -> [T::Carrier; V];
}

/// Returns the sum of neighbouring lanes of the tree.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn pairs<A: Float, const V: usize>(mut sums: [A; V]) -> A {
    const { assert!(V.is_power_of_two() && V <= 8) }
    unrolled!(i < V / 2, up to 4 => { sums[i] = sums[2 * i] + sums[2 * i + 1] });
    unrolled!(i < V / 4, up to 2 => { sums[i] = sums[2 * i] + sums[2 * i + 1] });
    unrolled!(i < V / 8, up to 2 => { sums[i] = sums[2 * i] + sums[2 * i + 1] });
    sums[0]
}

/// Returns the values with the first one last, since registers cannot be indexed.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn turned<X: Copy, const M: usize>(values: [X; M]) -> [X; M] {
    core::array::from_fn(|i| values[(i + 1) % M])
}

/// Returns the sum of two subtrees. It has the same bits on both sides.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn sum<A: Float>(left: A, right: A) -> A {
    left + right
}

/// Returns the greater of two numbers.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn greater<A: Float>(left: A, right: A) -> A {
    Ordered::greater(left, right)
}

/// Returns the greater of a number and of others.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn greatest<A: Float, const V: usize>(mut value: A, others: [A; V]) -> A {
    unrolled!(v < V, up to 8 => { value = greater(value, others[v]) });
    value
}

/// The sum of an empty row.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn nothing<A: Float>() -> A {
    <A as Wide>::ZERO
}
