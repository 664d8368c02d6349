//! Columns of a matrix.

use gpu_kernels::{Element, Op};

use super::matrix::{self, Matrices};
use super::side_by_side::Matrix;
use crate::cpu::Cpu;
use crate::error::Error;
use crate::layout::len_of;
use crate::view::View;

impl Cpu {
    /// Folds each column: see [`crate::columns`].
    pub(crate) fn columns<T: Element, O: Op<T>>(
        &self,
        op: O,
        x: &[T],
        shape: [usize; 2],
    ) -> Result<Vec<O::Out>, Error> {
        let [rows, columns] = shape;
        if len_of(&shape) != Some(x.len()) || !matrix::is::<O::Acc>(rows, columns) {
            return self.axes(op, &View::new(x, &shape)?, &[0]);
        }
        let stride = columns.cast_signed();
        let first = Matrix { x, offset: 0, rows, columns, stride, inner: rows, outer_stride: 0 };
        self.reduce_matrices(op, &Matrices { first, count: 1, offset: |_| 0 })
    }
}
