//! Reductions of windows: rows of a view that overlap.

use crate::cuda::DeviceSlice;
use crate::cuda::array::results::DeviceResults;
use crate::cuda::input::{DeviceElements, Parts, Work, parts};
use crate::error::Error;
use crate::input::{Along, Windows, along};
use crate::kernel::RowsKernel;
use crate::kernel::entry::Entry;
use crate::view::View;

/// Windows of more than 64 GiB in all take several launches. After an error between two of them some results are overwritten.
impl<D: DeviceElements, O: RowsKernel<D::Element>> Parts<O> for Windows<D> {
    type Element = D::Element;

    fn count(&self) -> Result<usize, Error> {
        self.count(self.x.device_slice().len())
    }

    fn enqueue(&self, work: Work<'_>, op: O, out: &DeviceResults<D::Element, O>) -> Result<(), Error> {
        let x = self.x.device_slice();
        let shape = [self.count(x.len())?, self.len];
        // One window needs no step, which may be any number.
        let step = if shape[0] < 2 { 0 } else { self.step.cast_signed() };
        let view = View::strided(x, 0, &shape, &[step, 1])?;
        along(view, &[1]).enqueue(work, op, out)
    }

    fn kernels() -> Vec<Entry> {
        <Along<'_, View<DeviceSlice<'_, D::Element>>> as Parts<O>>::kernels()
    }
}
parts!([D: DeviceElements] D::Element, Windows<D>);
