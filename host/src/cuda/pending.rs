//! Results on their way to the host.

use std::fmt;
use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use gpu_kernels::Element;

use crate::cuda::launch::Reply;
use crate::cuda::wake::Waking;
use crate::error::Error;
use crate::float_environment;
use crate::kernel::Kernel;

/// The result of a reduction that is under way, made by [`Stream::reduce_async`](crate::cuda::Stream::reduce_async).
///
/// It may outlive everything it was made from, move to another thread, and be dropped or leaked at any time; dropping
/// it neither waits nor frees memory in use.
///
/// It is also a [`Future`], for any runtime. For the first 200 microseconds it wakes its task at once to be polled
/// again. If the result takes longer, a thread made for this purpose waits and wakes the task.
///
/// ```no_run
/// use warpfold::{Cuda, Max, Sum};
///
/// let cuda = Cuda::open(0)?;
/// let stream = cuda.stream()?;
/// let x = cuda.upload(&[3u32, 1, 4, 1, 5])?;
/// let sum = stream.reduce_async(Sum, &x)?;
/// let max = stream.reduce_async(Max, &x)?;
/// // Other things to do, while the device reduces.
/// assert_eq!((max.wait()?, sum.wait()?), (Some(5), 14));
/// # Ok::<(), warpfold::Error>(())
/// ```
pub struct Pending<T, O> {
    /// `None` for an empty input.
    reply: Option<Arc<Reply>>,
    len: u64,
    waking: Waking,
    operator: PhantomData<fn(T) -> O>,
}

impl<T: Element, O: Kernel<T>> Pending<T, O> {
    pub(crate) fn new(reply: Option<Reply>, len: u64) -> Self {
        Self { reply: reply.map(Arc::new), len, waking: Waking::default(), operator: PhantomData }
    }

    /// Returns whether the result has arrived. Calls the driver only to free the array, if that was dropped, so it does
    /// not see errors.
    ///
    /// ```no_run
    /// use warpfold::{Cuda, Sum};
    ///
    /// let cuda = Cuda::open(0)?;
    /// let (stream, x) = (cuda.stream()?, cuda.upload(&[1.0f32, 2.0])?);
    /// let sum = stream.reduce_async(Sum, &x)?;
    /// while !sum.is_ready() {
    ///     // Other work.
    /// }
    /// assert_eq!(sum.wait()?, 3.0);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    #[must_use]
    pub fn is_ready(&self) -> bool {
        self.reply.as_ref().is_none_or(|reply| reply.look::<O::Acc>().is_some())
    }

    /// Returns the result if it has arrived. It can be fetched again.
    ///
    /// # Errors
    /// [`Error::Driver`] with what the device reports of the work, and [`Error::Poisoned`] from then on if the device
    /// does not survive that error; [`Error::NoResult`] if the kernels were built for another version.
    ///
    /// ```no_run
    /// use warpfold::{Cuda, Sum};
    ///
    /// let cuda = Cuda::open(0)?;
    /// let (stream, x) = (cuda.stream()?, cuda.upload(&[1.0f32, 2.0])?);
    /// let sum = stream.reduce_async(Sum, &x)?;
    /// let found = loop {
    ///     if let Some(found) = sum.try_get()? {
    ///         break found;
    ///     }
    /// };
    /// assert_eq!(found, 3.0);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn try_get(&self) -> Result<Option<O::Out>, Error> {
        let acc = match &self.reply {
            None => Some(O::IDENTITY),
            Some(reply) => reply.ask::<O::Acc>()?,
        };
        acc.map(|acc| float_environment::finish::<T, O>(acc, self.len)).transpose()
    }

    /// Waits for the result: polls for some 200 microseconds, then sleeps between polls. Does not wait for work that
    /// was enqueued later.
    ///
    /// # Errors
    /// As [`try_get`](Self::try_get), and [`Error::Capturing`] if the result does not come soon while the stream
    /// records a graph.
    ///
    /// ```no_run
    /// use warpfold::{Cuda, Sum};
    ///
    /// let cuda = Cuda::open(0)?;
    /// let (stream, x) = (cuda.stream()?, cuda.upload(&[1.0f32, 2.0])?);
    /// let sum = stream.reduce_async(Sum, &x)?;
    /// assert_eq!(sum.wait()?, 3.0);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn wait(self) -> Result<O::Out, Error> {
        let acc = match &self.reply {
            None => O::IDENTITY,
            Some(reply) => reply.wait_alone::<O::Acc>()?,
        };
        float_environment::finish::<T, O>(acc, self.len)
    }
}

impl<T: Element, O: Kernel<T>> Future for Pending<T, O> {
    type Output = Result<O::Out, Error>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let found = self.try_get().transpose();
        if let (None, Some(reply)) = (&found, self.reply.clone()) {
            self.waking.wake_later::<O::Acc>(reply, context.waker());
        }
        found.map_or(Poll::Pending, Poll::Ready)
    }
}

impl<T, O> fmt::Debug for Pending<T, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pending").field("reply", &self.reply).field("len", &self.len).finish_non_exhaustive()
    }
}
