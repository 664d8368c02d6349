//! Segments and chunks of an array that may be divided anywhere.

use gpu_kernels::{Element, Op};

use crate::arrays::{AsElements, Gaps};
use crate::error::Error;
use crate::index_type::{IndexType, longest_segment};
use crate::input::{Chunks, Segments};
use crate::verb::{Backend, Reduce};
use crate::world::agree::{call, digest, values};
use crate::world::part::Sequence;
use crate::world::segments::ChunkEnds;
use crate::world::{Communicator, World};

impl<C: Communicator, X, I, O> Backend<Reduce<O, Segments<&X, &I>>> for World<C>
where
    X: AsElements + ?Sized,
    I: AsElements<Element: IndexType> + ?Sized,
    O: Op<X::Element>,
{
    type Results = Vec<O::Out>;

    fn run(&self, Reduce { op, input }: Reduce<O, Segments<&X, &I>>) -> Result<Vec<O::Out>, Error> {
        let x = self.known(input.x.try_elements())?;
        let offsets = self.known(input.offsets.try_elements())?;
        let gaps = self.known(x.gaps())?;
        reduce_segments(self, op, (&&x[..], gaps.as_ref()), self.known(offsets.as_offsets())?)
    }
}

impl<C: Communicator, X: AsElements + ?Sized, O: Op<X::Element>> Backend<Reduce<O, Chunks<&X>>> for World<C> {
    type Results = Vec<O::Out>;

    fn run(&self, Reduce { op, input }: Reduce<O, Chunks<&X>>) -> Result<Vec<O::Out>, Error> {
        let x = self.known(input.x.try_elements())?;
        let gaps = self.known(x.gaps())?;
        reduce_chunks(self, op, (&&x[..], gaps.as_ref()), input.len)
    }
}

/// Reduces the segments between offsets of the whole, which count missing elements. `gaps` are the gaps of `x`.
pub(crate) fn reduce_segments<T: Element, O: Op<T>, I: IndexType, C: Communicator>(
    world: &World<C>,
    op: O,
    (x, gaps): (&impl Sequence<T, O>, Option<&Gaps<'_>>),
    offsets: &[I],
) -> Result<Vec<O::Out>, Error> {
    let values = world.known(values(offsets))?;
    let input = format!("segments by {} offsets with the digest {:x}", values.len(), digest(&values));
    let len = gaps.map_or(x.rows(), Gaps::len);
    let missing = (len - x.rows()) as u64;
    let places = world.agree_on_places(&call::<T, O>("reduce", &input), Ok(len as u64), missing)?;
    // All ranks have the same offsets, and so the same error.
    longest_segment(offsets, usize::try_from(places.positions.total()).unwrap_or(usize::MAX))?;
    world.together(|| world.fold_places(op, (x, gaps), &values[..], &places))
}

/// Reduces chunks of `len` elements of the whole, missing ones counted. `gaps` are the gaps of `x`.
pub(crate) fn reduce_chunks<T: Element, O: Op<T>, C: Communicator>(
    world: &World<C>,
    op: O,
    (x, gaps): (&impl Sequence<T, O>, Option<&Gaps<'_>>),
    len: usize,
) -> Result<Vec<O::Out>, Error> {
    let call = call::<T, O>("reduce", &format!("chunks of {len}"));
    let of_array = gaps.map_or(x.rows(), Gaps::len);
    let missing = (of_array - x.rows()) as u64;
    let own = if len == 0 { Err(Error::ChunkLength) } else { Ok(of_array as u64) };
    let places = world.agree_on_places(&call, own, missing)?;
    let ends = ChunkEnds { len: len as u64, total: places.positions.total() };
    world.together(|| world.fold_places(op, (x, gaps), &ends, &places))
}
