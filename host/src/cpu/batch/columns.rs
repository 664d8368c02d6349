//! Columns of a matrix.

use gpu_kernels::{Element, Op};

use crate::cpu::Cpu;
use crate::error::Error;
use crate::view::View;

impl Cpu {
    /// Folds each column: see [`crate::columns`].
    pub(crate) fn columns<T: Element, O: Op<T>>(
        &self,
        op: O,
        x: &[T],
        shape: [usize; 2],
    ) -> Result<Vec<O::Out>, Error> {
        self.axes(op, &View::new(x, &shape)?, &[0])
    }
}
