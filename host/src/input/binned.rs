//! Elements by the bin of their keys.

/// Elements by the bin of their keys: see [`binned`].
#[derive(Clone, Copy, Debug)]
pub struct Binned<B, Y, X> {
    pub(crate) bins: B,
    pub(crate) keys: Y,
    pub(crate) x: X,
}

/// Returns an input of the elements of `x` by the bin of their keys: element `i` is in the bin of `keys[i]`. A reduction has a result for
/// each bin, with the bits of a reduction of the bin's elements alone, in the order of `x`. An element is
/// in no bin if it is [missing](crate::Elements), or if its key is missing, NaN or outside the bins. With [`Sum`](crate::Sum) this is a
/// weighted [histogram](crate::verb::Histogram).
///
/// The bins are [`&Bins`](crate::Bins), or on a device also `&DeviceBins`, which are copied there once. A `Stream` takes these alone. The
/// place of each key takes 4 bytes of memory. Elements are then folded as [`groups`](crate::groups) are, on a device without a wait.
///
/// # Errors
/// A reduction fails with [`Error::Lengths`](crate::Error::Lengths) if there is not one key for each element, and with
/// [`Error::TooManyResults`](crate::Error::TooManyResults) if there is not enough memory.
///
/// ```
/// use warpfold::{Bins, Cpu, Mean, Sum, binned};
///
/// let (cpu, hours) = (Cpu::new(), Bins::even(0.0..=24.0, 2)?);
/// let (times, degrees) = ([3.0, 14.5, 15.0, 23.0], [8.0, 21.0, 23.0, 13.0]);
/// assert_eq!(cpu.reduce(Mean, binned(&hours, &times, &degrees))?, [Some(8.0), Some(19.0)]);
/// assert_eq!(cpu.reduce(Sum, binned(&hours, &[1.0, 13.0, f64::NAN, 99.0], &degrees))?, [8.0, 21.0]);
/// # Ok::<(), warpfold::Error>(())
/// ```
pub fn binned<B, Y, X>(bins: B, keys: Y, x: X) -> Binned<B, Y, X> {
    Binned { bins, keys, x }
}
