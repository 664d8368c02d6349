//! Elements on the device, and how many calls make a trial.

use std::ops::RangeInclusive;

use warpfold::{Cuda, DeviceArray, DeviceSlice};

use crate::datum::Datum;
use crate::failure::Failure;

/// Bytes that calls rotate over, where that many suffice: several times any device's cache.
const ROTATED: u64 = 1 << 30;

/// The same elements on the host and on the device.
pub(crate) struct Arena<T: Datum> {
    pub(crate) host: Vec<T>,
    pub(crate) device: DeviceArray<T>,
}

/// Calls in a trial over inputs of `2^class` bytes: so many that a trial takes a tenth of a millisecond or more, of which
/// the clock's half microsecond is little.
pub(crate) fn calls(class: u32) -> usize {
    match class {
        0..20 => 128,
        20..24 => 32,
        24..28 => 8,
        _ => 4,
    }
}

/// Bytes that an arena for these classes has: for each call of a trial an input of its own, or [`ROTATED`], or one input.
pub(crate) fn bytes(classes: &RangeInclusive<u32>) -> u64 {
    let rotated = classes.clone().map(|class| (calls(class) as u64) << class).max().unwrap_or(0);
    rotated.min(ROTATED).max(1 << classes.end())
}

impl<T: Datum> Arena<T> {
    pub(crate) fn new(cuda: &Cuda, bytes: u64) -> Result<Self, Failure> {
        let host = crate::datum::make(bytes as usize / size_of::<T>());
        let device = cuda.upload(&host)?;
        Ok(Self { host, device })
    }

    /// The inputs of `n` elements over which `calls` calls rotate.
    pub(crate) fn slices(&self, n: usize, calls: usize) -> Result<Vec<DeviceSlice<'_, T>>, Failure> {
        let count = (self.host.len() / n).clamp(1, calls);
        // Spread over all of it.
        let step = self.host.len() / count;
        let slice = |at: usize| Ok(self.device.slice(at * step..at * step + n)?);
        (0..count).map(slice).collect()
    }

    /// What the `at`-th of `count` such inputs is on the host.
    pub(crate) fn on_host(&self, n: usize, at: usize, count: usize) -> &[T] {
        let start = at * (self.host.len() / count);
        self.host.get(start..start + n).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trials_have_inputs_of_their_own_where_there_is_room() {
        assert_eq!(bytes(&(12..=12)), 128 << 12);
        assert_eq!(bytes(&(12..=19)), 128 << 19);
        assert_eq!(bytes(&(12..=28)), 1 << 30);
        assert_eq!(bytes(&(12..=33)), 1 << 33);
    }
}
