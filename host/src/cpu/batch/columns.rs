//! Columns of a matrix.

use gpu_kernels::{Element, Op};

use crate::cpu::Cpu;
use crate::error::Error;
use crate::view::View;

impl Cpu {
    /// Folds each column of a row-major matrix of so many rows and columns, and gives a result for each. Each has the bits
    /// of [`reduce`](Self::reduce) of that column alone, from the first row to the last; an index counts rows.
    ///
    /// # Errors
    /// As [`reduce_rows`](Self::reduce_rows).
    ///
    /// ```
    /// use warpfold::{Cpu, Sum};
    ///
    /// let x = [1.0, 2.0, 4.0, 0.5, 0.25, 0.125];
    /// assert_eq!(Cpu::new().reduce_columns::<f32, Sum>(&x, [2, 3])?, [1.5, 2.25, 4.125]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn reduce_columns<T: Element, O: Op<T> + Default>(
        &self,
        x: &[T],
        shape: [usize; 2],
    ) -> Result<Vec<O::Out>, Error> {
        self.reduce_columns_by(O::default(), x, shape)
    }

    /// [`reduce_columns`](Self::reduce_columns) with an operator that is a value, such as one with parameters.
    ///
    /// # Errors
    /// As [`reduce_columns`](Self::reduce_columns).
    pub fn reduce_columns_by<T: Element, O: Op<T>>(
        &self,
        op: O,
        x: &[T],
        shape: [usize; 2],
    ) -> Result<Vec<O::Out>, Error> {
        self.reduce_axes_by(op, &View::new(x, &shape)?, &[0])
    }
}
