//! Bins in device memory.

use std::sync::Arc;

use gpu_kernels::TotalOrder;
use gpu_kernels::histogram::shapes::Guess as Kind;

use crate::bins::{BinNumber, Bins, Guess};
use crate::cuda::Cuda;
use crate::cuda::launch::{Memory, Places};
use crate::cuda::select::word::word;
use crate::error::Error;
use crate::memory;

/// The bins of a histogram in the memory of one device, made by [`Cuda::bins`], for any number of calls.
///
/// ```no_run
/// use warpfold::{Bins, Cuda};
///
/// let cuda = Cuda::open(0)?;
/// let (stream, x) = (cuda.stream()?, cuda.upload(&[0.5f32, 0.75, 2.0])?);
/// let bins = cuda.bins(&Bins::even(0.0..=1.0, 4)?)?;
/// let (mut counts, mut outside) = (cuda.values(4)?, cuda.values(3)?);
/// stream.histogram_into(&bins, &x, (&mut counts, &mut outside))?;
/// assert_eq!((counts.to_vec()?, outside.to_vec()?), (vec![0, 0, 1, 1], vec![0, 1, 0]));
/// # Ok::<(), warpfold::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct DeviceBins<T> {
    bins: Bins<T>,
    /// The least rank of each bin.
    lows: Arc<Memory>,
}

impl Cuda {
    /// Copies bins to the device.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], [`Error::TooManyResults`] if there is not enough host memory for a copy; [`Error::Driver`],
    /// [`Error::Poisoned`].
    ///
    /// ```no_run
    /// use warpfold::{Bins, Cuda};
    ///
    /// let cuda = Cuda::open(0)?;
    /// let bytes = cuda.bins(&Bins::integers(0..=u8::MAX)?)?;
    /// let found = cuda.histogram(&bytes, &cuda.upload(b"hello")?)?;
    /// assert_eq!(found.counts.to_vec()?[b'l' as usize], 2);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn bins<T: BinNumber>(&self, bins: &Bins<T>) -> Result<DeviceBins<T>, Error> {
        let lows = memory::collected(bins.edges()[..bins.len()].iter().map(|&edge| ranks(edge)[0]))?;
        let lows = self.lease(|executor| Ok(Memory::uploaded(executor.queue(), &lows)?))?;
        Ok(DeviceBins { bins: bins.clone(), lows })
    }
}

impl<T: BinNumber> DeviceBins<T> {
    /// Returns the number of bins.
    #[must_use]
    pub fn len(&self) -> usize {
        self.bins.len()
    }

    /// Returns `false`: there is at least one bin.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.bins.is_empty()
    }

    /// Returns the bins in host memory.
    #[must_use]
    pub fn bins(&self) -> &Bins<T> {
        &self.bins
    }

    /// Returns the bins as kernels take them.
    pub(super) fn places(&self) -> Places<'_> {
        let [low, high] = self.bins.ends();
        let (guess, scale) = match self.bins.guess() {
            Guess::Search => (Kind::Search, [0.0; 2]),
            Guess::Distance => (Kind::Distance, [0.0; 2]),
            Guess::Product { scale, slack } => (T::KIND, [scale, slack]),
        };
        Places {
            lows: self.lows.whole(),
            bins: self.bins.len() as u32,
            most: word(&ranks(high)[1]),
            numbers: T::numbers().map(|number| word(&number.rank())),
            guess,
            ends: [low, high].map(|end| if T::IS_FLOAT { end.number(low) } else { 0.0 }),
            scale,
        }
    }
}

/// Returns the ranks of the numbers that equal an edge, the least and the greatest: two for zero.
fn ranks<T: BinNumber>(edge: T) -> [T::Rank; 2] {
    if edge == T::default() { T::zeros().map(TotalOrder::rank) } else { [edge.rank(); 2] }
}
