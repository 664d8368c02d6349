//! What a verb asks of the rows that a thread has elements of.

use cuda_std::global::{GlobalCells, Vector};
use warpfold_exact::unrolled;

use super::FloatElement;
use super::access::Access;
use crate::ops::{Float, Ordered, Wide};

/// Rows whose elements the threads of a warp or of a block share. A thread has vectors of `V` elements of `N` rows.
///
/// The methods are collectives of the threads that share a row.
pub(crate) trait Rows<T: FloatElement, A: Access<T, V>, const V: usize, const N: usize> {
    /// Returns `of` for each row.
    fn each<X: bytemuck::Pod>(&self, values: [X; N], of: impl Fn(X) -> T::Carrier) -> [T::Carrier; N];

    /// Returns the greatest element that is a number; `-infinity` or a NaN if there is none.
    fn greatest(&mut self) -> [T::Carrier; N];

    /// Returns the sums of terms along the tree, with the centre 0.
    fn sums<M: Terms<T::Carrier>>(&mut self) -> [T::Carrier; N];

    /// Keeps what the terms keep of each element, and returns the sums of the terms along the tree. Called once, after all folds of the
    /// elements.
    fn keep<M: Terms<T::Carrier>>(&mut self, centres: [T::Carrier; N]) -> [T::Carrier; N];

    /// Writes the results of each row. A block, which has one row, keeps elements again where it has not held them.
    fn write<M: Terms<T::Carrier>, R: Results<T, V>>(
        &mut self,
        out: A::Cells,
        centres: [T::Carrier; N],
        results: [R; N],
    );

    /// Writes the value of each row.
    fn write_one(&self, out: GlobalCells<T::Carrier>, values: [T::Carrier; N]);

    /// Returns the number of elements of each row.
    fn len(&self) -> u64;
}

/// What is kept of an element, and which term of a sum it has. No closures: what is called often would not be inlined.
pub(crate) trait Terms<A> {
    /// Whether absent elements have to be left out. Otherwise the term of one is 0.
    const IS_MASKED: bool = false;

    /// Returns what is kept of an element of a row with this centre.
    fn kept(centre: A, x: A) -> A;

    /// Returns the term.
    fn term(kept: A) -> A;
}

/// What is written of a row.
pub(crate) trait Results<T: FloatElement, const V: usize>: Copy {
    /// Returns the results of kept elements. `column` is the first one's.
    fn of(self, kept: [T::Carrier; V], column: u64) -> [T::Carrier; V];
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

/// Returns the greater of a number and of the elements of a vector.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn greatest<T: FloatElement, const V: usize>(
    mut value: T::Carrier,
    vector: Vector<T, V>,
) -> T::Carrier {
    unrolled!(v < V, up to 8 => { value = greater(value, vector.elements()[v].wide()) });
    value
}

/// The sum of an empty row.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn nothing<A: Float>() -> A {
    <A as Wide>::ZERO
}
