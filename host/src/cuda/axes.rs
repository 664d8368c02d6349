//! Any axes of a view on a device.

use super::columns;
use super::lane::Lane;
use super::launch::Input;
use super::pieces::{Piece, as_columns, in_place, pieces};
use super::results::{DeviceResults, of_none};
use super::rows::plan;
use super::scalar::Cell;
use super::{Cuda, DeviceView, Stream};
use crate::error::Error;
use crate::layout::Parted;
use crate::moves::MOVES;
use crate::{Element, RowsKernel};

/// Bytes that are packed at a time, unless one row has more: what a reduction may take of the device's memory for itself.
const MOST_PACKED_BYTES: usize = 1 << 30;

impl Cuda {
    /// Reduces the elements along some axes of a view, and waits for the results: one for each index along the others, in
    /// row-major order; [`DeviceView::reduced_shape`] is their shape. Each has the bits of [`reduce`](Self::reduce) of its
    /// elements alone, in row-major order whatever the order in which the axes are named; an index counts in that order.
    ///
    /// Elements that do not lie row by row are brought together first, in up to 1 GiB of device memory at a time, or as much
    /// as the elements of one result take. A stream goes on to have up to 32 MiB of it.
    ///
    /// # Errors
    /// [`Error::Axes`] if an axis is out of range or named twice; [`Error::TooManyResults`]; and those of
    /// [`reduce`](Self::reduce).
    ///
    /// ```no_run
    /// use warpfold::{Cuda, DeviceView, Sum};
    ///
    /// let cuda = Cuda::open(0)?;
    /// let x: Vec<i32> = (0..24).collect();
    /// let x = cuda.upload(&x)?;
    /// let view = DeviceView::new(x.as_slice(), &[2, 3, 4])?;
    /// assert_eq!(cuda.reduce_axes::<i32, Sum>(&view, &[0, 2])?, [60, 92, 124]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn reduce_axes<T: Element, O: RowsKernel<T> + Default>(
        &self,
        view: &DeviceView<'_, T>,
        axes: &[usize],
    ) -> Result<Vec<O::Out>, Error> {
        self.reduce_axes_by(O::default(), view, axes)
    }

    /// [`reduce_axes`](Self::reduce_axes) with an operator that is a value, such as one with parameters.
    ///
    /// # Errors
    /// As [`reduce_axes`](Self::reduce_axes).
    pub fn reduce_axes_by<T: Element, O: RowsKernel<T>>(
        &self,
        op: O,
        view: &DeviceView<'_, T>,
        axes: &[usize],
    ) -> Result<Vec<O::Out>, Error> {
        let parted = view.parted(axes)?;
        let count = parted.count;
        if count == 0 || parted.len == 0 {
            return of_none::<T, O>(count);
        }
        self.lease(|lane| {
            let cell = Cell::new::<O::Acc>(lane, count)?;
            let enqueue = || lane.enqueue_axes(op, self, view, &parted, &cell);
            cell.write(lane.queue().handle(), parted.len as u64, enqueue)?;
            cell.results::<T, O>(self, count)
        })
    }

    /// Loads the kernels over axes now: see [`prepare`](Self::prepare).
    ///
    /// # Errors
    /// As [`prepare`](Self::prepare).
    pub fn prepare_axes<T: Element, O: RowsKernel<T>>(&self) -> Result<(), Error> {
        self.prepare_rows::<T, O>()?;
        self.prepare_columns::<T, O>()?;
        MOVES.iter().try_for_each(|moves| self.kernels().prepare(moves.pack.untyped()))
    }
}

impl Stream {
    /// Enqueues a reduction along some axes of a view whose results go to `out`, which has as many, and returns without
    /// waiting for them: [`Cuda::reduce_axes`] as [`reduce_into`](Self::reduce_into) does it. A graph that is recorded has
    /// memory of its own for the elements that are brought together.
    ///
    /// # Errors
    /// [`Error::Axes`], [`Error::TooManyResults`]; [`Error::Lengths`] if `out` is not for as many results; and those of
    /// [`reduce_into`](Self::reduce_into). A view of more than 1 GiB may take several launches: after an error between them
    /// some of `out` is overwritten.
    pub fn reduce_axes_into<T: Element, O: RowsKernel<T> + Default>(
        &self,
        view: &DeviceView<'_, T>,
        axes: &[usize],
        out: &mut DeviceResults<T, O>,
    ) -> Result<(), Error> {
        self.reduce_axes_into_by(O::default(), view, axes, out)
    }

    /// [`reduce_axes_into`](Self::reduce_axes_into) with an operator that is a value, such as one with parameters.
    ///
    /// # Errors
    /// As [`reduce_axes_into`](Self::reduce_axes_into).
    pub fn reduce_axes_into_by<T: Element, O: RowsKernel<T>>(
        &self,
        op: O,
        view: &DeviceView<'_, T>,
        axes: &[usize],
        out: &mut DeviceResults<T, O>,
    ) -> Result<(), Error> {
        let parted = view.parted(axes)?;
        crate::error::check_lengths(parted.count, out.len())?;
        let cell = out.cell();
        let enqueue = || self.lane().enqueue_axes(op, self.cuda(), view, &parted, cell);
        self.write(cell, parted.len as u64, enqueue)
    }
}

impl Lane {
    /// Enqueues the launches that fold each of the view's rows to `cell`: none for no elements.
    fn enqueue_axes<T: Element, O: RowsKernel<T>>(
        &self,
        op: O,
        cuda: &Cuda,
        view: &DeviceView<'_, T>,
        parted: &Parted,
        cell: &Cell,
    ) -> Result<(), Error> {
        let Parted { count, len, .. } = *parted;
        if count == 0 || len == 0 {
            return Ok(());
        }
        let fold = |input: Input<'_, T>, first, rows: usize, pitch: usize| {
            let plan = plan::<T, O>(cuda, input.address(), rows, len, pitch)?;
            let shape = (rows as u64, len as u64, pitch as u64);
            let out = cell.region().part(first as u64, rows as u64, size_of::<O::Acc>())?;
            self.enqueue_fold_rows(op, cuda.kernels(), plan, input, shape, out)
        };
        let slice = view.slice();
        if let Some((rows, pitch)) = in_place::<T>(parted) {
            for Piece { first, rows, offset, .. } in pieces(&parted.kept, view.offset(), rows) {
                let end = offset + (rows - 1) * pitch + len;
                fold(slice.slice(offset..end)?.input()?, first, rows, pitch)?;
            }
            return Ok(());
        }
        if let Some(shape) = as_columns(parted)
            && let Some(elements) = shape.len()
        {
            let elements = usize::try_from(elements).unwrap_or(usize::MAX);
            let end = view.offset().saturating_add(elements);
            let input = slice.slice(view.offset()..end)?.input()?;
            let plan = columns::plan::<T, O>(cuda, input.address(), shape)?;
            return self.enqueue_fold_columns(op, cuda.kernels(), plan, input, shape, cell.region());
        }
        let row_bytes = len.saturating_mul(size_of::<T>());
        let most_rows = (MOST_PACKED_BYTES / row_bytes).clamp(1, count);
        let room = self.room(most_rows.saturating_mul(row_bytes))?;
        let input = slice.input()?;
        for Piece { first, rows, offset, kept } in pieces(&parted.kept, view.offset(), most_rows) {
            let axes = [&kept[..], &parted.reduced[..]].concat();
            self.enqueue_pack(cuda.kernels(), cuda.multiprocessors(), (input, offset), &axes, room.whole())?;
            fold(Input::new(&room, 0, rows * len)?, first, rows, len)?;
        }
        Ok(())
    }
}
