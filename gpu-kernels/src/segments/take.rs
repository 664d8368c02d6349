//! Places in lists, reserved by counters.

use cuda_std::atomic::AtomicCells;
use cuda_std::warp::lane_id;

use crate::warp;

/// Reserves `places` places in a list for the warp and returns the first.
///
/// Called by: every lane of the warp, with the same number. Valid in: every lane.
#[inline(always)]
pub(crate) fn take(counters: AtomicCells<u64>, counter: u64, places: u32) -> u64 {
    let first = if lane_id() == 0 && places > 0 { counters.fetch_add(counter, u64::from(places)) } else { 0 };
    warp::of_lane(first, 0)
}
