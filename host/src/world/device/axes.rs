//! Axes of an array that is cut along axis 0.

use bytemuck::{CheckedBitPattern, NoUninit};

use super::parts::accs;
use gpu_kernels::Element;

use crate::cuda::DeviceSlice;
use crate::error::Error;
use crate::input::{Along, along};
use crate::kernel::RowsKernel;
use crate::verb::{Backend, Reduce};
use crate::view::View;
use crate::world::input::along::reduce_inner_axes;
use crate::world::{Communicator, World};

impl<C: Communicator, T, O> Backend<Reduce<O, Along<'_, View<DeviceSlice<'_, T>>>>> for World<C>
where
    T: Element + CheckedBitPattern<Bits: NoUninit>,
    O: RowsKernel<T>,
{
    type Results = Vec<O::Out>;

    fn run(
        &self,
        Reduce { op, input }: Reduce<O, Along<'_, View<DeviceSlice<'_, T>>>>,
    ) -> Result<Vec<O::Out>, Error> {
        let view = &input.view;
        if !input.axes.contains(&0) {
            let (results, cuda) = (view.reduced_shape(input.axes, false), view.slice().cuda());
            return reduce_inner_axes::<T, O, C>(self, input.axes, view.shape(), results, || {
                accs(&input, cuda, op)
            });
        }
        let (x, first) = self.known(elements(view))?;
        let view = self.known(View::strided(&x, first, view.shape(), view.strides()))?;
        self.run(Reduce { op, input: along(view, input.axes) })
    }
}

/// Copies the elements from the view's first to its last in memory to the host. Returns them, and the position of the
/// view's first element among them.
fn elements<T>(view: &View<DeviceSlice<'_, T>>) -> Result<(Vec<T>, usize), Error>
where
    T: Element + CheckedBitPattern<Bits: NoUninit>,
{
    if view.is_empty() {
        return Ok((Vec::new(), 0));
    }
    let [mut before, mut after] = [0_usize; 2];
    for (&length, &stride) in view.shape().iter().zip(view.strides()) {
        let extent = (length - 1) * stride.unsigned_abs();
        if stride < 0 {
            before += extent;
        } else {
            after += extent;
        }
    }
    let first = view.offset() - before;
    Ok((view.slice().slice(first..=view.offset() + after)?.to_vec()?, before))
}
