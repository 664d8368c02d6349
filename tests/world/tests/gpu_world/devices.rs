//! The first device, which each of up to 8 ranks has a handle of its own to.

use std::ops::Range;
use std::sync::LazyLock;

use warpfold::{Cuda, DeviceArray, DeviceSlice, Element, World};

/// How often the device is opened. Further ranks share the handles.
const HANDLES: usize = 8;

/// The device as ranks opened it.
static DEVICES: LazyLock<Vec<Cuda>> = LazyLock::new(|| {
    let open = || Cuda::open(0).unwrap_or_else(|error| panic!("these tests need a CUDA device: {error}"));
    (0..HANDLES).map(|_| open()).collect()
});

/// The device of a rank.
pub fn device<C: warpfold::Communicator>(world: &World<C>) -> &'static Cuda {
    &DEVICES[world.rank() % HANDLES]
}

/// An array that each handle has.
pub struct Whole<T>(Vec<DeviceArray<T>>);

impl<T: Element> Whole<T> {
    /// Uploads an array by each handle.
    pub fn new(x: &[T]) -> Self {
        Self(DEVICES.iter().map(|cuda| cuda.upload(x).unwrap()).collect())
    }

    /// Returns a part of the array on a rank's device. Its address has any alignment.
    pub fn part<C: warpfold::Communicator>(
        &self,
        world: &World<C>,
        part: Range<usize>,
    ) -> DeviceSlice<'_, T> {
        self.0[world.rank() % HANDLES].slice(part).unwrap()
    }
}
