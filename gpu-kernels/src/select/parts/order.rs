//! The order of few pairs in shared memory, for a team.

use bytemuck::Pod;
use cuda_std::shared::SharedSlice;
use cuda_std::thread::unknown;
use cuda_std::warp::WARP_SIZE;

use super::pair::Paired;
use super::team::Team;
use crate::warp;

/// Sorts the first `size` pairs, a power of two, by a bitonic network (K. E. Batcher, *Sorting networks and their applications*, 1968).
/// Where a warp compares only what it wrote itself, it does not wait for others.
///
/// Called by: every thread of the team, after a barrier. Valid in: every thread.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn sort<P: Pod + Ord>(team: &impl Team, pairs: SharedSlice<P>, size: u32) {
    let mut stage = 2;
    while stage <= size {
        let mut distance = stage / 2;
        while distance > 0 {
            let mut comparison = team.thread();
            while comparison < size / 2 {
                let low = comparison & (distance - 1);
                let a = 2 * (comparison - low) + low;
                let b = (a + distance) as usize;
                let (first, second) = (pairs.read(a as usize), pairs.read(b));
                if (first > second) == (a & stage == 0) {
                    pairs.write(a as usize, second);
                    pairs.write(b, first);
                }
                comparison += team.threads();
            }
            let next = if distance > 1 { distance / 2 } else { stage };
            if distance > WARP_SIZE || next > WARP_SIZE {
                team.sync();
            } else {
                warp::sync();
            }
            distance = unknown(distance / 2);
        }
        stage = unknown(stage * 2);
    }
    team.sync();
}

/// Calls `write` with each of the first `count` pairs that is among the first `k`, and its place in their order. No two are equal.
///
/// Called by: every thread of the team, after a barrier.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn count<P: Pod + Ord>(
    team: &impl Team,
    pairs: SharedSlice<P>,
    count: u32,
    k: u32,
    write: impl Fn(u32, P),
) {
    let pairs = pairs.part(0, count as usize);
    let mut own = team.thread();
    while own < count {
        let (pair, mut place) = (pairs.read(own as usize), 0);
        let mut other = 0;
        while other < pairs.len() {
            place += u32::from(pairs.read(other) < pair);
            other += 1;
        }
        if place < k {
            write(place, pair);
        }
        own += team.threads();
    }
}

/// Returns the `nth` of the lanes' ranks in their order, from 1.
///
/// Called by: every lane of the warp. Valid in: every lane. Scratch: none.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn nth_of_warp<W: Paired>(mut rank: W, lane: u32, nth: u32) -> W {
    let mut stage = 2;
    while stage <= WARP_SIZE {
        let mut distance = stage / 2;
        while distance > 0 {
            let other = W::narrow(warp::of_lane(rank.widen(), lane ^ distance));
            let wants_less = (lane & distance == 0) == (lane & stage == 0);
            rank = if wants_less { rank.min(other) } else { rank.max(other) };
            distance /= 2;
        }
        stage *= 2;
    }
    W::narrow(warp::of_lane(rank.widen(), nth - 1))
}
