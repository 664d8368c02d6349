//! Inputs of reductions over all ranks.

mod along;
mod groups;
mod rows;
mod runs;
mod segments;

use bytemuck::Pod;
use gpu_kernels::{Element, Op};

#[cfg(feature = "cuda")]
pub(crate) use self::along::reduce_inner_axes;
#[cfg(feature = "cuda")]
pub(crate) use self::rows::reduce_rows;
#[cfg(feature = "cuda")]
pub(crate) use self::segments::{reduce_chunks, reduce_segments};
use super::agree::call;
use super::part::{Pairs, Part};
use super::{Communicator, World};
use crate::arrays::both;
use crate::{AsElements, Error, Zip};

/// An input that operator `O` can reduce over all ranks of a [`World`]: this rank's part of an array, and how the whole
/// is divided. Results are those of the concatenated parts, and every rank gets them.
///
/// | input | the parts of all ranks are |
/// |---|---|
/// | `&x` | pieces of one array |
/// | [`zip(&x, &y)`](crate::zip()) | pieces of two, cut alike |
/// | [`rows(&x, [r, c])`](crate::rows()) | some rows of a matrix each |
/// | [`columns(&x, [r, c])`](crate::columns()) | some rows of a matrix each, whose columns are reduced over all ranks |
/// | [`along(view, &axes)`](crate::along()) | pieces of an array of several dimensions, cut along axis 0 |
/// | [`chunks(&x, len)`](crate::chunks()) | pieces of one array, cut anywhere |
/// | [`segments(&x, &offsets)`](crate::segments()) | pieces of one array, cut anywhere; see below |
/// | [`runs(&keys, &x)`](crate::runs()) | pieces of two arrays, cut alike and anywhere |
/// | [`groups(&ids, &x, count)`](crate::groups()) | pieces of two arrays, cut alike and anywhere |
///
/// All ranks pass the same offsets of segments, which count from the start of the whole. Axis 0 may be reduced or not.
/// [Missing](crate::Elements) elements of a part, such as nulls of Arrow, count in positions as in [`Input`](crate::Input); an
/// index in a result counts the other elements of all ranks.
///
/// With the feature `cuda`, the part may be in device memory: a `&DeviceArray` or a `DeviceSlice`, two of one kind in
/// [`zip`](crate::zip()), a `DeviceView` in [`along`](crate::along()), and arrays in the others; offsets of segments are
/// in host memory. Results come to the host. The device folds the part, for which `O` needs kernels. Exceptions are
/// columns, axis 0, runs and groups: their elements come to the host, which folds them. Some ranks may have their parts
/// in device memory, and others in host memory.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is nothing that `{O}` can reduce over the ranks of a World",
    label = "not an input of `{O}` over ranks",
    note = "this rank's part of an array is passed as `&x`; `WorldInput` lists the others"
)]
pub trait WorldInput<O>: Sized {
    /// The result, or the results of all parts.
    type Results;

    /// Reduces over all ranks. [`World::reduce`] calls it.
    #[doc(hidden)]
    fn reduce_in_world<C: Communicator>(self, world: &World<C>, op: O) -> Result<Self::Results, Error>;
}

impl<S: AsElements + ?Sized, O: Op<S::Element>> WorldInput<O> for &S {
    type Results = O::Out;

    fn reduce_in_world<C: Communicator>(self, world: &World<C>, op: O) -> Result<O::Out, Error> {
        let x = world.known(self.try_elements())?;
        reduce_one(world, op, Ok(&x[..]), "an array")
    }
}

impl<T, X, Y, O> WorldInput<O> for Zip<&X, &Y>
where
    T: Element + Pod,
    X: AsElements<Element = T> + ?Sized,
    Y: AsElements<Element = T> + ?Sized,
    O: Op<[T; 2]>,
{
    type Results = O::Out;

    fn reduce_in_world<C: Communicator>(self, world: &World<C>, op: O) -> Result<O::Out, Error> {
        let pairs = self.x.try_elements().and_then(|x| both(x, self.y.try_elements()?));
        let part = pairs.as_ref().map(|(x, y)| Pairs(x, y)).map_err(Error::clone);
        reduce_one(world, op, part, "pairs")
    }
}

/// Reduces one sequence to one result.
pub(crate) fn reduce_one<T: Element, O: Op<T>, P: Part<T, O>, C: Communicator>(
    world: &World<C>,
    op: O,
    part: Result<P, Error>,
    input: &str,
) -> Result<O::Out, Error> {
    let len = part.as_ref().map(|part| part.rows() as u64).map_err(Error::clone);
    let cut = world.agree(&call::<T, O>("reduce", input), len)?;
    let part = part?;
    let mut outs = world.together(|| world.fold_all(op, &part, &cut))?;
    outs.pop().ok_or(Error::NoElements)
}
