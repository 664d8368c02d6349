//! Threads as ranks, each with a handle of its own to the first device.

use std::ops::Range;
use std::sync::LazyLock;
use std::thread;

use warpfold::{Cuda, DeviceArray, DeviceSlice, Element, Threads, World};

/// The largest number of ranks.
pub const MOST: usize = 8;

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

/// The result of a call on each rank; there are as many ranks as parts.
pub fn on_each(
    cut: &[Range<usize>],
    call: impl Fn(&World<Threads>, Range<usize>) -> String + Sync,
) -> Vec<String> {
    thread::scope(|scope| {
        let call = &call;
        let ranks = World::threads(cut.len()).into_iter().zip(cut);
        let ranks: Vec<_> =
            ranks.map(|(world, part)| scope.spawn(move || call(&world, part.clone()))).collect();
        ranks.into_iter().map(|rank| rank.join().unwrap()).collect()
    })
}
