//! Reductions along any axes of a view.

use gpu_kernels::{Element, Op};

use super::matrix::{self, Matrices};
use super::side_by_side::Matrix;
use super::strided::Strided;
use crate::cpu::Cpu;
use crate::error::Error;
use crate::layout::position;
use crate::memory::with_room;
use crate::view::View;

impl Cpu {
    /// Folds along some axes: see [`crate::along`].
    pub(crate) fn axes<T: Element, O: Op<T>>(
        &self,
        op: O,
        view: &View<&[T]>,
        axes: &[usize],
    ) -> Result<Vec<O::Out>, Error> {
        let mut rows = Strided::new(view, axes)?;
        // The contiguous kept axis goes last, unless each row is a slice.
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
            // The columns of one or several matrices, which may have one row.
            (&[ref outer @ .., (columns, 1)], reduced)
                if reduced.len() < 3 && matrix::is::<O::Acc>(rows.len, columns) =>
            {
                let &(inner, stride) = reduced.last().unwrap_or(&(1, 0));
                let outer_stride = reduced.first().map_or(0, |&(_, stride)| stride);
                let Strided { x, offset, len, .. } = rows;
                let first = Matrix { x, offset, rows: len, columns, stride, inner, outer_stride };
                let offset = |number| position(rows.offset, outer, number);
                self.reduce_matrices(op, &Matrices { first, count: rows.count / columns, offset })?
            }
            _ => self.reduce_each(op, &rows)?,
        };
        if across == 1 { Ok(outs) } else { transposed(outs, across, last) }
    }
}

/// Transposes matrices of `rows` rows and `columns` columns, which follow each other and are stored column by column.
fn transposed<Out>(outs: Vec<Out>, rows: usize, columns: usize) -> Result<Vec<Out>, Error> {
    let mut turned = with_room(outs.len())?;
    let mut slots = with_room(outs.len())?;
    slots.extend(outs.into_iter().map(Some));
    for matrix in slots.chunks_mut(rows * columns) {
        for column in 0..columns {
            turned.extend((0..rows).filter_map(|row| matrix[row * columns + column].take()));
        }
    }
    Ok(turned)
}
