//! Axes of an array that is cut along axis 0.

use bytemuck::{CheckedBitPattern, NoUninit};

use super::parts::accs;
use crate::cuda::DeviceView;
use crate::error::Error;
use crate::world::reduce_inner_axes;
use crate::{Along, Communicator, Element, RowsKernel, View, World, WorldInput, along};

impl<T, O> WorldInput<O> for Along<'_, DeviceView<'_, T>>
where
    T: Element + CheckedBitPattern<Bits: NoUninit>,
    O: RowsKernel<T>,
{
    type Results = Vec<O::Out>;

    fn reduce_in_world<C: Communicator>(self, world: &World<C>, op: O) -> Result<Vec<O::Out>, Error> {
        let view = &self.view;
        if !self.axes.contains(&0) {
            let (results, cuda) = (view.reduced_shape(self.axes, false), view.slice().cuda());
            return reduce_inner_axes::<T, O, C>(world, self.axes, view.shape(), results, || {
                accs(&self, cuda, op)
            });
        }
        let (x, first) = world.known(elements(view))?;
        let view = world.known(View::strided(&x, first, view.shape(), view.strides()))?;
        along(view, self.axes).reduce_in_world(world, op)
    }
}

/// Copies the elements from the view's first to its last in memory to the host. Returns them, and the position of the
/// view's first element among them.
fn elements<T>(view: &DeviceView<'_, T>) -> Result<(Vec<T>, usize), Error>
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
