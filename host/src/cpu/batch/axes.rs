//! Any axes of a view.

use gpu_kernels::{Element, Op};

use super::matrix::Matrices;
use super::side_by_side::Matrix;
use super::strided::Strided;
use super::with_room;
use crate::cpu::Cpu;
use crate::error::Error;
use crate::layout::place;
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
    pub fn reduce_axes<T: Element, O: Op<T> + Default>(
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
    pub fn reduce_axes_by<T: Element, O: Op<T>>(
        &self,
        op: O,
        view: &View<'_, T>,
        axes: &[usize],
    ) -> Result<Vec<O::Out>, Error> {
        let mut rows = Strided::new(view, axes)?;
        // The densest of the axes that are kept goes last, unless a row is a slice.
        let densest = rows.kept.iter().position(|&(_, stride)| stride == 1);
        let (across, last) = match densest {
            Some(densest)
                if rows.count > 0 && rows.reduced.last().is_some_and(|&(_, stride)| stride != 1) =>
            {
                let last = rows.kept.remove(densest);
                let across = rows.kept[densest..].iter().map(|&(length, _)| length).product();
                rows.kept.push(last);
                (across, last.0)
            }
            _ => (1, 1),
        };
        let outs = match (&rows.kept[..], &rows.reduced[..]) {
            // Columns, of one matrix or of several.
            (&[ref outer @ .., (columns, 1)], &[ref across @ .., (inner, stride)])
                if rows.count > 0 && rows.len > 0 && across.len() < 2 =>
            {
                let outer_stride = across.first().map_or(0, |&(_, stride)| stride);
                let Strided { x, offset, len, .. } = rows;
                let first = Matrix { x, offset, rows: len, columns, stride, inner, outer_stride };
                let offset = |number| place(rows.offset, outer, number);
                self.reduce_matrices(op, &Matrices { first, count: rows.count / columns, offset })?
            }
            _ => self.reduce_each(op, &rows)?,
        };
        if across == 1 { Ok(outs) } else { transposed(outs, across, last) }
    }
}

/// Matrices of so many rows and columns, one after the other, column by column.
fn transposed<Out>(outs: Vec<Out>, rows: usize, columns: usize) -> Result<Vec<Out>, Error> {
    let mut turned = with_room(outs.len())?;
    let mut places = with_room(outs.len())?;
    places.extend(outs.into_iter().map(Some));
    for matrix in places.chunks_mut(rows * columns) {
        for column in 0..columns {
            turned.extend((0..rows).filter_map(|row| matrix[row * columns + column].take()));
        }
    }
    Ok(turned)
}
