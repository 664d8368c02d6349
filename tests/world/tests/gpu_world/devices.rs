//! The first device, which each rank has a handle of its own to.

use std::ops::Range;
use std::sync::LazyLock;

use warpfold::{Cuda, DeviceArray, DeviceSlice, Element, World};

/// The largest number of ranks.
const MOST: usize = 8;

/// The device as each rank opened it.
static DEVICES: LazyLock<Vec<Cuda>> = LazyLock::new(|| {
    let open = || Cuda::open(0).unwrap_or_else(|error| panic!("these tests need a CUDA device: {error}"));
    (0..MOST).map(|_| open()).collect()
});

/// The device of a rank.
pub fn device<C: warpfold::Communicator>(world: &World<C>) -> &'static Cuda {
    &DEVICES[world.rank()]
}

/// An array on the device of each rank.
pub struct Whole<T>(Vec<DeviceArray<T>>);

impl<T: Element> Whole<T> {
    /// Uploads an array for each of the ranks of a cut.
    pub fn new(x: &[T]) -> Self {
        Self(DEVICES.iter().map(|cuda| cuda.upload(x).unwrap()).collect())
    }

    /// Returns a part of the array on a rank's device. Its address has any alignment.
    pub fn part<C: warpfold::Communicator>(
        &self,
        world: &World<C>,
        part: Range<usize>,
    ) -> DeviceSlice<'_, T> {
        self.0[world.rank()].slice(part).unwrap()
    }
}
