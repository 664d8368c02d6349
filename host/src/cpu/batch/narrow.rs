//! Columns of a matrix with few columns and contiguous rows: the matrix is one line of elements, in which a row of the
//! tree has lanes times columns elements.

use std::ops::Range;

use gpu_kernels::tree::lanes;
use gpu_kernels::{Element, Op};

use super::side_by_side::Matrix;
use crate::cpu::neighbours;
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
    neighbours::fold_rows(kept, columns, O::combine);
    accs.copy_from_slice(&kept[..columns]);
    Ok(())
}
