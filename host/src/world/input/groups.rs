//! Groups by id or by bin, whose elements may be on any ranks.

use bytemuck::CheckedBitPattern;
use gpu_kernels::{Element, Op};

use crate::arrays::{at_position, both};
use crate::bins::{BinNumber, Bins};
use crate::cpu::group_of;
use crate::error::Error;
use crate::index_type::IndexType;
use crate::input::{Binned, Groups};
use crate::memory;
use crate::verb::{Backend, Reduce};
use crate::world::agree::call;
use crate::world::histogram::edges;
use crate::world::{Communicator, World, WorldElements};

impl<C: Communicator, I, X, O> Backend<Reduce<O, Groups<I, X>>> for World<C>
where
    I: WorldElements<Element: IndexType>,
    X: WorldElements<Element: CheckedBitPattern>,
    O: Op<X::Element>,
{
    type Results = Vec<O::Out>;

    fn run(&self, Reduce { op, input }: Reduce<O, Groups<I, X>>) -> Result<Vec<O::Out>, Error> {
        let ids = self.known(input.ids.in_host_memory())?;
        let (x, count) = (self.known(input.x.in_host_memory())?, input.count);
        let (ids, x) = self.known(both(ids, x))?;
        let counts = counts(&ids, count).map_err(|error| at_position(error, &ids));
        self.groups_of(op, &format!("{count} groups"), &ids, &x, counts)
    }
}

impl<C, Y, X, O> Backend<Reduce<O, Binned<&Bins<Y::Element>, Y, X>>> for World<C>
where
    C: Communicator,
    Y: WorldElements<Element: BinNumber>,
    X: WorldElements<Element: CheckedBitPattern>,
    O: Op<X::Element>,
{
    type Results = Vec<O::Out>;

    fn run(
        &self,
        Reduce { op, input }: Reduce<O, Binned<&Bins<Y::Element>, Y, X>>,
    ) -> Result<Vec<O::Out>, Error> {
        let bins = input.bins;
        let edges = self.known(edges(bins))?;
        let keys = self.known(input.keys.in_host_memory())?;
        let x = self.known(input.x.in_host_memory())?;
        let (keys, x) = self.known(both(keys, x))?;
        let (places, count) = self.known(self.cpu.places(bins, &keys))?;
        let counts = counts(&places, count);
        let mut outs =
            self.groups_of(op, &format!("{} bins ({edges:x})", bins.len()), &places, &x, counts)?;
        // The last groups are outside the bins.
        outs.truncate(bins.len());
        Ok(outs)
    }
}

impl<C: Communicator> World<C> {
    /// Reduces the groups of all ranks, whose elements on this rank are counted. `what` describes them, alike on every rank.
    fn groups_of<I: IndexType, T: CheckedBitPattern + Element, O: Op<T>>(
        &self,
        op: O,
        what: &str,
        ids: &[I],
        x: &[T],
        counts: Result<Vec<u64>, Error>,
    ) -> Result<Vec<O::Out>, Error> {
        let call = call::<T, O>("reduce", what);
        let cut = self.agree(&call, counts.as_ref().map(|_| x.len() as u64).map_err(Error::clone))?;
        let counts = counts?;
        self.together(|| self.fold_groups(op, &by_group(ids, x, &counts)?, &counts, &cut))
    }
}

/// Returns the elements sorted by group, in their order within each group.
pub(super) fn by_group<I: IndexType, T: Copy>(ids: &[I], x: &[T], counts: &[u64]) -> Result<Vec<T>, Error> {
    let mut next: Vec<usize> = memory::with_room(counts.len())?;
    next.extend(counts.iter().scan(0, |before, &count| {
        let start = *before;
        *before += count as usize;
        Some(start)
    }));
    let mut sorted = memory::copied(x)?;
    for (id, &x) in ids.iter().zip(x) {
        // `counts` checked that each id is in range.
        let at = &mut next[id.index().unwrap_or(0)];
        sorted[*at] = x;
        *at += 1;
    }
    Ok(sorted)
}

/// Counts the elements of each group on this rank.
pub(super) fn counts<I: IndexType>(ids: &[I], groups: usize) -> Result<Vec<u64>, Error> {
    let mut counts = memory::zeroed(groups)?;
    for (at, &id) in ids.iter().enumerate() {
        counts[group_of(id, groups, at)?] += 1;
    }
    Ok(counts)
}
