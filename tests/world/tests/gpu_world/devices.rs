//! The devices there are, in turn: each of up to 8 ranks has a handle of its own to one.

use std::ops::Range;
use std::sync::LazyLock;

use warpfold::{Cuda, DeviceArray, DeviceSlice, Element, World};

/// How often devices are opened. Further ranks share the handles.
const HANDLES: usize = 8;

/// The devices as ranks opened them.
static DEVICES: LazyLock<Vec<Cuda>> = LazyLock::new(|| {
    let count = Cuda::device_count().unwrap_or(1).max(1);
    let open = |ordinal| {
        Cuda::open(ordinal).unwrap_or_else(|error| panic!("these tests need a CUDA device: {error}"))
    };
    (0..HANDLES).map(|handle| open(handle % count)).collect()
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
