//! Elements on the device, and the number of calls in a trial.

use std::ops::RangeInclusive;

use warpfold::{Cuda, DeviceArray, DeviceSlice};

use crate::datum::Datum;
use crate::failure::Failure;

/// Bytes that the inputs of calls rotate over, if that is enough: several times the cache of any device.
const ROTATED: u64 = 1 << 30;

/// The same elements on the host and on the device.
pub(crate) struct Arena<T: Datum> {
    pub(crate) host: Vec<T>,
    pub(crate) device: DeviceArray<T>,
}

/// Calls in a trial over inputs of `2^class` bytes: enough for a trial to take at least a tenth of a
/// millisecond, so that the clock's half microsecond does not matter.
pub(crate) fn calls(class: u32) -> usize {
    match class {
        0..20 => 128,
        20..24 => 32,
        24..28 => 8,
        _ => 4,
    }
}

/// Bytes of an arena for these classes: a separate input for each call of a trial, at most [`ROTATED`], but at
/// least one input.
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

    /// The inputs of `n` elements that `calls` calls rotate over.
    pub(crate) fn slices(&self, n: usize, calls: usize) -> Result<Vec<DeviceSlice<'_, T>>, Failure> {
        let count = (self.host.len() / n).clamp(1, calls);
        // Spread over the whole arena.
        let step = self.host.len() / count;
        let slice = |at: usize| Ok(self.device.slice(at * step..at * step + n)?);
        (0..count).map(slice).collect()
    }

    /// The host's elements of input `at` of `count`.
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
