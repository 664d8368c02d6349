//! Scans along axes of a view: lines that are apart are copied together, scanned as rows, and their outputs copied to their places.

use std::sync::Arc;

use gpu_kernels::pack::axes::{Axis, merged};
use gpu_kernels::{Element, StoredOf};

use super::equal::Parts;
use crate::cuda::array::lens::{Lens, Offered};
use crate::cuda::executor::Executor;
use crate::cuda::launch::{Input, Memory, Region, Room};
use crate::cuda::{Cuda, DeviceArray, DeviceSlice, DeviceValues, Stream};
use crate::error::{Error, check_results};
use crate::input::Along;
use crate::kernel::ScanKernel;
use crate::layout::MOST_DIMENSIONS;
use crate::verb::{Backend, Scan, WriteTo};
use crate::view::View;

/// The lines of a view, and the layout of the memory for their scan.
struct Lines {
    parts: Parts,
    /// The axes of the elements, line after line, and memory for a copy, unless they are so already.
    elements: Vec<Axis>,
    copied: Option<Room>,
    /// The axes of the outputs in their order, in memory where they are line after line, and that memory, unless it is the result's.
    outputs: Vec<Axis>,
    apart: Option<Room>,
    bytes: usize,
}

impl Lines {
    /// Lays out the memory. There is at least one element.
    #[expect(clippy::disallowed_methods, reason = "at most 8 axes")]
    fn new<T: Element, O: ScanKernel<T>>(
        view: &View<DeviceSlice<'_, T>>,
        axes: &[usize],
    ) -> Result<Self, Error> {
        let (n, from) = (view.len(), view.parted(axes)?);
        let elements = merged([from.kept, from.reduced].concat());
        let mut strides = [0_isize; MOST_DIMENSIONS];
        let mut stride = 1_usize;
        for is_scanned in [true, false] {
            for (axis, &length) in view.shape().iter().enumerate().rev() {
                if axes.contains(&axis) == is_scanned {
                    strides[axis] = stride.cast_signed();
                    stride = stride.wrapping_mul(length);
                }
            }
        }
        let outputs = merged(view.shape().iter().copied().zip(strides));
        let parts = Parts::new::<T, O>(n, [from.count, from.len]);
        let mut rooms = parts.rooms;
        let mut unless_in_order =
            |axes: &[Axis], bytes| (!matches!(axes, [] | [(_, 1)])).then(|| rooms.add(n as u64, bytes));
        let copied = unless_in_order(&elements, size_of::<T>());
        let apart = unless_in_order(&outputs, size_of::<StoredOf<T, O>>());
        Ok(Self { parts, elements, copied, outputs, apart, bytes: rooms.bytes() })
    }
}

impl Executor {
    /// Enqueues the launches that scan the lines of a view to `out`. `memory` is as `lines` lays it out, and offered.
    fn enqueue_scan_lines<T: Element, O: ScanKernel<T>>(
        &self,
        op: O,
        cuda: &Cuda,
        scan: crate::scan::Scan<O::Acc>,
        (view, lines): (&View<DeviceSlice<'_, T>>, &Lines),
        (memory, offered): (&Arc<Memory>, &Offered),
        out: Region<'_>,
    ) -> Result<(), Error> {
        let (x, n, first) = (view.slice(), view.len(), view.offset());
        let whole = memory.whole();
        let of_x = match lines.copied {
            None => x.slice(first..first + n)?.input()?.region(),
            Some(copied) => {
                let copied = copied.of(whole)?;
                let from = (x.input()?, first);
                self.enqueue_pack(cuda.kernels(), cuda.multiprocessors(), from, &lines.elements, copied)?;
                copied
            }
        };
        let to = lines.apart.map_or(Ok(out), |apart| apart.of(whole))?;
        self.enqueue_scan_parts::<T, O>(op, cuda, scan, (of_x, &lines.parts), (offered, to))?;
        let Some(apart) = lines.apart else { return Ok(()) };
        let from = Input::<StoredOf<T, O>>::new(memory, apart.first() / size_of::<StoredOf<T, O>>(), n)?;
        self.enqueue_pack(cuda.kernels(), cuda.multiprocessors(), (from, 0), &lines.outputs, out)
    }
}

impl<T, O, A> Backend<Scan<O, Along<'_, View<DeviceSlice<'_, T>>>, A>> for Cuda
where
    T: Element,
    O: ScanKernel<T, Acc = A>,
{
    type Results = DeviceArray<StoredOf<T, O>>;

    fn run(
        &self,
        Scan { op, input, scan }: Scan<O, Along<'_, View<DeviceSlice<'_, T>>>, A>,
    ) -> Result<Self::Results, Error> {
        let (view, n) = (&input.view, input.view.len());
        view.check(input.axes)?;
        scan.check_first::<T, O>()?;
        self.lease(|executor| {
            let out = executor.allocate(n, size_of::<StoredOf<T, O>>())?;
            if n > 0 {
                let lines = Lines::new::<T, O>(view, input.axes)?;
                let memory = executor.room(lines.bytes)?;
                let offered = lines.parts.offered(memory.clone())?;
                executor.then_wait(|executor| {
                    let (view, memory) = ((view, &lines), (&memory, &offered));
                    executor.enqueue_scan_lines::<T, O>(op, self, scan, view, memory, out.whole())
                })?;
            }
            Ok(DeviceArray::of(self, out, n))
        })
    }
}

impl<T, O, A>
    Backend<WriteTo<Scan<O, Along<'_, View<DeviceSlice<'_, T>>>, A>, &mut DeviceValues<StoredOf<T, O>>>>
    for Stream
where
    T: Element,
    O: ScanKernel<T, Acc = A>,
{
    type Results = ();

    fn run(
        &self,
        WriteTo { request, out }: WriteTo<
            Scan<O, Along<'_, View<DeviceSlice<'_, T>>>, A>,
            &mut DeviceValues<StoredOf<T, O>>,
        >,
    ) -> Result<(), Error> {
        let Scan { op, input, scan } = request;
        // Checked before any lock is taken, because a forked child could wait for the lock for ever.
        self.cuda().context().usable()?;
        let (view, n) = (&input.view, input.view.len());
        view.check(input.axes)?;
        check_results(n, out.len())?;
        scan.check_first::<T, O>()?;
        if n == 0 {
            return Ok(());
        }
        let (lines, to) = (Lines::new::<T, O>(view, input.axes)?, out.cell());
        let memory = to.room(self.executor(), lines.bytes)?;
        let offered = Arc::new(lines.parts.offered(memory.clone())?);
        self.write(to, Lens::Scanned(offered.clone()), || {
            let (view, memory) = ((view, &lines), (&memory, &*offered));
            self.executor().enqueue_scan_lines::<T, O>(op, self.cuda(), scan, view, memory, to.region())
        })
    }
}
