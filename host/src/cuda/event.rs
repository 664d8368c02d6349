//! Times on the device.

use crate::cuda::launch;
use crate::error::Error;

/// Calls `call`, and returns the work that this thread enqueued on devices meanwhile: the name of each kernel or other
/// action, and its milliseconds on the device. Launches do not overlap while they are measured. For warpfold's own
/// benchmark.
///
/// # Errors
/// [`Error::Driver`] with what the device reports.
#[doc(hidden)]
pub fn launch_times<R>(call: impl FnOnce() -> R) -> Result<(R, launch::Times), Error> {
    Ok(launch::trace(call)?)
}

/// A moment in a stream's work, made by [`Stream::record`](crate::cuda::Stream::record).
///
/// ```no_run
/// # use warpfold::{Cuda, Sum};
/// # let cuda = Cuda::open(0)?;
/// # let x = cuda.upload(&[1.0f32; 1000])?;
/// # let mut sum = cuda.scalar::<f32, Sum>()?;
/// let stream = cuda.stream()?;
/// let start = stream.record()?;
/// stream.reduce_into(Sum, &x, &mut sum)?;
/// println!("{} ms", start.elapsed_ms(&stream.record()?)?);
/// # Ok::<(), warpfold::Error>(())
/// ```
#[derive(Debug)]
pub struct Event {
    event: launch::Event,
}

impl Event {
    pub(crate) fn record(queue: &launch::Queue) -> Result<Self, Error> {
        Ok(Self { event: launch::Event::record(queue)? })
    }

    /// Waits for both events, and returns the milliseconds from this one to `later`, to about half a microsecond.
    ///
    /// # Errors
    /// [`Error::OtherDevice`] for events of different devices; [`Error::Driver`] with what the device reports of the
    /// work before them.
    ///
    /// ```no_run
    /// use warpfold::Cuda;
    ///
    /// let cuda = Cuda::open(0)?;
    /// let stream = cuda.stream()?;
    /// let (start, end) = (stream.record()?, stream.record()?);
    /// assert!(start.elapsed_ms(&end)? >= 0.0);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn elapsed_ms(&self, later: &Self) -> Result<f64, Error> {
        Ok(self.event.elapsed_ms(&later.event)?)
    }
}
