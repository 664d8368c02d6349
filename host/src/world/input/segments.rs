//! Segments and chunks of an array that may be divided anywhere.

use gpu_kernels::{Element, Op};

use super::WorldInput;
use crate::index_type::longest_segment;
use crate::world::agree::{call, digest, values};
use crate::world::part::Sequence;
use crate::world::{Communicator, World};
use crate::{AsElements, Chunks, Error, IndexType, Segments};

impl<X, I, O> WorldInput<O> for Segments<&X, &I>
where
    X: AsElements + ?Sized,
    I: AsElements<Element: IndexType> + ?Sized,
    O: Op<X::Element>,
{
    type Results = Vec<O::Out>;

    fn reduce_in_world<C: Communicator>(self, world: &World<C>, op: O) -> Result<Vec<O::Out>, Error> {
        reduce_segments(world, op, &&self.x.elements()[..], &self.offsets.elements())
    }
}

impl<X: AsElements + ?Sized, O: Op<X::Element>> WorldInput<O> for Chunks<&X> {
    type Results = Vec<O::Out>;

    fn reduce_in_world<C: Communicator>(self, world: &World<C>, op: O) -> Result<Vec<O::Out>, Error> {
        reduce_chunks(world, op, &&self.x.elements()[..], self.len)
    }
}

/// Reduces the segments between offsets of the whole.
pub(crate) fn reduce_segments<T: Element, O: Op<T>, I: IndexType, C: Communicator>(
    world: &World<C>,
    op: O,
    x: &impl Sequence<T, O>,
    offsets: &[I],
) -> Result<Vec<O::Out>, Error> {
    let values = values(offsets);
    let input = format!("segments by {} offsets with the digest {:x}", values.len(), digest(&values));
    let cut = world.agree(&call::<T, O>("reduce", &input), Ok(x.rows() as u64))?;
    // All ranks have the same offsets, and so the same error.
    longest_segment(offsets, usize::try_from(cut.total()).unwrap_or(usize::MAX))?;
    world.together(|| world.fold_segments(op, x, &values, &cut))
}

/// Reduces chunks of `len` elements of the whole.
pub(crate) fn reduce_chunks<T: Element, O: Op<T>, C: Communicator>(
    world: &World<C>,
    op: O,
    x: &impl Sequence<T, O>,
    len: usize,
) -> Result<Vec<O::Out>, Error> {
    let call = call::<T, O>("reduce", &format!("chunks of {len}"));
    let own = if len == 0 { Err(Error::ChunkLength) } else { Ok(x.rows() as u64) };
    let cut = world.agree(&call, own)?;
    let n = cut.total();
    let starts = (0..n).step_by(len);
    let offsets: Vec<u64> = if n == 0 { Vec::new() } else { starts.chain([n]).collect() };
    world.together(|| world.fold_segments(op, x, &offsets, &cut))
}
