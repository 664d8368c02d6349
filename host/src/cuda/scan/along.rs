//! Scans along axes of a view: lines that are apart are copied together, scanned as rows, and their outputs copied to their places.

use std::sync::Arc;

use gpu_kernels::pack::axes::{Axis, merged};
use gpu_kernels::{Element, StoredOf};

use super::equal::Parts;
use crate::cuda::launch::{Input, Memory};
use crate::cuda::{Cuda, DeviceArray, DeviceSlice};
use crate::error::Error;
use crate::input::Along;
use crate::kernel::ScanKernel;
use crate::layout::MOST_DIMENSIONS;
use crate::verb::{Backend, Scan};
use crate::view::View;

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
        let from = view.parted(input.axes)?;
        scan.check_first::<T, O>()?;
        self.lease(|executor| {
            let out = executor.allocate(n, size_of::<StoredOf<T, O>>())?;
            if n == 0 {
                return Ok(DeviceArray::of(self, out, n));
            }
            let parts = Parts::new::<T, O>(n, [from.count, from.len]);
            let offered = parts.offered(executor.room(parts.bytes)?)?;
            let (lines, places) = (line_after_line(&from.kept, &from.reduced), outputs(view, input.axes));
            let x = view.slice();
            executor.then_wait(|executor| {
                let (copied, of_x);
                if let [] | [(_, 1)] = lines[..] {
                    of_x = x.slice(view.offset()..view.offset() + n)?.input()?.region();
                } else {
                    copied = executor.allocate(n, size_of::<T>())?;
                    let from = (x.input()?, view.offset());
                    executor.enqueue_pack(
                        self.kernels(),
                        self.multiprocessors(),
                        from,
                        &lines,
                        copied.whole(),
                    )?;
                    of_x = copied.whole();
                }
                let scanned = |to: &Arc<Memory>| {
                    executor.enqueue_scan_parts::<T, O>(
                        op,
                        self,
                        scan,
                        (of_x, &parts),
                        (&offered, to.whole()),
                    )
                };
                if let [] | [(_, 1)] = places[..] {
                    return scanned(&out);
                }
                let apart = executor.allocate(n, size_of::<StoredOf<T, O>>())?;
                scanned(&apart)?;
                let from = (Input::<StoredOf<T, O>>::new(&apart, 0, n)?, 0);
                executor.enqueue_pack(self.kernels(), self.multiprocessors(), from, &places, out.whole())
            })?;
            Ok(DeviceArray::of(self, out, n))
        })
    }
}

/// Returns the axes of a view whose last ones are the scanned ones.
#[expect(clippy::disallowed_methods, reason = "at most 8 axes")]
fn line_after_line(kept: &[Axis], scanned: &[Axis]) -> Vec<Axis> {
    merged([kept, scanned].concat())
}

/// Returns the axes of the outputs in their order, in memory where one line follows the other.
fn outputs<S>(view: &View<S>, axes: &[usize]) -> Vec<Axis> {
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
    merged(view.shape().iter().copied().zip(strides))
}
