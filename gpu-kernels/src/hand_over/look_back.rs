//! The look-back: the count of all tiles before one, from what they have posted.
//!
//! It walks back over the tiles and adds up their own counts, to the first tile that has posted the count up to its end. Tile 0
//! does so at once, so the walk ends there at the latest.

use cuda_std::thread::nanosleep;
use cuda_std::warp::{WARP_SIZE, lane_id};
use warpfold_exact::unrolled;

use super::post::{State, States};
use crate::warp;

/// About how long a thread waits before it looks again, in nanoseconds: a look takes some hundreds.
const PAUSE_OF_THREAD: u32 = 40;

/// How long a warp waits, in nanoseconds. From 0 to 100 the time is the same (docs/tuning/gpu.md).
const PAUSE_OF_WARP: u32 = 20;

impl States<u32> {
    /// Waits until all tiles before `tile` have posted, and returns the count of their elements. It has the states of `N` tiles
    /// under way.
    ///
    /// Called by: one thread, of a block that has posted its own count. Valid in: that thread. Scratch: none.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn before_by_thread<const N: usize>(self, tile: u32) -> u32 {
        let (mut sum, mut next) = (0, tile);
        let mut is_open = tile > 0;
        while is_open {
            let mut states = [0; N];
            if next >= N as u32 {
                states = self.cells.load_back(self.place(u64::from(next - 1)), self.step);
            } else {
                // Tile 0 ends the walk, so nobody looks behind what this does not load.
                unrolled!(i < N => {
                    if (i as u32) < next {
                        states[i] = self.cells.load(self.place(u64::from(next - 1 - i as u32)));
                    }
                });
            }
            let mut is_posted = true;
            unrolled!(i < N => {
                is_posted &= states[i].is_posted();
                if is_open && is_posted {
                    sum += states[i].count();
                    next -= 1;
                    is_open = !states[i].is_up_to_here();
                }
            });
            if is_open && !is_posted {
                nanosleep(PAUSE_OF_THREAD);
            }
        }
        sum
    }
}

impl States<u64> {
    /// Waits as [`before_by_thread`](States::before_by_thread) does, with the states of 32 tiles under way, and returns the
    /// count. 128 at a time took longer (docs/tuning/gpu.md).
    ///
    /// Called by: every lane of one warp, of a block that has posted its own count. Valid in: every lane. Scratch: none.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn before_by_warp(self, tile: u64) -> u64 {
        let lane = u64::from(lane_id());
        let (mut end, mut sum) = (tile, 0);
        while end > 0 {
            // Lane i has the i-th tile back from `end`; before the first tile, all are 0. There is no branch around the load,
            // since the compiler might copy the votes into both of its paths.
            let at = (end - 1).saturating_sub(lane);
            let (state, know_all) = loop {
                let found = self.cells.load(self.place(at));
                let state = if lane < end { found } else { State::new(0, true) };
                let know_all = warp::ballot(state.is_up_to_here());
                let last = know_all.trailing_zeros().min(WARP_SIZE - 1);
                let wanted = u32::MAX >> (WARP_SIZE - 1 - last);
                if warp::ballot(!state.is_posted()) & wanted == 0 {
                    break (state, know_all);
                }
                nanosleep(PAUSE_OF_WARP);
            };
            let is_counted = lane <= u64::from(know_all.trailing_zeros());
            let counted = if is_counted { state.count() } else { 0 };
            sum += warp::of_lane(warp::sum_up_to_here(counted), WARP_SIZE - 1);
            if know_all != 0 {
                break;
            }
            end -= u64::from(WARP_SIZE);
        }
        sum
    }
}
