//! Places in lists, reserved by counters.

use cuda_std::atomic::AtomicCells;
use cuda_std::warp::{WARP_SIZE, lane_id};

use crate::warp;

/// Reserves `places` places in a list for the warp and returns the first.
///
/// Called by: every lane of the warp, with the same number. Valid in: every lane.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn take(counters: AtomicCells<u64>, counter: u64, places: u32) -> u64 {
    let first = if lane_id() == 0 && places > 0 { counters.fetch_add(counter, u64::from(places)) } else { 0 };
    warp::of_lane(first, 0)
}

/// Reserves `places` places in a list for each lane, the lanes' in order, and returns the first.
///
/// Called by: every lane of the warp. Valid in: every lane.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn take_each(counters: AtomicCells<u64>, counter: u64, places: u32) -> u64 {
    let sum = warp::sum_up_to_here(places);
    take(counters, counter, warp::of_lane(sum, WARP_SIZE - 1)) + u64::from(sum - places)
}

/// Reserves a place in a list for each lane that `wants` one, and returns it.
///
/// Called by: every lane of the warp. Valid in: lanes that want one.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn take_one(counters: AtomicCells<u64>, counter: u64, wants: bool) -> u64 {
    let all = warp::ballot(wants);
    let before = (all & ((1 << lane_id()) - 1)).count_ones();
    take(counters, counter, all.count_ones()) + u64::from(before)
}
