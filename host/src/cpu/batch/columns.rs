//! Columns of a matrix.

use gpu_kernels::{Element, Op};

use super::matrix::{self, Matrices};
use super::side_by_side::Matrix;
use crate::cpu::{Cpu, few};
use crate::error::Error;
use crate::float_environment;
use crate::layout::len_of;
use crate::memory::with_room;
use crate::view::View;

/// Most elements of a matrix whose columns are folded one after the other. A matrix of 4 rows of 4 is then folded faster
/// than side by side (docs/tuning/cpu.md).
const FEW: usize = 64;

impl Cpu {
    /// Folds each column: see [`crate::columns`].
    pub(crate) fn columns<T: Element, O: Op<T>>(
        &self,
        op: O,
        x: &[T],
        shape: [usize; 2],
    ) -> Result<Vec<O::Out>, Error> {
        let [rows, columns] = shape;
        let is_whole = len_of(&shape) == Some(x.len());
        if is_whole && !x.is_empty() && x.len() <= FEW && const { few::is_short::<T, O>() } {
            return few_columns(op, x, rows, columns);
        }
        if !is_whole || !matrix::is::<O::Acc>(rows, columns) {
            return self.axes(op, &View::new(x, &shape)?, &[0]);
        }
        let stride = columns.cast_signed();
        let first = Matrix { x, offset: 0, rows, columns, stride, inner: rows, outer_stride: 0 };
        self.reduce_matrices(op, &Matrices { first, count: 1, offset: |_| 0 })
    }
}

/// Folds each column of a matrix of few elements.
fn few_columns<T: Element, O: Op<T>>(
    op: O,
    x: &[T],
    rows: usize,
    columns: usize,
) -> Result<Vec<O::Out>, Error> {
    float_environment::check()?;
    let mut outs = with_room(columns)?;
    for column in 0..columns {
        let acc = few::fold_each::<T, O>(op, rows, |row| x[row * columns + column], |_| None);
        outs.push(O::finish(acc.unwrap_or(O::IDENTITY), rows as u64));
    }
    Ok(outs)
}
