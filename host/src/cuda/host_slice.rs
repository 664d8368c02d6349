//! Reductions of slices in host memory, which need not fit the device.

use std::ops::ControlFlow;
use std::sync::PoisonError;

use super::Cuda;
use super::feed::Feed;
use super::feeder::{Feeder, tell};
use crate::error::Error;
use crate::float_environment;
use crate::{Element, Kernel};

/// Feeders that are kept for the next call. More are made when more threads call at once, which is of little use: they
/// share one way to the device.
const MOST_IDLE: usize = 2;

impl Cuda {
    /// Reduces a slice in host memory, of any length, and waits for the result, which has the bits that every backend
    /// gives. The slice goes to the device in chunks: while one is copied, those before it are folded. So it may be
    /// longer than the device has memory for, and may be a file that is mapped to memory.
    ///
    /// Several threads, those of the CPU backend, copy a chunk to page-locked memory first. Where the slice is
    /// page-locked already (`cuMemHostAlloc`, `cuMemHostRegister`), it is copied to the device from where it lies.
    ///
    /// The first calls make the buffers, which later calls use again: as the default [`Feed`] says, up to 4 times 16
    /// MiB of page-locked memory and as much on the device, and 0.6 MiB. Threads that call at once have buffers each,
    /// of which two sets are kept. Slices of more than 16 GiB are folded in chunks of 4 tiles, for which the buffers on
    /// the device grow until the call ends: to at most 1/128 of the slice together. A chunk has fewer tiles where they
    /// would take more than a quarter of the device's memory, but one at least (a tile is at most 1/2048 of the slice);
    /// and there are fewer buffers where there is no memory for 4.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`] with the bytes of a buffer, if the device has no memory for one. [`Error::PtxTooNew`] and
    /// [`Error::Kernel`] from the first call of each operator; [`Error::Poisoned`], [`Error::Forked`],
    /// [`Error::Driver`].
    ///
    /// ```no_run
    /// use warpfold::{Cuda, Sum};
    ///
    /// let cuda = Cuda::open(0)?;
    /// let x = vec![0.1f32; 100_000_000];
    /// println!("{}", cuda.reduce_host::<f32, Sum>(&x)?);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn reduce_host<T: Element, O: Kernel<T> + Default>(&self, x: &[T]) -> Result<O::Out, Error> {
        self.reduce_host_with_progress::<T, O>(x, |_, _| ControlFlow::Continue(()))
    }

    /// [`reduce_host`](Self::reduce_host), which calls `progress(done, total)` after each chunk: how many elements of
    /// how many are folded. The last call, and of a short slice the only one, has all of them. `progress` runs on the
    /// calling thread while the device goes on; where it breaks, the device finishes the chunks under way and no more.
    ///
    /// # Errors
    /// [`Error::Stopped`] if `progress` breaks, and those of [`reduce_host`](Self::reduce_host). After either,
    /// everything works as before.
    ///
    /// ```no_run
    /// use std::ops::ControlFlow;
    /// use std::time::{Duration, Instant};
    /// use warpfold::{Cuda, Error, Sum};
    ///
    /// let (cuda, x) = (Cuda::open(0)?, vec![0.1f32; 100_000_000]);
    /// let start = Instant::now();
    /// let sum = cuda.reduce_host_with_progress::<f32, Sum>(&x, |done, total| {
    ///     println!("{done} of {total}");
    ///     if start.elapsed() < Duration::from_secs(5) { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    /// });
    /// match sum {
    ///     Err(Error::Stopped { done, .. }) => println!("no more than {done} elements in time"),
    ///     sum => println!("{}", sum?),
    /// }
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn reduce_host_with_progress<T: Element, O: Kernel<T> + Default>(
        &self,
        x: &[T],
        progress: impl FnMut(u64, u64) -> ControlFlow<()>,
    ) -> Result<O::Out, Error> {
        self.reduce_host_with_feed::<T, O>(&Feed::default(), x, progress)
    }

    /// [`reduce_host_with_progress`](Self::reduce_host_with_progress) by a feed of the caller's, which changes the time
    /// and the memory that it takes, and no bit of the result.
    ///
    /// # Errors
    /// As [`reduce_host_with_progress`](Self::reduce_host_with_progress).
    pub fn reduce_host_with_feed<T: Element, O: Kernel<T> + Default>(
        &self,
        feed: &Feed,
        x: &[T],
        progress: impl FnMut(u64, u64) -> ControlFlow<()>,
    ) -> Result<O::Out, Error> {
        float_environment::finish::<T, O>(self.fold_host(O::default(), feed, x, progress)?, x.len() as u64)
    }

    /// [`reduce_host`](Self::reduce_host) with an operator that is a value, such as one with parameters.
    ///
    /// # Errors
    /// As [`reduce_host`](Self::reduce_host).
    pub fn reduce_host_by<T: Element, O: Kernel<T>>(&self, op: O, x: &[T]) -> Result<O::Out, Error> {
        float_environment::finish::<T, O>(self.fold_host_by(op, x)?, x.len() as u64)
    }

    /// [`reduce_host_by`](Self::reduce_host_by) without the finish: the accumulator, [`Op::IDENTITY`](crate::Op::IDENTITY)
    /// of no elements. It has the CPU's bits but for those of a NaN in it: see [`Op`](crate::Op).
    ///
    /// # Errors
    /// As [`reduce_host`](Self::reduce_host).
    pub fn fold_host_by<T: Element, O: Kernel<T>>(&self, op: O, x: &[T]) -> Result<O::Acc, Error> {
        self.fold_host(op, &Feed::default(), x, |_, _| ControlFlow::Continue(()))
    }

    fn fold_host<T: Element, O: Kernel<T>>(
        &self,
        op: O,
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
        let acc = feeder.fold(op, self, x, &mut progress);
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
