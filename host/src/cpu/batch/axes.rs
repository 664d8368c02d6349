//! Any axes of a view.

use gpu_kernels::{Element, Op};

use super::matrix::Matrices;
use super::side_by_side::Matrix;
use super::strided::{Strided, place};
use crate::cpu::Cpu;
use crate::error::Error;
use crate::view::View;

impl Cpu {
    /// Folds the elements along some axes of a view, and gives a result for each index along the others, in row-major
    /// order; [`View::reduced_shape`] is their shape. Each has the bits of [`reduce`](Self::reduce) of its elements
    /// alone, in row-major order whatever the order in which the axes are named; an index counts in that order. Of no
    /// axes each element is folded by itself.
    ///
    /// # Errors
    /// [`Error::Axes`] if an axis is out of range or named twice; otherwise as [`reduce_rows`](Self::reduce_rows).
    ///
    /// ```
    /// use warpfold::{Cpu, Sum, View};
    ///
    /// let x: Vec<i32> = (0..24).collect();
    /// let view = View::new(&x, &[2, 3, 4])?;
    /// assert_eq!(Cpu::new().reduce_axes::<i32, Sum>(&view, &[0, 2])?, [60, 92, 124]);
    /// assert_eq!(view.reduced_shape(&[0, 2], true)?, [1, 3, 1]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn reduce_axes<T: Element, O: Op<T, Out: Send> + Default>(
        &self,
        view: &View<'_, T>,
        axes: &[usize],
    ) -> Result<Vec<O::Out>, Error> {
        self.reduce_axes_by(O::default(), view, axes)
    }

    /// [`reduce_axes`](Self::reduce_axes) with an operator that is a value, such as one with parameters.
    ///
    /// # Errors
    /// As [`reduce_axes`](Self::reduce_axes).
    pub fn reduce_axes_by<T: Element, O: Op<T, Out: Send>>(
        &self,
        op: O,
        view: &View<'_, T>,
        axes: &[usize],
    ) -> Result<Vec<O::Out>, Error> {
        let rows = Strided::new(view, axes)?;
        match (&rows.kept[..], &rows.reduced[..]) {
            // Columns, of one matrix or of several.
            (&[ref outer @ .., (columns, 1)], &[(length, stride)]) if rows.count > 0 && rows.len > 0 => {
                let first = Matrix { x: rows.x, offset: rows.offset, rows: length, columns, stride };
                let offset = |number| place(rows.offset, outer, number);
                self.reduce_matrices(op, &Matrices { first, count: rows.count / columns, offset })
            }
            _ => self.reduce_each(op, &rows),
        }
    }
}
