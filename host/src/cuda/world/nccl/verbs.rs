//! `all_reduce` and `reduce_scatter` of arrays on devices.

use std::marker::PhantomData;
use std::sync::Arc;

use bytemuck::{CheckedBitPattern, NoUninit};
use gpu_kernels::tree;

use crate::cuda::array::lens::Lens;
use crate::cuda::executor::Executor;
use crate::cuda::launch::{Input, Memory, Region};
use crate::cuda::world::nccl::Channel;
use crate::cuda::world::nccl::parts::Shares;
use crate::cuda::world::nccl::pieces::{Fold, scratch_bytes};
use crate::cuda::{Cuda, DeviceArray, DeviceSlice, DeviceValues};
use crate::error::Error;
use crate::world::{WorldAllReduce, WorldReduceScatter};
use crate::{Accumulator, Communicator, Element, Op, RowsKernel, StoredOf, World};

/// What ranks do with the elements of their arrays.
#[derive(Clone, Debug)]
pub(super) struct Across {
    /// None if arrays are small, and every rank folds all elements.
    shares: Option<Shares>,
    is_gathered: bool,
    accs: usize,
    scratch_bytes: usize,
}

impl Across {
    /// Every rank gets all results.
    pub(super) fn all<T: Element, O: RowsKernel<T>>(len: usize, channel: &Channel) -> Self {
        let (ranks, sizes) = (channel.communicator.size(), &channel.sizes);
        if sizes.is_small(len.saturating_mul(size_of::<T>()), ranks) {
            let (accs, scratch_bytes) = scratch_bytes::<T, O>(ranks, len, 1);
            return Self { shares: None, is_gathered: true, accs, scratch_bytes };
        }
        Self::of::<T, O>(Shares::aligned(len, size_of::<T>(), ranks, sizes), ranks, true)
    }

    /// Every rank gets the results of its share.
    pub(super) fn shares<T: Element, O: RowsKernel<T>>(len: usize, channel: &Channel) -> Self {
        let (ranks, sizes) = (channel.communicator.size(), &channel.sizes);
        let at = |rank: usize| (len as u128 * rank as u128 / ranks.max(1) as u128) as usize;
        Self::of::<T, O>(Shares::at((0..=ranks).map(at).collect(), size_of::<T>(), sizes), ranks, false)
    }

    fn of<T: Element, O: RowsKernel<T>>(shares: Shares, ranks: usize, is_gathered: bool) -> Self {
        let (accs, scratch_bytes) = scratch_bytes::<T, O>(ranks, shares.step(), shares.pieces().min(2));
        Self { shares: Some(shares), is_gathered, accs, scratch_bytes }
    }
}

impl Channel {
    /// Returns whether kernels fold the rows of so many ranks as `World::all_reduce` defines: in pairs of neighbours. The
    /// tree's lanes do so, if there is one for each rank; those of an operator that does not commute fold four ranks in a
    /// row.
    pub(super) fn folds<T: Element, O: RowsKernel<T>>(&self) -> bool {
        let ranks = self.communicator.size();
        O::ASSOCIATIVE || ranks <= 2 || O::COMMUTATIVE && ranks <= tree::lanes::<T>()
    }

    /// Loads the kernels, and returns the scratch memory.
    pub(super) fn ready<T: Element, O: RowsKernel<T>>(
        &self,
        cuda: &Cuda,
        executor: &Executor,
        across: &Across,
    ) -> Result<Arc<Memory>, Error> {
        for entry in [
            O::ROWS.columns_of_few.untyped(),
            O::ROWS.columns_of_few_unaligned.untyped(),
            O::ROWS.finish.untyped(),
        ] {
            cuda.kernels().prepare(entry)?;
        }
        self.scratch(executor.queue(), across.scratch_bytes)
    }

    /// Enqueues a fold of the arrays of all ranks to `to`.
    pub(super) fn enqueue<T: Element, O: RowsKernel<T>>(
        &self,
        (cuda, executor): (&Cuda, &Executor),
        op: O,
        (across, scratch): (&Across, &Arc<Memory>),
        x: Input<'_, T>,
        to: Region<'_>,
    ) -> Result<(), Error> {
        let ranks = self.communicator.size();
        let fold = Fold { op, cuda, ranks, accs: across.accs, element: PhantomData };
        match &across.shares {
            None => self.fold_small(executor, fold, scratch, x, to),
            Some(shares) => self.fold_pieces(executor, fold, scratch, (x, shares), (to, across.is_gathered)),
        }
    }

    /// Folds the arrays of all ranks to new memory, and waits.
    fn fold_to_new<C: Communicator, T: Element, O: RowsKernel<T>>(
        &self,
        world: &World<C>,
        op: O,
        (verb, across): (&str, &Across),
        x: DeviceSlice<'_, T>,
        results: usize,
    ) -> Result<Option<DeviceArray<StoredOf<T, O>>>, Error> {
        let cuda = x.cuda();
        cuda.lease(|executor| {
            let ready = || {
                let bytes = results.saturating_mul(size_of::<StoredOf<T, O>>());
                let memory = Arc::new(Memory::allocate(cuda.context(), bytes)?);
                Ok((self.ready::<T, O>(cuda, executor, across)?, memory))
            };
            let Some((scratch, memory)) = world.agree_on_devices::<T, O, _>(verb, x.len(), ready())? else {
                return Ok(None);
            };
            world.together(|| {
                self.enqueue((cuda, executor), op, (across, &scratch), x.input()?, memory.whole())?;
                executor.queue().wait()?;
                Ok(Some(DeviceArray::of(cuda, memory, results)))
            })
        })
    }
}

/// Returns the channel of `world`, if it moves and folds arrays on `cuda`.
pub(super) fn channel_of<'a, C: Communicator, T: Element, O: RowsKernel<T>>(
    world: &'a World<C>,
    cuda: &Cuda,
) -> Option<&'a Channel> {
    world.channel().filter(|channel| channel.is_on(cuda) && channel.folds::<T, O>())
}

/// Implements both for a kind of elements in device memory that are never written again.
macro_rules! arrays {
    ($($x:ty),*) => { $(
        impl<T, O> WorldAllReduce<O> for $x
        where
            T: Element + CheckedBitPattern<Bits: NoUninit>,
            O: RowsKernel<T> + Op<T, Out = T>,
        {
            fn all_reduce_in<C: Communicator>(self, world: &World<C>, op: O) -> Result<DeviceArray<T>, Error> {
                if let Some(channel) = channel_of::<C, T, O>(world, self.cuda())
                    && size_of::<StoredOf<T, O>>() == size_of::<T>()
                {
                    let across = Across::all::<T, O>(self.len(), channel);
                    let x = self.slice(..)?;
                    let folded = channel.fold_to_new(world, op, ("all_reduce", &across), x, self.len())?;
                    if let Some(folded) = folded.and_then(DeviceArray::cast) {
                        return Ok(folded);
                    }
                }
                world.all_reduce_on_host(op, self)
            }
        }

        impl<T, O> WorldReduceScatter<O> for $x
        where
            T: Element + CheckedBitPattern<Bits: NoUninit>,
            O: RowsKernel<T>,
        {
            type Shares = DeviceArray<StoredOf<T, O>>;

            fn reduce_scatter_in<C: Communicator>(
                self,
                world: &World<C>,
                op: O,
            ) -> Result<Self::Shares, Error> {
                if let Some(channel) = channel_of::<C, T, O>(world, self.cuda()) {
                    let across = Across::shares::<T, O>(self.len(), channel);
                    let (x, results) = (self.slice(..)?, across.own(world.rank()));
                    let folded = channel.fold_to_new(world, op, ("reduce_scatter", &across), x, results)?;
                    if let Some(folded) = folded {
                        return Ok(folded);
                    }
                }
                world.reduce_scatter_on_host(op, self)
            }
        }
    )* };
}
arrays!(&DeviceArray<T>, DeviceSlice<'_, T>, &DeviceSlice<'_, T>);

impl Across {
    /// Returns the number of elements of a rank's share.
    pub(super) fn own(&self, rank: usize) -> usize {
        self.shares.as_ref().map_or(0, |shares| shares.share(rank).len())
    }
}

impl<T: Accumulator, O: RowsKernel<T> + Op<T, Out = T>> WorldAllReduce<O> for &mut DeviceValues<T> {
    fn all_reduce_in<C: Communicator>(self, world: &World<C>, op: O) -> Result<(), Error> {
        let cuda = self.cuda().clone();
        let Some(channel) = channel_of::<C, T, O>(world, &cuda) else {
            return world.all_reduce_on_host(op, self);
        };
        let across = Across::all::<T, O>(self.len(), channel);
        let is_done = cuda.lease(|executor| {
            let ready = channel.ready::<T, O>(&cuda, executor, &across);
            let Some(scratch) = world.agree_on_devices::<T, O, _>("all_reduce", self.len(), ready)? else {
                return Ok(false);
            };
            world.together(|| {
                let cell = self.cell();
                cell.write(executor.queue().handle(), Lens::WRITTEN, || {
                    let x = Input::new(cell.region().memory(), 0, self.len())?;
                    channel.enqueue((&cuda, executor), op, (&across, &scratch), x, cell.region())
                })?;
                executor.queue().wait()?;
                Ok(true)
            })
        })?;
        if is_done { Ok(()) } else { world.all_reduce_on_host(op, self) }
    }
}
