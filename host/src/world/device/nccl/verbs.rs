//! `all_reduce` and `reduce_scatter` of arrays on devices.

use std::marker::PhantomData;
use std::sync::Arc;

use bytemuck::{CheckedBitPattern, NoUninit};
use gpu_kernels::{Accumulator, Element, Op, StoredOf, tree};

use crate::cuda::array::lens::Lens;
use crate::cuda::executor::Executor;
use crate::cuda::launch::{Input, Memory, Region};
use crate::cuda::{Cuda, DeviceArray, DeviceSlice, DeviceValues};
use crate::error::Error;
use crate::kernel::RowsKernel;
use crate::verb::{AllReduce, Backend, ReduceScatter};
use crate::world::device::nccl::Channel;
use crate::world::device::nccl::parts::Shares;
use crate::world::device::nccl::pieces::{Fold, scratch_bytes};
use crate::world::{Communicator, World};

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
    /// Returns whether kernels fold the rows of all ranks as `World::all_reduce` defines: in pairs of neighbours. The
    /// tree's lanes do so if there is one for each rank. The lanes of an operator that does not commute fold four ranks
    /// one after the other.
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
        impl<C: Communicator, T, O> Backend<AllReduce<O, $x>> for World<C>
        where
            T: Element + CheckedBitPattern<Bits: NoUninit>,
            O: RowsKernel<T> + Op<T, Out = T>,
        {
            type Results = DeviceArray<T>;

            fn run(&self, AllReduce { op, x }: AllReduce<O, $x>) -> Result<DeviceArray<T>, Error> {
                if let Some(channel) = channel_of::<C, T, O>(self, x.cuda())
                    && size_of::<StoredOf<T, O>>() == size_of::<T>()
                {
                    let across = Across::all::<T, O>(x.len(), channel);
                    let slice = x.slice(..)?;
                    let folded = channel.fold_to_new(self, op, ("all_reduce", &across), slice, x.len())?;
                    if let Some(folded) = folded.and_then(DeviceArray::cast) {
                        return Ok(folded);
                    }
                }
                self.all_reduce_on_host(op, x)
            }
        }

        impl<C: Communicator, T, O> Backend<ReduceScatter<O, $x>> for World<C>
        where
            T: Element + CheckedBitPattern<Bits: NoUninit>,
            O: RowsKernel<T>,
        {
            type Results = DeviceArray<StoredOf<T, O>>;

            fn run(&self, ReduceScatter { op, x }: ReduceScatter<O, $x>) -> Result<Self::Results, Error> {
                if let Some(channel) = channel_of::<C, T, O>(self, x.cuda()) {
                    let across = Across::shares::<T, O>(x.len(), channel);
                    let (slice, results) = (x.slice(..)?, across.own(self.rank()));
                    let folded = channel.fold_to_new(self, op, ("reduce_scatter", &across), slice, results)?;
                    if let Some(folded) = folded {
                        return Ok(folded);
                    }
                }
                self.reduce_scatter_on_host(op, x)
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

impl<C, T, O> Backend<AllReduce<O, &mut DeviceValues<T>>> for World<C>
where
    C: Communicator,
    T: Accumulator,
    O: RowsKernel<T> + Op<T, Out = T>,
{
    type Results = ();

    fn run(&self, AllReduce { op, x }: AllReduce<O, &mut DeviceValues<T>>) -> Result<(), Error> {
        let cuda = x.cuda().clone();
        let Some(channel) = channel_of::<C, T, O>(self, &cuda) else {
            return self.all_reduce_on_host(op, x);
        };
        let across = Across::all::<T, O>(x.len(), channel);
        let is_done = cuda.lease(|executor| {
            let ready = channel.ready::<T, O>(&cuda, executor, &across);
            let Some(scratch) = self.agree_on_devices::<T, O, _>("all_reduce", x.len(), ready)? else {
                return Ok(false);
            };
            self.together(|| {
                let cell = x.cell();
                cell.write(executor.queue().handle(), Lens::WRITTEN, || {
                    let input = Input::new(cell.region().memory(), 0, x.len())?;
                    channel.enqueue((&cuda, executor), op, (&across, &scratch), input, cell.region())
                })?;
                executor.queue().wait()?;
                Ok(true)
            })
        })?;
        if is_done { Ok(()) } else { self.all_reduce_on_host(op, x) }
    }
}
