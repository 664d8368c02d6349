//! How many are selected in all tiles before one: the states that tiles publish, and the look back over them.

use cuda_std::atomic::AtomicCells;
use cuda_std::thread::nanosleep;
use cuda_std::warp::{WARP_SIZE, lane_id};

use super::shape::STATES_HEAD;
use crate::warp;

/// What a tile has published, in the lowest two bits of its state: nothing yet.
const NOTHING: u64 = 0;
/// How many are selected in it, in the other bits.
const OWN: u64 = 1;
/// How many are selected in it and all before it.
const ALL: u64 = 2;

/// Tickets and states, all 0 when the launch begins.
///
/// A state is one word, stored and loaded whole. It carries all that is told, so relaxed accesses do: they order no other
/// memory, and none hangs on them.
#[derive(Clone, Copy)]
pub(super) struct States(pub(super) AtomicCells<u64>);

impl States {
    /// The next tile's number.
    #[inline(always)]
    pub(super) fn ticket(self) -> u64 {
        self.0.fetch_add(0, 1)
    }

    /// Publishes how many are selected in a tile.
    #[inline(always)]
    pub(super) fn publish_own(self, tile: u64, count: u64) {
        self.0.store(STATES_HEAD + tile, count << 2 | if tile == 0 { ALL } else { OWN });
    }

    /// Publishes how many are selected in a tile and all before it.
    #[inline(always)]
    pub(super) fn publish_all(self, tile: u64, count: u64) {
        self.0.store(STATES_HEAD + tile, count << 2 | ALL);
    }

    /// How many are selected in all tiles before `tile`. Waits for those that have published nothing: see the
    /// [module](super) for why that ends.
    ///
    /// 32 tiles at a time, and with a short sleep: 128 at a time took 5 % longer, and 0, 20 and 100 ns the same [H200, 2^28
    /// u32].
    ///
    /// Called by: every lane of one warp, of a block that has published its own. Valid in: every lane. Scratch: none.
    #[inline(always)]
    pub(super) fn before(self, tile: u64) -> u64 {
        let lane = u64::from(lane_id());
        let (mut end, mut sum) = (tile, 0);
        while end > 0 {
            // Lane i has the i-th tile back from `end`; beyond the first tile, all are 0. No branch stands around the load,
            // into whose two ways the compiler might copy the votes.
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
