//! Reductions of segments of any lengths.

use std::sync::Arc;

use gpu_kernels::Element;

use crate::cuda::array::cell::Cell;
use crate::cuda::array::lens::{Checked, Lens};
use crate::cuda::executor::Executor;
use crate::cuda::input::{DeviceElements, Parts, Work, parts};
use crate::cuda::launch::{Given, Input, Offsets, Region, SEGMENTS_LIST, SegmentsRoom, SegmentsWork};
use crate::cuda::{Cuda, DeviceResults};
use crate::error::Error;
use crate::index_type::{IndexType, longest_segment};
use crate::input::{Chunks, Rows, Segments};
use crate::kernel::RowsKernel;
use crate::kernel::entry::Entry;

/// The device checks the offsets once, when it comes to the work; the call that waits reports an error. Lengths may be
/// mixed freely: long segments are folded tile by tile, by all available warps. Writing results again needs no new
/// memory if there are no more segments and elements than before.
impl<D: DeviceElements, I: DeviceElements<Element: IndexType>, O: RowsKernel<D::Element>> Parts<O>
    for Segments<D, I>
{
    type Element = D::Element;

    fn count(&self) -> Result<usize, Error> {
        Ok(self.offsets.device_slice().len().saturating_sub(1))
    }

    fn enqueue(&self, work: Work<'_>, op: O, out: &DeviceResults<D::Element, O>) -> Result<(), Error> {
        let (x, offsets, cell) = (self.x.device_slice(), self.offsets.device_slice(), out.cell());
        if offsets.len() < 2 {
            // A single offset may be wrong too, which only a call that waits can check.
            return if work.waits() {
                longest_segment(&offsets.to_vec()?, x.len()).map(|_| ())
            } else {
                Ok(())
            };
        }
        let (input, offsets) = (x.input()?, offsets.input()?);
        let checked = work.executor.checked::<D::Element, O, I::Element>(input.len(), offsets, cell)?;
        let enqueue = || work.executor.enqueue_segments(op, work.cuda, input, offsets, &checked, cell);
        work.write(cell, Lens::Between(checked.clone()), enqueue)
    }

    fn kernels() -> Vec<Entry> {
        entries::<D::Element, O>().into()
    }
}

parts!([D: DeviceElements, I: DeviceElements<Element: IndexType>] D::Element, Segments<D, I>);

/// Each `len` elements are a row; the rest at the end is a row of its own.
impl<D: DeviceElements, O: RowsKernel<D::Element>> Parts<O> for Chunks<D> {
    type Element = D::Element;

    fn count(&self) -> Result<usize, Error> {
        if self.len == 0 {
            Err(Error::ChunkLength)
        } else {
            Ok(self.x.device_slice().len().div_ceil(self.len))
        }
    }

    fn enqueue(&self, work: Work<'_>, op: O, out: &DeviceResults<D::Element, O>) -> Result<(), Error> {
        let (x, len, cell) = (self.x.device_slice(), self.len, out.cell());
        let (rows, whole) = (x.len() / len, x.len() - x.len() % len);
        let (head, tail) = (x.slice(..whole)?, x.slice(whole..)?);
        let lens =
            Lens::Chunks { len: len as u64, last: if tail.is_empty() { len } else { tail.len() } as u64 };
        work.write(cell, if x.is_empty() { Lens::default() } else { lens }, || {
            let part = |first: usize, rows: usize| {
                cell.region().part(first as u64, rows as u64, size_of::<O::Acc>())
            };
            if rows > 0 {
                work.executor.enqueue_rows(
                    op,
                    work.cuda,
                    None,
                    head.input()?,
                    [rows, len, len],
                    part(0, rows)?,
                )?;
            }
            if !tail.is_empty() {
                work.executor.enqueue_rows(
                    op,
                    work.cuda,
                    None,
                    tail.input()?,
                    [1, tail.len(), tail.len()],
                    part(rows, 1)?,
                )?;
            }
            Ok(())
        })
    }

    fn kernels() -> Vec<Entry> {
        <Rows<D> as Parts<O>>::kernels()
    }
}
parts!([D: DeviceElements] D::Element, Chunks<D>);

/// Returns the kernels launched for segments.
pub(crate) fn entries<T: Element, O: RowsKernel<T>>() -> [Entry; 4] {
    [
        SEGMENTS_LIST.untyped(),
        O::ROWS.segments.untyped(),
        O::ROWS.short_segments.untyped(),
        O::ROWS.finish.untyped(),
    ]
}

impl Work<'_> {
    /// Enqueues a reduction of the segments of `input` between `offsets` to `out`, one result each. Earlier launches
    /// wrote the offsets as u64 that ascend within `input`.
    pub(crate) fn between<T: Element, O: RowsKernel<T>>(
        &self,
        op: O,
        input: Input<'_, T>,
        offsets: Region<'_>,
        out: &DeviceResults<T, O>,
    ) -> Result<(), Error> {
        let (executor, cell, of_offsets) = (self.executor, out.cell(), out.len() as u64 + 1);
        let room = SegmentsRoom::new::<T, O>(of_offsets, input.len());
        let memory = cell.room(executor, room.bytes())?;
        let given = Given::copied(&memory, room)?;
        let checked = Arc::new(Checked::new(memory, room, given, input.len()));
        self.write(cell, Lens::Between(checked.clone()), || {
            let offsets = Offsets::on_device(offsets, of_offsets);
            executor.enqueue_fold_segments(op, self.cuda, input, offsets, checked.work()?, cell.region())
        })
    }
}

impl Executor {
    /// Allocates the memory of launches over the segments between `offsets` into `len` elements.
    fn checked<T: Element, O: RowsKernel<T>, I: IndexType>(
        &self,
        len: u64,
        offsets: Input<'_, I>,
        cell: &Cell,
    ) -> Result<Arc<Checked>, Error> {
        let room = SegmentsRoom::new::<T, O>(offsets.len(), len);
        Ok(Arc::new(Checked::new(cell.room(self, room.bytes())?, room, Given::new(offsets), len)))
    }

    /// Enqueues the launches that fold the segments to `cell`.
    fn enqueue_segments<T: Element, O: RowsKernel<T>, I: IndexType>(
        &self,
        op: O,
        cuda: &Cuda,
        input: Input<'_, T>,
        offsets: Input<'_, I>,
        checked: &Checked,
        cell: &Cell,
    ) -> Result<(), Error> {
        self.enqueue_fold_segments(op, cuda, input, Offsets::new(offsets), checked.work()?, cell.region())
    }

    /// Enqueues the launches that fold segments to `out`.
    pub(crate) fn enqueue_fold_segments<T: Element, O: RowsKernel<T>>(
        &self,
        op: O,
        cuda: &Cuda,
        input: Input<'_, T>,
        offsets: Offsets<'_>,
        work: SegmentsWork<'_>,
        out: Region<'_>,
    ) -> Result<(), Error> {
        let queue = self.queue();
        queue.context().usable()?;
        queue.make_room()?;
        queue.fold_segments(op, (cuda.kernels(), cuda.multiprocessors()), input, offsets, work, out)
    }
}
