//! Reductions along any axes of a view.

pub(crate) mod pieces;

use gpu_kernels::Element;

use crate::cuda::along::pieces::{Piece, as_columns, in_place, pieces};
use crate::cuda::array::cell::Cell;
use crate::cuda::array::results::DeviceResults;
use crate::cuda::executor::Executor;
use crate::cuda::input::{Parts, Work, parts};
use crate::cuda::launch::Input;
use crate::cuda::{Cuda, DeviceSlice};
use crate::error::Error;
use crate::input::{Along, Rows};
use crate::kernel::RowsKernel;
use crate::kernel::entry::Entry;
use crate::kernel::moves::MOVES;
use crate::layout::Parted;
use crate::view::View;

/// Most bytes packed at a time, unless one row has more: the device memory that a reduction may take for itself.
const MOST_PACKED_BYTES: usize = 1 << 30;

/// A recorded graph has its own memory for packed elements. A view of more than 1 GiB may take several launches. After
/// an error between two of them some results are overwritten.
impl<T: Element, O: RowsKernel<T>> Parts<O> for Along<'_, View<DeviceSlice<'_, T>>> {
    type Element = T;

    fn count(&self) -> Result<usize, Error> {
        Ok(self.view.parted(self.axes)?.count)
    }

    fn enqueue(&self, work: Work<'_>, op: O, out: &DeviceResults<T, O>) -> Result<(), Error> {
        let (parted, cell) = (self.view.parted(self.axes)?, out.cell());
        let enqueue = || work.executor.enqueue_axes(op, work.cuda, &self.view, &parted, cell);
        work.write(cell, parted.len as u64, enqueue)
    }

    fn kernels() -> Vec<Entry> {
        let mut entries = <Rows<DeviceSlice<'_, T>> as Parts<O>>::kernels();
        entries.extend(<crate::input::Columns<DeviceSlice<'_, T>> as Parts<O>>::kernels());
        entries.extend(MOVES.iter().map(|moves| moves.pack.untyped()));
        entries
    }
}
parts!([T: Element] T, Along<'_, View<DeviceSlice<'_, T>>>);

impl Executor {
    /// Enqueues the launches that fold each of the view's rows to `cell`. Does nothing for empty input.
    fn enqueue_axes<T: Element, O: RowsKernel<T>>(
        &self,
        op: O,
        cuda: &Cuda,
        view: &View<DeviceSlice<'_, T>>,
        parted: &Parted,
        cell: &Cell,
    ) -> Result<(), Error> {
        let Parted { count, len, .. } = *parted;
        if count == 0 || len == 0 {
            return Ok(());
        }
        let fold = |input: Input<'_, T>, first, rows: usize, pitch: usize| {
            let out = cell.region().part(first as u64, rows as u64, size_of::<O::Acc>())?;
            self.enqueue_rows(op, cuda, None, input, [rows, len, pitch], out)
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
            return self.enqueue_columns(op, cuda, None, input, shape, cell.region());
        }
        let row_bytes = len.saturating_mul(size_of::<T>());
        let most_rows = (MOST_PACKED_BYTES / row_bytes).clamp(1, count);
        let room = self.room(most_rows.saturating_mul(row_bytes))?;
        let input = slice.input()?;
        for Piece { first, rows, offset, kept } in pieces(&parted.kept, view.offset(), most_rows) {
            #[expect(clippy::disallowed_methods, reason = "a few axes")]
            let axes = [&kept[..], &parted.reduced[..]].concat();
            self.enqueue_pack(cuda.kernels(), cuda.multiprocessors(), (input, offset), &axes, room.whole())?;
            fold(Input::new(&room, 0, rows * len)?, first, rows, len)?;
        }
        Ok(())
    }
}
