//! Rows of a matrix that is divided between rows: each row on its own, or columns over all ranks.

use gpu_kernels::{Element, Op};

use super::groups::{by_group, counts};
use crate::arrays::{AsElements, Gaps};
use crate::error::Error;
use crate::input::{Columns, Rows};
use crate::layout::len_of;
use crate::memory;
use crate::unfinished::Unfinished;
use crate::verb::{Backend, Reduce};
use crate::world::agree::call;
use crate::world::cut::Cut;
use crate::world::exchange::garbled;
use crate::world::fold::finish_each;
use crate::world::part::Matrix;
use crate::world::{Communicator, World, WorldElements};

/// Returns the number of rows of a part, if its shape fits its elements.
fn rows_of(shape: [usize; 2], given: usize) -> Result<u64, Error> {
    if len_of(&shape) == Some(given) {
        Ok(shape[0] as u64)
    } else {
        Err(Error::Shape { shape: shape.into(), given: given as u64 })
    }
}

impl<C: Communicator, X: AsElements + ?Sized, O: Op<X::Element>> Backend<Reduce<O, Rows<&X>>> for World<C> {
    type Results = Vec<O::Out>;

    fn run(&self, Reduce { op, input }: Reduce<O, Rows<&X>>) -> Result<Vec<O::Out>, Error> {
        let (shape, op) = (input.shape, Unfinished { op, first: 0 });
        let x = self.known(input.x.try_elements())?;
        let offsets = x.gaps().and_then(|gaps| gaps.map(|gaps| gaps.rows(shape)).transpose());
        let offsets = self.known(offsets)?;
        let given = x.array_len() as usize;
        reduce_rows::<X::Element, O, C>(self, given, shape, offsets.as_deref(), || match &offsets {
            None => self.cpu.rows(op, &x, shape),
            Some(offsets) => self.cpu.segments(op, &x, offsets),
        })
    }
}

/// Reduces each row of this rank's part, of `given` elements, by `fold`, and gathers the results of all ranks. If
/// elements are missing, `offsets` are the offsets of the rows among the present elements.
pub(crate) fn reduce_rows<T: Element, O: Op<T>, C: Communicator>(
    world: &World<C>,
    given: usize,
    shape: [usize; 2],
    offsets: Option<&[usize]>,
    fold: impl FnOnce() -> Result<Vec<O::Acc>, Error>,
) -> Result<Vec<O::Out>, Error> {
    let call = call::<T, O>("reduce", &format!("rows of {}", shape[1]));
    let missing = offsets.and_then(|offsets| offsets.last()).map_or(0, |present| given - present);
    let counts = [missing as u64, shape[1] as u64];
    let (cut, missing) = world.agree_on(&call, rows_of(shape, given), counts)?;
    world.together(|| {
        let all = world.gather::<O::Acc>(&fold()?, |rank| cut.len(rank))?;
        let accs = memory::joined(&all)?;
        if missing.total() == 0 {
            return finish_each::<T, O>(&accs, |_| shape[1] as u64);
        }
        let lens: Vec<u64> = match offsets {
            None => memory::filled(shape[1] as u64, shape[0])?,
            Some(offsets) => {
                let lens = offsets.windows(2).map(|ends| (ends[1] - ends[0]) as u64);
                memory::collected(lens)?
            }
        };
        let lens = world.gather::<u64>(&lens, |rank| cut.len(rank))?;
        for (rank, lens) in lens.iter().enumerate() {
            let gaps = |&len: &u64| (shape[1] as u64).checked_sub(len);
            let of_rank = lens.iter().try_fold(0_u64, |all, len| all.checked_add(gaps(len)?));
            if of_rank != Some(missing.len(rank) as u64) {
                return Err(garbled(rank));
            }
        }
        let lens = memory::joined(&lens)?;
        finish_each::<T, O>(&accs, |row| lens[row])
    })
}

impl<C: Communicator, X: WorldElements, O: Op<X::Element>> Backend<Reduce<O, Columns<X>>> for World<C> {
    type Results = Vec<O::Out>;

    fn run(&self, Reduce { op, input }: Reduce<O, Columns<X>>) -> Result<Vec<O::Out>, Error> {
        let (x, [rows, columns]) = (self.known(input.x.in_host_memory())?, input.shape);
        let call = call::<X::Element, O>("reduce", &format!("{columns} columns"));
        let gaps = self.known(x.gaps())?;
        let own = rows_of([rows, columns], gaps.as_ref().map_or(x.len(), Gaps::len));
        let (cut, missing) = self.agree_on(&call, own, [x.missing(), columns as u64])?;
        self.together(|| {
            if missing.total() == 0 {
                return self.fold_all(op, &Matrix { x: &x, rows, columns }, &cut);
            }
            let of_each = match &gaps {
                None => memory::collected((0..x.len()).map(|position| position % columns))?,
                Some(gaps) => gaps.columns([rows, columns])?,
            };
            let present =
                |rank| cut.len(rank).saturating_mul(columns).saturating_sub(missing.len(rank)) as u64;
            let present = Cut::new((0..self.size()).map(present));
            let present = present.ok_or(Error::TooManyResults { results: usize::MAX })?;
            let counts = counts(&of_each, columns)?;
            self.fold_groups_in_place(op, &by_group(&of_each, &x, &counts)?, &counts, &present)
        })
    }
}
