//! Arrays that ranks fold element by element, in the memory that they lie in.

use bytemuck::CheckedBitPattern;
use gpu_kernels::{Element, Op};

use super::{Communicator, World, WorldInPlace};
use crate::{AsElements, Error};

/// An array of a rank that [`World::all_reduce`] folds with operator `O`: one in host memory with any operator, one on a
/// device with an operator that has kernels for its columns.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no array that the ranks of a World fold with `{O}`",
    label = "neither `&mut x` in host memory nor an array on a device, or no results of the elements' type",
    note = "on a device an operator needs kernels for columns: fold `&mut x` in host memory with any other",
    note = "operators with results of another type, such as `Max`: `World::reduce_scatter`"
)]
pub trait WorldAllReduce<O>: WorldInPlace {
    /// Folds in the world.
    #[doc(hidden)]
    fn all_reduce_in<C: Communicator>(self, world: &World<C>, op: O) -> Result<Self::Replaced, Error>;
}

/// An array of a rank that [`World::reduce_scatter`] folds with operator `O`: one in host memory with any operator, one on
/// a device with an operator that has kernels for its columns.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no array that the ranks of a World fold with `{O}`",
    label = "neither `&x` in host memory nor an array on a device",
    note = "on a device an operator needs kernels for columns: fold `&x` in host memory with any other"
)]
pub trait WorldReduceScatter<O> {
    /// A rank's share of the results.
    type Shares;

    /// Folds in the world.
    #[doc(hidden)]
    fn reduce_scatter_in<C: Communicator>(self, world: &World<C>, op: O) -> Result<Self::Shares, Error>;
}

/// Types in host memory whose elements can be replaced.
macro_rules! places {
    ($(<$element:ident $(, $len:ident)?> $elements:ty;)*) => { $(
        impl<O, $element: Element + CheckedBitPattern $(, const $len: usize)?> WorldAllReduce<O> for &mut $elements
        where
            O: Op<$element, Out = $element>,
        {
            fn all_reduce_in<C: Communicator>(self, world: &World<C>, op: O) -> Result<(), Error> {
                world.all_reduce_on_host(op, self)
            }
        }
    )* };
}
places! {
    <T> [T];
    <T> Vec<T>;
    <T, N> [T; N];
}

impl<S, O> WorldReduceScatter<O> for &S
where
    S: AsElements<Element: CheckedBitPattern> + ?Sized,
    O: Op<S::Element>,
{
    type Shares = Vec<O::Out>;

    fn reduce_scatter_in<C: Communicator>(self, world: &World<C>, op: O) -> Result<Vec<O::Out>, Error> {
        world.reduce_scatter_on_host(op, self)
    }
}
