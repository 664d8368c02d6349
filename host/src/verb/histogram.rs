//! Histograms.

/// Counts the elements of `x` in each of some [`Bins`](crate::Bins), and the elements that are below, above, or NaN.
/// Returns a [`Histogram`](crate::Histogram). [Missing](crate::Elements) elements are not counted.
///
/// **`Cpu`, `Auto`.** For [`rows(&x, [r, c])`](crate::rows), [`chunks`](crate::chunks) and [`segments`](crate::segments()), returns a
/// `Vec` with the histogram of each part.
///
/// **`Cuda`.** The counts are a `DeviceArray`. Reads `x` once, and waits for the numbers of elements in no bin. The bins are
/// [`Bins`](crate::Bins), which each call copies to the device, or `DeviceBins`, which are on the device already.
///
/// **`Stream`.** Takes `DeviceBins`, and writes to memory that exists: the counts, and the numbers of elements below, above and NaN.
/// `stream.histogram_into(&bins, &x, (&mut counts, &mut outside))` only enqueues, and a graph replays it.
///
/// **`World`.** `x` is this rank's part. Every rank gets the counts of all parts, in host memory. All ranks pass the same bins.
///
/// # Errors
/// [`Error::TooManyResults`](crate::Error::TooManyResults) if there is not enough memory for the counts of each thread;
/// [`Error::FloatEnvironment`](crate::Error::FloatEnvironment) if a thread that counts does not round to nearest or flushes subnormal
/// numbers; of parts, of a device and of ranks as [`Reduce`](super::Reduce).
///
/// ```
/// use warpfold::{Bins, Cpu, Histogram, rows};
///
/// let (cpu, x) = (Cpu::new(), [0.5, 1.5, 1.75, -2.0, f64::NAN, 2.0]);
/// let bins = Bins::even(0.0..=2.0, 2)?;
/// assert_eq!(cpu.histogram(&bins, &x)?, Histogram { counts: vec![1, 3], below: 1, above: 0, nan: 1 });
/// assert_eq!(cpu.histogram(&bins, rows(&x, [2, 3]))?[0].counts, [1, 2]);
/// # Ok::<(), warpfold::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Histogram<B, X> {
    /// The bins.
    pub bins: B,
    /// The elements.
    pub x: X,
}
