//! Inputs of reductions over all ranks.

pub(super) mod along;
mod groups;
pub(super) mod rows;
mod runs;
pub(super) mod segments;

use bytemuck::Pod;
use gpu_kernels::{Element, Op};

use super::agree::call;
use super::part::{Pairs, Part};
use super::{Communicator, World};
use crate::arrays::{AsElements, both};
use crate::error::Error;
use crate::input::Zip;
use crate::verb::{Backend, Reduce};

impl<C: Communicator, S: AsElements + ?Sized, O: Op<S::Element>> Backend<Reduce<O, &S>> for World<C> {
    type Results = O::Out;

    fn run(&self, Reduce { op, input }: Reduce<O, &S>) -> Result<O::Out, Error> {
        let x = self.known(input.try_elements())?;
        reduce_one(self, op, Ok(&x[..]), "an array")
    }
}

impl<C: Communicator, T, X, Y, O> Backend<Reduce<O, Zip<&X, &Y>>> for World<C>
where
    T: Element + Pod,
    X: AsElements<Element = T> + ?Sized,
    Y: AsElements<Element = T> + ?Sized,
    O: Op<[T; 2]>,
{
    type Results = O::Out;

    fn run(&self, Reduce { op, input }: Reduce<O, Zip<&X, &Y>>) -> Result<O::Out, Error> {
        let pairs = input.x.try_elements().and_then(|x| both(x, input.y.try_elements()?));
        let part = pairs.as_ref().map(|(x, y)| Pairs(x, y)).map_err(Error::clone);
        reduce_one(self, op, part, "pairs")
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
