//! Reductions of slices in host memory, which need not fit the device.

use std::ops::ControlFlow;
use std::sync::PoisonError;

use crate::cuda::feed::Feed;
use crate::cuda::feed::feeder::{Feeder, tell};
use crate::cuda::{Cuda, DeviceInput};
use crate::error::Error;
use crate::float_environment;
use crate::kernel::fold::{FoldEntries, FoldKernel};
use crate::{AsElements, Element, Kernel, Op};

/// Feeders that are kept for the next call. More are made when more threads call at once, which is of little use: they
/// share one way to the device.
const MOST_IDLE: usize = 2;

/// A slice in host memory that a device reduces: see [`host`].
#[derive(Clone, Copy, Debug)]
pub struct Host<X, P = fn(u64, u64) -> ControlFlow<()>> {
    x: X,
    feed: Feed,
    progress: P,
}

/// All elements of an array in host memory, of any length, to be reduced on a device: for [`Cuda::reduce`], which takes `&x` as well
/// where nothing else is to be said.
///
/// The elements go to the device in chunks: while one is copied, those before it are folded. So there may be more of them than the
/// device has memory for, and they may be in a file that is mapped to memory. Several threads, those of the CPU backend, copy a
/// chunk to page-locked memory first. Elements that are page-locked already (`cuMemHostAlloc`, `cuMemHostRegister`) are copied to
/// the device from where they lie.
///
/// The first calls make the buffers, which later calls use again: as the default [`Feed`] says, up to 4 times 16 MiB of page-locked
/// memory and as much on the device, and 0.6 MiB. Threads that call at once have buffers each, of which two sets are kept. Arrays of
/// more than 16 GiB are folded in chunks of 4 tiles, for which the buffers on the device grow until the call ends: to at most 1/128
/// of the array together. A chunk has fewer tiles where they would take more than a quarter of the device's memory, but one at least
/// (a tile is at most 1/2048 of the array); and there are fewer buffers where there is no memory for 4.
///
/// # Errors
/// A reduction fails with [`Error::OutOfMemory`] and the bytes of a buffer, if the device has no memory for one, and with
/// [`Error::Stopped`] if [progress](Host::with_progress) breaks. After either, everything works as before.
///
/// ```no_run
/// use std::ops::ControlFlow;
/// use std::time::{Duration, Instant};
/// use warpfold::{Cuda, Error, Sum, host};
///
/// let (cuda, x) = (Cuda::open(0)?, vec![0.1f32; 100_000_000]);
/// println!("{}", cuda.reduce(Sum, &x)?);
/// let start = Instant::now();
/// let sum = cuda.reduce(Sum, host(&x).with_progress(|done, total| {
///     println!("{done} of {total}");
///     if start.elapsed() < Duration::from_secs(5) { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
/// }));
/// match sum {
///     Err(Error::Stopped { done, .. }) => println!("no more than {done} elements in time"),
///     sum => println!("{}", sum?),
/// }
/// # Ok::<(), warpfold::Error>(())
/// ```
pub fn host<X>(x: X) -> Host<X> {
    Host { x, feed: Feed::default(), progress: |_, _| ControlFlow::Continue(()) }
}

impl<X, P> Host<X, P> {
    /// The same by a feed of the caller's, which changes the time and the memory that it takes, and no bit of the result.
    #[must_use]
    pub fn with_feed(self, feed: Feed) -> Self {
        Self { feed, ..self }
    }

    /// The same, with `progress(done, total)` called after each chunk: how many elements of how many are folded. The last call, and
    /// for few elements the only one, has all of them. `progress` runs on the calling thread while the device goes on; where it
    /// breaks, the device finishes the chunks under way and no more.
    #[must_use]
    pub fn with_progress<Q: FnMut(u64, u64) -> ControlFlow<()>>(self, progress: Q) -> Host<X, Q> {
        Host { x: self.x, feed: self.feed, progress }
    }
}

impl<X, P, O> DeviceInput<O> for Host<&X, P>
where
    X: AsElements + ?Sized,
    P: FnMut(u64, u64) -> ControlFlow<()>,
    O: Kernel<X::Element>,
{
    type Results = O::Out;

    fn reduce_on(self, cuda: &Cuda, op: O) -> Result<O::Out, Error> {
        let x = self.x.elements();
        let acc = cuda.fold_host(FoldKernel::new(op), &self.feed, &x, self.progress)?;
        float_environment::finish::<X::Element, O>(acc, x.len() as u64)
    }

    fn prepare_on(&self, cuda: &Cuda) -> Result<(), Error> {
        let entries = FoldEntries::<_, X::Element, O>::ONE.untyped();
        entries.into_iter().try_for_each(|entry| cuda.kernels().prepare(entry))
    }
}

impl<X: AsElements + ?Sized, O: Kernel<X::Element>> DeviceInput<O> for &X {
    type Results = O::Out;

    fn reduce_on(self, cuda: &Cuda, op: O) -> Result<O::Out, Error> {
        host(self).reduce_on(cuda, op)
    }

    fn prepare_on(&self, cuda: &Cuda) -> Result<(), Error> {
        DeviceInput::<O>::prepare_on(&host(*self), cuda)
    }
}

impl Cuda {
    /// Folds a slice in host memory, and does not finish.
    pub(crate) fn fold_host_slice<T: Element, O: Op<T>>(
        &self,
        kernel: FoldKernel<*const T, T, O>,
        x: &[T],
    ) -> Result<O::Acc, Error> {
        self.fold_host(kernel, &Feed::default(), x, |_, _| ControlFlow::Continue(()))
    }

    fn fold_host<T: Element, O: Op<T>>(
        &self,
        kernel: FoldKernel<*const T, T, O>,
        feed: &Feed,
        x: &[T],
        mut progress: impl FnMut(u64, u64) -> ControlFlow<()>,
    ) -> Result<O::Acc, Error> {
        const { assert!(size_of::<T>() > 0, "a zero-sized element has nothing to reduce") }
        self.context().usable()?;
        if x.is_empty() {
            tell(&mut progress, 0, 0)?;
            return Ok(O::IDENTITY);
        }
        let mut feeder = self.feeder(feed)?;
        let acc = feeder.fold(kernel, self, x, &mut progress);
        // After an error of the driver's it is not used again.
        if matches!(acc, Ok(_) | Err(Error::Stopped { .. })) {
            feeder.trim();
            self.give_back(feeder);
        }
        acc
    }

    /// The device that [`reduce`](crate::reduce) has fold a slice of so many bytes, if it is not the CPU: for programs
    /// that want to show progress, or to say who folds. May measure, as `reduce` does.
    ///
    /// # Errors
    /// [`Error::Setting`]; those of [`open`](Self::open) if `WARPFOLD_BACKEND` is `gpu`.
    pub fn chosen_for(bytes: usize) -> Result<Option<Self>, Error> {
        Ok(crate::auto::device_for(bytes)?.cloned())
    }

    /// A feeder that nobody else uses.
    fn feeder(&self, feed: &Feed) -> Result<Feeder, Error> {
        let mut idle = self.feeders().lock().unwrap_or_else(PoisonError::into_inner);
        let at = idle.iter().rposition(|feeder| feeder.feed() == *feed);
        let waiting = at.map(|at| idle.remove(at));
        drop(idle);
        waiting.map_or_else(|| Feeder::new(self.context(), *feed), Ok)
    }

    /// Keeps a feeder for the next call, in the place of the one that was used longest ago.
    fn give_back(&self, feeder: Feeder) {
        let mut idle = self.feeders().lock().unwrap_or_else(PoisonError::into_inner);
        idle.push(feeder);
        let oldest = (idle.len() > MOST_IDLE).then(|| idle.remove(0));
        drop((idle, oldest));
    }
}
