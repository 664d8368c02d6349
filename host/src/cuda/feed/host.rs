//! Reductions of slices in host memory, which may be larger than the device's.

use std::ops::ControlFlow;
use std::sync::PoisonError;

use gpu_kernels::addresses::Readable;
use gpu_kernels::{Element, Op};

use crate::arrays::AsElements;
use crate::cuda::Cuda;
use crate::cuda::feed::Feed;
use crate::cuda::feed::feeder::{Feeder, report};
use crate::error::Error;
use crate::float_environment;
use crate::kernel::Kernel;
use crate::kernel::fold::FoldKernel;
use crate::verb::{Backend, Reduce};

/// Feeders kept for the next call. Further ones are made when more threads call at once. This gains little: they share
/// one path to the device.
const MOST_IDLE: usize = 2;

/// A slice in host memory, as an input for a device: see [`host`].
#[derive(Clone, Copy, Debug)]
pub struct Host<X, P = fn(u64, u64) -> ControlFlow<()>> {
    x: X,
    feed: Feed,
    progress: P,
}

/// Makes an array in host memory, of any length, an input for [`Cuda::reduce`]. Without options, `&x` does the same.
///
/// The elements go to the device in chunks: while one chunk is copied, earlier ones are folded. So the array may be
/// larger than the device's memory, and may be a memory-mapped file. Threads of the CPU backend first copy each chunk
/// to page-locked memory. Elements that are page-locked already (`cuMemHostAlloc`, `cuMemHostRegister`) are copied to
/// the device directly.
///
/// The first calls allocate buffers, which later calls use again. With the default [`Feed`] they take up to 4 times 16
/// MiB of page-locked memory, as much on the device, and 0.6 MiB. Each of several threads that call at once has its own
/// buffers. Two sets of buffers are kept. Arrays of more than 16 GiB are folded in chunks of 4 tiles. The buffers on
/// the device grow for them until the call ends, to at most 1/128 of the array in all. A chunk has fewer tiles where 4
/// would take more than a quarter of the device's memory, but at least one (a tile is at most 1/2048 of the array).
/// There are fewer buffers where there is no memory for 4.
///
/// # Errors
/// A reduction fails with [`Error::OutOfMemory`] and the bytes of a buffer if the device has no memory for one, and
/// with [`Error::Stopped`] if [progress](Host::with_progress) breaks. After either, the device is usable as before.
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
    /// Returns the same input with another feed. A feed changes time and memory use, but never the result.
    ///
    /// ```no_run
    /// use warpfold::{Cuda, Feed, Sum, host};
    ///
    /// let cuda = Cuda::open(0)?;
    /// let x = vec![0.1f32; 1_000_000];
    /// let feed = Feed::new(1 << 20, 2)?;
    /// assert_eq!(cuda.reduce(Sum, host(&x).with_feed(feed))?, cuda.reduce(Sum, &x)?);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    #[must_use]
    pub fn with_feed(self, feed: Feed) -> Self {
        Self { feed, ..self }
    }

    /// Returns the same input with `progress(done, total)` called after each chunk: the number of elements folded so
    /// far, and of all elements. The last call has all of them; for few elements it is the only one. `progress` runs on
    /// the calling thread while the device goes on. If it breaks, the device finishes the chunks under way and no more.
    ///
    /// ```no_run
    /// use std::ops::ControlFlow;
    /// use warpfold::{Cuda, Sum, host};
    ///
    /// let (cuda, x) = (Cuda::open(0)?, vec![0.1f32; 1_000_000]);
    /// let sum = cuda.reduce(Sum, host(&x).with_progress(|done, total| {
    ///     println!("{done} of {total}");
    ///     ControlFlow::Continue(())
    /// }))?;
    /// println!("{sum}");
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    #[must_use]
    pub fn with_progress<Q: FnMut(u64, u64) -> ControlFlow<()>>(self, progress: Q) -> Host<X, Q> {
        Host { x: self.x, feed: self.feed, progress }
    }
}

impl<X, P, O> Backend<Reduce<O, Host<&X, P>>> for Cuda
where
    X: AsElements + ?Sized,
    P: FnMut(u64, u64) -> ControlFlow<()>,
    O: Kernel<X::Element>,
{
    type Results = O::Out;

    fn run(&self, Reduce { op, input }: Reduce<O, Host<&X, P>>) -> Result<O::Out, Error> {
        let x = input.x.try_elements()?;
        let acc = self.fold_host(FoldKernel::new(op), &input.feed, &x, input.progress)?;
        float_environment::finish::<X::Element, O>(acc, x.len() as u64)
    }

    fn prepare(&self, _: &Reduce<O, Host<&X, P>>) -> Result<(), Error> {
        let entries = <O as Kernel<X::Element>>::FOLD.untyped();
        entries.into_iter().try_for_each(|entry| self.kernels().prepare(entry))
    }
}

impl<X: AsElements + ?Sized, O: Kernel<X::Element>> Backend<Reduce<O, &X>> for Cuda {
    type Results = O::Out;

    fn run(&self, Reduce { op, input }: Reduce<O, &X>) -> Result<O::Out, Error> {
        self.run(Reduce { op, input: host(input) })
    }

    fn prepare(&self, Reduce { op, input }: &Reduce<O, &X>) -> Result<(), Error> {
        Backend::prepare(self, &Reduce { op: *op, input: host(*input) })
    }
}

impl Cuda {
    /// Folds a slice in host memory, without the operator's finish.
    pub(crate) fn fold_host_slice<T: Element, O: Op<T>>(
        &self,
        kernel: FoldKernel<Readable<T>, T, O>,
        x: &[T],
    ) -> Result<O::Acc, Error> {
        self.fold_host(kernel, &Feed::default(), x, |_, _| ControlFlow::Continue(()))
    }

    fn fold_host<T: Element, O: Op<T>>(
        &self,
        kernel: FoldKernel<Readable<T>, T, O>,
        feed: &Feed,
        x: &[T],
        mut progress: impl FnMut(u64, u64) -> ControlFlow<()>,
    ) -> Result<O::Acc, Error> {
        const { assert!(size_of::<T>() > 0, "a zero-sized element has nothing to reduce") }
        self.context().usable()?;
        if x.is_empty() {
            report(&mut progress, 0, 0)?;
            return Ok(O::IDENTITY);
        }
        let mut feeder = self.feeder(feed)?;
        let acc = feeder.fold(kernel, self, x, &mut progress);
        // After an error of the driver it is not used again.
        if matches!(acc, Ok(_) | Err(Error::Stopped { .. })) {
            feeder.trim();
            self.give_back(feeder);
        }
        acc
    }

    /// Takes an idle feeder, or makes one.
    fn feeder(&self, feed: &Feed) -> Result<Feeder, Error> {
        let mut idle = self.feeders().lock().unwrap_or_else(PoisonError::into_inner);
        let at = idle.iter().rposition(|feeder| feeder.feed() == *feed);
        let waiting = at.map(|at| idle.remove(at));
        drop(idle);
        waiting.map_or_else(|| Feeder::new(self.context(), *feed), Ok)
    }

    /// Keeps a feeder for the next call. If there are too many, drops the one that was used longest ago.
    fn give_back(&self, feeder: Feeder) {
        let mut idle = self.feeders().lock().unwrap_or_else(PoisonError::into_inner);
        idle.push(feeder);
        let oldest = (idle.len() > MOST_IDLE).then(|| idle.remove(0));
        drop((idle, oldest));
    }
}
