//! Results in device memory, of any type.

use warpfold::elements::Accumulator;
use warpfold::{DeviceArray, DeviceValues, Element};

/// `warpfold_array`: results in device memory, freed on drop.
pub(crate) struct Array(Box<dyn Held + Send + Sync>);

/// An array of any type.
pub(super) trait Held {
    fn address(&self) -> u64;
    fn len(&self) -> u64;
}

impl<T: Element> Held for DeviceArray<T> {
    fn address(&self) -> u64 {
        self.as_device_ptr()
    }

    fn len(&self) -> u64 {
        self.len() as u64
    }
}

impl<V: Accumulator> Held for DeviceValues<V> {
    fn address(&self) -> u64 {
        self.as_device_ptr()
    }

    fn len(&self) -> u64 {
        self.len() as u64
    }
}

impl Array {
    pub(super) fn of(values: impl Held + Send + Sync + 'static) -> Self {
        Self(Box::new(values))
    }

    /// Returns the device address of the results.
    pub(crate) fn address(&self) -> u64 {
        self.0.address()
    }

    /// Returns the number of results.
    pub(crate) fn len(&self) -> u64 {
        self.0.len()
    }
}
