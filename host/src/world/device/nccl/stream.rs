//! Arrays of all ranks, folded on a stream.

use std::sync::Arc;

use gpu_kernels::{Accumulator, Element, Op, StoredOf};

use crate::cuda::array::lens::Lens;
use crate::cuda::launch::{Input, Memory};
use crate::cuda::{DeviceElements, DeviceValues, Stream};
use crate::error::{Error, check_results};
use crate::kernel::RowsKernel;
use crate::world::device::nccl::Channel;
use crate::world::device::nccl::verbs::{Across, channel_of};
use crate::world::{Communicator, World};

impl<C: Communicator> World<C> {
    /// Enqueues [`all_reduce`](Self::all_reduce) of values on the stream's device, and returns without waiting for it. The
    /// ranks agree on the call at once; what the devices do can be recorded to a graph, which all ranks then launch equally
    /// often and in the same order.
    ///
    /// # Errors
    /// As [`all_reduce`](Self::all_reduce); [`Error::Nccl`] if the world is not over [`Nccl`](crate::Nccl) on this device, or for
    /// operators that do not commute and more than two ranks; [`Error::OtherDevice`]. If a rank is late, the calls that wait for
    /// the stream or read `x` return the error.
    ///
    /// ```no_run
    /// use warpfold::{Cuda, Nccl, Sum, Threads, World};
    ///
    /// let (cuda, alone) = (Cuda::open(0)?, Threads::new(1).remove(0));
    /// let (world, stream) = (World::new(Nccl::new(alone, &cuda)?), cuda.stream()?);
    /// let mut x = cuda.values::<f32>(1000)?;
    /// world.all_reduce_on(&stream, Sum, &mut x)?;
    /// let mut graph = stream.capture(|stream| world.all_reduce_on(stream, Sum, &mut x))?;
    /// graph.launch(&stream)?;
    /// assert_eq!(x.to_vec()?, [0.0; 1000]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn all_reduce_on<T, O>(&self, stream: &Stream, op: O, x: &mut DeviceValues<T>) -> Result<(), Error>
    where
        T: Accumulator,
        O: RowsKernel<T> + Op<T, Out = T>,
    {
        let (cell, len) = (x.cell(), x.len());
        let across = |channel: &Channel| {
            x.cuda().context().same_device(stream.cuda().context())?;
            Ok(Across::all::<T, O>(len, channel))
        };
        self.fold_on::<T, O>(stream, ("all_reduce_on", len), across, |channel, work| {
            stream.write(cell, Lens::WRITTEN, || {
                let x = Input::new(cell.region().memory(), 0, len)?;
                channel.enqueue((stream.cuda(), stream.executor()), op, work, x, cell.region())
            })
        })
    }

    /// Enqueues [`reduce_scatter`](Self::reduce_scatter) of elements on the stream's device to `out`, which has the length of
    /// this rank's share, and returns without waiting for it.
    ///
    /// # Errors
    /// As [`all_reduce_on`](Self::all_reduce_on); [`Error::Results`] if `out` has another length.
    ///
    /// ```no_run
    /// use warpfold::{Cuda, Max, Nccl, Threads, World};
    ///
    /// let (cuda, alone) = (Cuda::open(0)?, Threads::new(1).remove(0));
    /// let (world, stream) = (World::new(Nccl::new(alone, &cuda)?), cuda.stream()?);
    /// let (x, mut out) = (cuda.upload(&[1.0f32, 2.0])?, cuda.values(2)?);
    /// world.reduce_scatter_on(&stream, Max, &x, &mut out)?;
    /// assert_eq!(out.to_vec()?, [1.0, 2.0]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn reduce_scatter_on<X, O>(
        &self,
        stream: &Stream,
        op: O,
        x: X,
        out: &mut DeviceValues<StoredOf<X::Element, O>>,
    ) -> Result<(), Error>
    where
        X: DeviceElements,
        O: RowsKernel<X::Element>,
    {
        let (x, cell, room) = (x.device_slice(), out.cell(), out.len());
        let across = |channel: &Channel| {
            let across = Across::shares::<X::Element, O>(x.len(), channel);
            check_results(across.own(self.rank()), room)?;
            x.cuda().context().same_device(stream.cuda().context())?;
            Ok(across)
        };
        let call = ("reduce_scatter_on", x.len());
        self.fold_on::<X::Element, O>(stream, call, across, |channel, work| {
            stream.write(cell, Lens::WRITTEN, || {
                channel.enqueue((stream.cuda(), stream.executor()), op, work, x.input()?, cell.region())
            })
        })
    }

    /// Agrees with the other ranks on a call of a verb over arrays of `len` elements, and enqueues by `enqueue`.
    fn fold_on<T: Element, O: RowsKernel<T>>(
        &self,
        stream: &Stream,
        (verb, len): (&str, usize),
        across: impl FnOnce(&Channel) -> Result<Across, Error>,
        enqueue: impl FnOnce(&Channel, (&Across, &Arc<Memory>)) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let ready = || {
            let channel = channel_of::<C, T, O>(self, stream.cuda()).ok_or_else(without)?;
            let across = across(channel)?;
            let scratch = channel.ready::<T, O>(stream.cuda(), stream.executor(), &across)?;
            Ok((channel, across, scratch))
        };
        let ready = self.agree_on_devices::<T, O, _>(verb, len, ready())?;
        let (channel, across, scratch) = ready.ok_or_else(without)?;
        self.together(|| enqueue(channel, (&across, &scratch)))
    }
}

/// Returns the error of a world in which devices do not fold.
fn without() -> Error {
    Error::Nccl {
        during: "folding arrays of all ranks on a stream",
        why: "make the World over warpfold::Nccl on the stream's device; more than two ranks fold there only with an \
              operator that commutes, or whose grouping changes no bit"
            .into(),
    }
}
