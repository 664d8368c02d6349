//! Rows of a matrix that is divided between rows: each row on its own, or columns over all ranks.

use gpu_kernels::{Element, Op};

use super::WorldInput;
use crate::layout::len_of;
use crate::world::agree::call;
use crate::world::fold::finish_each;
use crate::world::part::Matrix;
use crate::world::unfinished::Unfinished;
use crate::world::{Communicator, World, WorldElements};
use crate::{AsElements, Columns, Error, Rows};

/// Returns the number of rows of a part, if its shape fits its elements.
fn rows_of(shape: [usize; 2], given: usize) -> Result<u64, Error> {
    if len_of(&shape) == Some(given) {
        Ok(shape[0] as u64)
    } else {
        Err(Error::Shape { shape: shape.into(), given: given as u64 })
    }
}

impl<X: AsElements + ?Sized, O: Op<X::Element>> WorldInput<O> for Rows<&X> {
    type Results = Vec<O::Out>;

    fn reduce_in_world<C: Communicator>(self, world: &World<C>, op: O) -> Result<Vec<O::Out>, Error> {
        let (x, shape) = (self.x.elements(), self.shape);
        reduce_rows::<X::Element, O, C>(world, x.len(), shape, || {
            world.cpu.rows(Unfinished { op, first: 0 }, &x, shape)
        })
    }
}

/// Reduces each row of this rank's part, of `given` elements, by `fold`, and gathers the results of all ranks.
pub(crate) fn reduce_rows<T: Element, O: Op<T>, C: Communicator>(
    world: &World<C>,
    given: usize,
    shape: [usize; 2],
    fold: impl FnOnce() -> Result<Vec<O::Acc>, Error>,
) -> Result<Vec<O::Out>, Error> {
    let call = call::<T, O>("reduce", &format!("rows of {}", shape[1]));
    world.agree(&call, rows_of(shape, given))?;
    world.together(|| {
        let all = world.gather_accs::<O::Acc>(&fold()?)?.concat();
        finish_each::<T, O>(&all, |_| shape[1] as u64)
    })
}

impl<X: WorldElements, O: Op<X::Element>> WorldInput<O> for Columns<X> {
    type Results = Vec<O::Out>;

    fn reduce_in_world<C: Communicator>(self, world: &World<C>, op: O) -> Result<Vec<O::Out>, Error> {
        let (x, [rows, columns]) = (world.known(self.x.in_host_memory())?, self.shape);
        let call = call::<X::Element, O>("reduce", &format!("{columns} columns"));
        let cut = world.agree(&call, rows_of([rows, columns], x.len()))?;
        world.together(|| world.fold_all(op, &Matrix { x: &x, rows, columns }, &cut))
    }
}
