//! Ranks with a device each.

use std::thread;
use std::time::Duration;

use warpfold::{Communicator, Cuda, Nccl, NcclSizes, Threads, World};

use super::{across, whole};

/// Ranks wait for each other no longer.
pub const LIMIT: Duration = Duration::from_secs(60);

/// Sizes by which arrays of some thousand elements are in several pieces.
const SMALL: NcclSizes = NcclSizes { piece: 16 << 10, least_share: 0, small: 1 << 10, more: 1 << 20 };

/// Numbers of devices to test: two, three and all. None, and a line that says so, where there are fewer than two.
pub fn counts() -> Vec<usize> {
    let found = Cuda::device_count();
    let all = found.clone().unwrap_or(0);
    if all < 2 {
        eprintln!("skipped: two devices are needed; found: {found:?}");
    }
    let mut counts: Vec<usize> = [2, 3, all].into_iter().filter(|&count| count <= all && all >= 2).collect();
    counts.dedup();
    counts
}

/// Calls `call` on a thread for each device.
pub fn on_each<R: Send>(
    devices: usize,
    limit: Duration,
    call: impl Fn(World<Nccl<Threads>>, &Cuda) -> R + Sync,
) -> Vec<R> {
    thread::scope(|scope| {
        let call = &call;
        let rank = |rank: Threads| {
            scope.spawn(move || {
                let cuda = Cuda::open(rank.rank()).unwrap();
                let own = rank.with_time_limit(limit);
                call(World::new(Nccl::with_time_limit(own, &cuda, limit).unwrap()), &cuda)
            })
        };
        let ranks: Vec<_> = Threads::new(devices).into_iter().map(rank).collect();
        ranks.into_iter().map(|rank| rank.join().unwrap()).collect()
    })
}

/// Every case, on one rank: with the library's sizes, and with arrays in many small pieces.
pub fn all_cases<C: Communicator>(communicator: impl Fn() -> C, cuda: &Cuda) {
    let nccl = || Nccl::with_time_limit(communicator(), cuda, LIMIT).unwrap();
    let world = World::new(nccl());
    whole::cases(&world, cuda);
    across::cases(&world, cuda, &across::LENS);
    across::cases(&World::new(nccl().with_sizes(SMALL)), cuda, &across::SHORT_LENS);
}

#[test]
fn one_process() {
    for devices in counts() {
        thread::scope(|scope| {
            // Each rank makes two worlds.
            let mut ranks = [Threads::new(devices), Threads::new(devices)].map(Vec::into_iter);
            for _ in 0..devices {
                let own: Vec<_> = ranks.iter_mut().filter_map(Iterator::next).collect();
                scope.spawn(move || {
                    let cuda = Cuda::open(own[0].rank()).unwrap();
                    let own = std::cell::RefCell::new(own);
                    all_cases(|| own.borrow_mut().pop().unwrap().with_time_limit(LIMIT), &cuda);
                });
            }
        });
    }
}
