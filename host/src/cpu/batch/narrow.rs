//! Columns of a matrix with few columns and contiguous rows: the matrix is one line of elements, in which a row of the
//! tree has lanes times columns elements.

use std::ops::Range;

use gpu_kernels::tree::lanes;
use gpu_kernels::{Element, Op};

use super::side_by_side::Matrix;
use crate::error::Error;
use crate::memory;

/// Matrices with fewer columns than this are narrow. Others are folded side by side.
const FEW: usize = 32;

/// Returns whether the matrix is narrow with contiguous rows, and the operator commutes.
#[inline(always)]
pub(super) fn is<T: Element, O: Op<T>>(matrix: Matrix<'_, T>) -> bool {
    O::COMMUTATIVE
        && matrix.columns < FEW
        && matrix.inner == matrix.rows
        && usize::try_from(matrix.stride) == Ok(matrix.columns)
}

/// Folds the rows of one tile of each column into its element of `accs`. `kept` is a reused buffer.
#[inline(always)]
pub(super) fn fold_tile<T: Element, O: Op<T>>(
    op: O,
    matrix: Matrix<'_, T>,
    tile: Range<usize>,
    kept: &mut Vec<O::Acc>,
    accs: &mut [O::Acc],
) -> Result<(), Error> {
    let columns = matrix.columns;
    let x = &matrix.x[matrix.offset + tile.start * columns..matrix.offset + tile.end * columns];
    let line = lanes::<T>() * columns;
    kept.clear();
    memory::resize(kept, line.min(x.len()), O::IDENTITY)?;
    for (x, base) in x.chunks(line).zip((tile.start..).step_by(lanes::<T>())) {
        for (at, (acc, &x)) in kept.iter_mut().zip(x).enumerate() {
            *acc = op.append(*acc, x, (base + at / columns) as u64);
        }
    }
    fold_row_pairs(kept, columns, O::combine);
    accs.copy_from_slice(&kept[..columns]);
    Ok(())
}

/// Folds rows of `columns` columns in pairs of neighbours into the first row; an odd one out moves up unchanged.
#[inline(always)]
pub(crate) fn fold_row_pairs<A: Copy>(table: &mut [A], columns: usize, combine: impl Fn(A, A) -> A) {
    let mut rows = table.len() / columns;
    while rows > 1 {
        for pair in 0..rows / 2 {
            // The first pair is folded in place, the others to an earlier row.
            let (left, right) = table.split_at_mut((2 * pair + 1) * columns);
            let (before, left) = left.split_at_mut(2 * pair * columns);
            let right = &right[..columns];
            if pair == 0 {
                for (left, &right) in left.iter_mut().zip(right) {
                    *left = combine(*left, right);
                }
            } else {
                let kept = &mut before[pair * columns..][..columns];
                for ((kept, &left), &right) in kept.iter_mut().zip(&*left).zip(right) {
                    *kept = combine(left, right);
                }
            }
        }
        if rows % 2 == 1 {
            table.copy_within((rows - 1) * columns..rows * columns, rows / 2 * columns);
        }
        rows = rows.div_ceil(2);
    }
}
