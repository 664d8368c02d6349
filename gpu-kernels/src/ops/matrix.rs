//! Products of small matrices of integers.

use bytemuck::{Pod, Zeroable};

use super::affine::Ring;
use crate::op::Op;

/// The product of 2 x 2 matrices, left to right; there is no NaN among integers. The unit matrix for empty input.
///
/// It is associative and does not commute. Numbers wrap.
#[derive(Clone, Copy, Debug, Default)]
pub struct MatrixProduct;

/// A matrix of two rows of two integers, in row-major order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(transparent)]
pub struct Matrix2<N> {
    /// The rows.
    pub rows: [[N; 2]; 2],
}

impl<N: Ring> Op<Matrix2<N>> for MatrixProduct {
    type Acc = Matrix2<N>;
    type Out = Matrix2<N>;
    const IDENTITY: Matrix2<N> = Matrix2 { rows: [[N::ONE, N::ZERO], [N::ZERO, N::ONE]] };
    const ASSOCIATIVE: bool = true;
    const NEEDS_INDEX: bool = false;
    #[inline]
    fn lift(self, matrix: Matrix2<N>, _index: u64) -> Matrix2<N> {
        matrix
    }
    #[inline]
    fn combine(left: Matrix2<N>, right: Matrix2<N>) -> Matrix2<N> {
        let [above, below] = right.rows;
        let entry = |row: [N; 2], j: usize| {
            row[0].wrapping_mul(&above[j]).wrapping_add(&row[1].wrapping_mul(&below[j]))
        };
        let row = |row| [entry(row, 0), entry(row, 1)];
        Matrix2 { rows: [row(left.rows[0]), row(left.rows[1])] }
    }
    #[inline]
    fn finish(acc: Matrix2<N>, _len: u64) -> Matrix2<N> {
        acc
    }
}
