//! The number of selected elements in all tiles before one: the states that tiles publish, and the look-back over them.

use cuda_std::atomic::AtomicCells;
use cuda_std::thread::nanosleep;
use cuda_std::warp::{WARP_SIZE, lane_id};

use super::shapes::STATES_HEAD;
use crate::warp;

/// The lowest two bits of a state: nothing is published yet.
const NOTHING: u64 = 0;
/// The other bits are the number of selected elements in the tile.
const OWN: u64 = 1;
/// The other bits are the number of selected elements in the tile and all before it.
const ALL: u64 = 2;

/// Tickets and states, all 0 when the launch begins.
///
/// A state is one word, stored and loaded as a whole. It carries all the information, so relaxed accesses suffice: no other
/// memory needs to be ordered with them.
#[derive(Clone, Copy)]
pub(super) struct States(pub(super) AtomicCells<u64>);

impl States {
    /// Draws the next tile's number.
    #[inline(always)]
    pub(super) fn ticket(self) -> u64 {
        self.0.fetch_add(0, 1)
    }

    /// Publishes the number of selected elements in a tile.
    #[inline(always)]
    pub(super) fn publish_own(self, tile: u64, count: u64) {
        self.0.store(STATES_HEAD + tile, count << 2 | if tile == 0 { ALL } else { OWN });
    }

    /// Publishes the number of selected elements in a tile and all before it.
    #[inline(always)]
    pub(super) fn publish_all(self, tile: u64, count: u64) {
        self.0.store(STATES_HEAD + tile, count << 2 | ALL);
    }

    /// Returns the number of selected elements in all tiles before `tile`. Waits for those that have published nothing; the
    /// [module](super) proves that this ends.
    ///
    /// It reads 32 tiles at a time, with a short sleep between: 128 at a time took 5 % longer, and sleeps of 0, 20 and 100 ns
    /// took the same time [H200, 2^28 u32].
    ///
    /// Called by: every lane of one warp, of a block that has published its own. Valid in: every lane. Scratch: none.
    #[inline(always)]
    pub(super) fn before(self, tile: u64) -> u64 {
        let lane = u64::from(lane_id());
        let (mut end, mut sum) = (tile, 0);
        while end > 0 {
            // Lane i has the i-th tile back from `end`; before the first tile, all are 0. There is no branch around the load,
            // since the compiler might copy the votes into both of its paths.
            let at = (end - 1).saturating_sub(lane);
            let (state, know_all) = loop {
                let found = self.0.load(STATES_HEAD + at);
                let state = if lane < end { found } else { ALL };
                let know_all = warp::ballot(state & 3 == ALL);
                let last = know_all.trailing_zeros().min(WARP_SIZE - 1);
                let wanted = u32::MAX >> (WARP_SIZE - 1 - last);
                if warp::ballot(state & 3 == NOTHING) & wanted == 0 {
                    break (state, know_all);
                }
                nanosleep(20);
            };
            let is_counted = lane <= u64::from(know_all.trailing_zeros());
            sum +=
                warp::of_lane(warp::sum_up_to_here(if is_counted { state >> 2 } else { 0 }), WARP_SIZE - 1);
            if know_all != 0 {
                break;
            }
            end -= u64::from(WARP_SIZE);
        }
        sum
    }
}
