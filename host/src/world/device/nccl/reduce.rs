//! Reductions of one array on a stream. Each rank has a part of the array on its device.
//!
//! Each device folds its tiles to totals, NCCL moves the totals to all devices, and each folds all of them. They are the
//! totals that [`World::reduce`] exchanges by the host, in the same order.

use std::sync::Arc;

use gpu_kernels::addresses::Readable;
use gpu_kernels::shapes::MAX_FAN_IN;
use gpu_kernels::{Element, Op, is_free, tree};

use cust::nccl::Move;

use crate::cuda::launch::{Memory, Output, Region};
use crate::cuda::{DeviceElements, DeviceScalar, DeviceSlice, Stream};
use crate::error::Error;
use crate::kernel::Kernel;
use crate::kernel::fold::FoldKernel;
use crate::world::agree::call;
use crate::world::cut::Cut;
use crate::world::device::flat::plan_of_tiles;
use crate::world::device::nccl::Channel;
use crate::world::fold::totals_of;
use crate::world::{Communicator, World};

/// What a call does.
const DURING: &str = "reducing the parts of all ranks on a stream";

impl<C: Communicator> World<C> {
    /// Enqueues [`reduce`](Self::reduce) of an array to `out` on every rank, and returns without waiting for it. Each rank
    /// has a part on the stream's device. The ranks agree on the call at once; what the devices do can be recorded to a
    /// graph, which all ranks then launch equally often and in the same order.
    ///
    /// # Errors
    /// [`Error::Nccl`] if the world is not over [`Nccl`](crate::Nccl) on this device, or if a part begins within a tile of
    /// the tree, unless the operator is commutative and associative: parts of equal lengths that are powers of two begin
    /// with tiles. [`Error::OtherDevice`]; [`Error::Rank`], as [`reduce`](Self::reduce). If a rank is late, the calls that
    /// wait for the stream or read `out` return the error.
    ///
    /// ```no_run
    /// use warpfold::{Cuda, Nccl, Sum, Threads, World};
    ///
    /// let (cuda, alone) = (Cuda::open(0)?, Threads::new(1).remove(0));
    /// let (world, stream) = (World::new(Nccl::new(alone, &cuda)?), cuda.stream()?);
    /// let (x, mut sum) = (cuda.upload(&[1.0f32, 2.0])?, cuda.scalar::<f32, Sum>()?);
    /// world.reduce_on(&stream, Sum, &x, &mut sum)?;
    /// assert_eq!(sum.get()?, 3.0);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn reduce_on<X, O>(
        &self,
        stream: &Stream,
        op: O,
        x: X,
        out: &mut DeviceScalar<X::Element, O>,
    ) -> Result<(), Error>
    where
        X: DeviceElements,
        O: Kernel<X::Element>,
    {
        let (x, kernel) = (x.device_slice(), FoldKernel::new(op));
        let ready = || {
            let channel =
                self.channel().filter(|channel| channel.is_on(stream.cuda())).ok_or(Error::Nccl {
                    during: DURING,
                    why: "make the World over warpfold::Nccl on the stream's device".into(),
                })?;
            x.cuda().context().same_device(stream.cuda().context())?;
            let entries = <O as Kernel<X::Element>>::FOLD.untyped();
            entries.into_iter().try_for_each(|entry| stream.cuda().kernels().prepare(entry))?;
            let bytes = MAX_FAN_IN as usize * size_of::<O::Acc>();
            Ok((channel, channel.scratch(stream.queue(), bytes)?))
        };
        let ready = ready();
        let len = ready.as_ref().map(|_| x.len() as u64).map_err(Error::clone);
        let cut = self.agree(&call::<X::Element, O>("reduce_on", "an array"), len)?;
        let (channel, scratch) = ready?;
        begin_with_tiles::<X::Element, O>(&cut)?;
        let cell = out.cell();
        self.together(|| {
            stream.write(cell, cut.total(), || match cut.total() {
                0 => Ok(()),
                _ => channel.fold_parts(stream, kernel, (x, &cut), &scratch, cell.region()),
            })
        })
    }
}

/// Fails, on all ranks alike, if a part begins within a tile.
fn begin_with_tiles<T: Element, O: Op<T>>(cut: &Cut) -> Result<(), Error> {
    let tile = tree::tile_len::<T>(cut.total());
    let begins = |rank| {
        let part = cut.part(rank);
        part.is_empty() || part.start.is_multiple_of(tile)
    };
    if is_free::<T, O>() || (0..cut.parts()).all(begins) {
        return Ok(());
    }
    let why = format!(
        "parts of {} elements in all begin at multiples of {tile} elements; World::reduce takes any parts",
        cut.total()
    );
    Err(Error::Nccl { during: DURING, why: why.into() })
}

impl Channel {
    /// Enqueues a fold of the parts of all ranks to `to`.
    fn fold_parts<T: Element, O: Kernel<T>>(
        &self,
        stream: &Stream,
        kernel: FoldKernel<Readable<T>, T, O>,
        (x, cut): (DeviceSlice<'_, T>, &Cut),
        scratch: &Arc<Memory>,
        to: Region<'_>,
    ) -> Result<(), Error> {
        let (cuda, executor) = (stream.cuda(), stream.executor());
        let (queue, own) = (executor.queue(), self.communicator.rank());
        // The totals of all ranks, one after the other.
        let counts: Vec<usize> = (0..cut.parts()).map(|rank| totals_of::<T, O>(cut, rank)).collect();
        let count: usize = counts.iter().sum();
        let totals = |rank: usize| {
            let first: usize = counts[..rank].iter().sum();
            scratch.whole().part(first as u64, counts[rank] as u64, size_of::<O::Acc>())
        };
        self.in_turn(queue, || {
            if counts[own] > 0 {
                let (input, to) = (x.input()?.beginning_at(cut.part(own).start), totals(own)?);
                if is_free::<T, O>() {
                    let plan = executor.plan(&kernel.entries, cuda, x.len() as u64)?;
                    executor.enqueue(&(kernel, input), cuda.kernels(), &plan, Output::Device(to))?;
                } else {
                    let plan = plan_of_tiles(executor, cuda, kernel, cut.total())?;
                    executor.enqueue_spans(&(kernel, input), cuda.kernels(), &plan, to)?;
                }
            }
            if counts.iter().all(|&other| other == counts[own]) {
                queue.all_gather(&self.communicator, totals(own)?, scratch.whole())?;
            } else {
                let mut moves = Vec::with_capacity(2 * counts.len());
                for peer in self.peers() {
                    if counts[own] > 0 {
                        moves.push(Move::Send { to: peer, from: totals(own)? });
                    }
                    if counts[peer] > 0 {
                        moves.push(Move::Receive { from: peer, to: totals(peer)? });
                    }
                }
                queue.exchange(&self.communicator, None, &moves)?;
            }
            let all = (scratch.whole(), count as u64);
            let fan_in = MAX_FAN_IN as u32;
            queue.fold_partials(&kernel.entries.partials, cuda.kernels(), all, fan_in, Output::Device(to))
        })
    }
}
