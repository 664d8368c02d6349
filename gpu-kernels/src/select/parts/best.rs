//! The best pairs of what a team has seen so far.
//!
//! Pairs up to a bound are appended to shared memory. When that is full, it is sorted, and the `k`-th pair is the next bound: at least
//! `k` pairs do not come after it. The bound is a filter: a pair after it does no harm.

use cuda_std::shared::SharedSlice;
use cuda_std::thread::anew;
use cuda_std::warp::WARP_SIZE;
use warpfold_exact::unrolled;

use super::order;
use super::pair::Paired;
use super::source::{Loaded, Source};
use super::team::Team;
use crate::warp;

/// Most pairs that are put in order by counting how many come before each; more are sorted.
const MOST_COUNTED: u32 = 48;

/// The best pairs so far.
pub(super) struct Best<W: Paired, T> {
    pub(super) team: T,
    /// A power of two of pairs, more than `k`.
    pub(super) room: SharedSlice<W::Pair>,
    /// How many are wanted.
    pub(super) k: u32,
    /// Pairs after it are not wanted.
    pub(super) bound: W::Pair,
}

impl<W: Paired, T: Team> Best<W, T> {
    /// Forgets all pairs, and takes pairs up to `bound` from now on.
    ///
    /// Called by: every thread of the team.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn start(&mut self, bound: W::Pair) {
        self.bound = bound;
        self.team.sync();
        self.team.set_taken(0);
        self.team.sync();
    }

    /// Appends the loaded elements that may be among the first.
    ///
    /// Called by: every thread of the team. Scratch: the room.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[allow(unused_assignments, reason = "no place follows the last one")]
    pub(super) fn offer<S: Source<W, E>, const E: usize>(&mut self, source: &S, loaded: Loaded<S::Item, E>) {
        const { assert!(E <= 16) }
        let (nearest, mut present) = (source.nearest(&loaded), loaded.present);
        loop {
            let mut wanted = 0;
            // The same in all threads.
            if let Some(most) = self.most_from(loaded.first)
                && warp::ballot(nearest <= most) != 0
            {
                unrolled!(i < E => { wanted |= u32::from(source.rank(loaded.items[i]) <= most) << i });
                wanted &= present;
                let own = wanted.count_ones();
                let up_to_here = warp::sum_up_to_here(own);
                let first = self.team.take(warp::of_lane(up_to_here, WARP_SIZE - 1));
                let mut place = first + up_to_here - own;
                // Otherwise all indices would be computed before the loop, for every tile.
                let again = Loaded { base: anew(loaded.base), ..loaded };
                unrolled!(i < E => {
                    if wanted >> i & 1 != 0 && (place as usize) < self.room.len() {
                        self.room.write(place as usize, source.pair(&again, i));
                        present &= !(1 << i);
                    }
                    place = place.wrapping_add(wanted >> i & 1);
                });
            }
            if !self.team.any(wanted & present != 0) {
                return;
            }
            self.reduce();
        }
    }

    /// Returns the greatest rank of a wanted pair with an index from `index` on, or `None` if no such pair is wanted.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn most_from(&self, index: u32) -> Option<W> {
        let most = W::rank_of(self.bound);
        if index <= W::index_of(self.bound) { Some(most) } else { most.below() }
    }

    /// Keeps the first `k` of a full room.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn reduce(&mut self) {
        order::sort(&self.team, self.room, self.room.len() as u32);
        self.bound = self.room.read(self.k as usize - 1);
        self.team.set_taken(self.k);
        self.team.sync();
    }

    /// Returns how many pairs there are.
    ///
    /// Called by: every thread of the team. Valid in: every thread.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn count(&self) -> u32 {
        self.team.sync();
        self.team.taken()
    }

    /// Calls `write` with the first `k` of the `count` pairs and their places.
    ///
    /// Called by: every thread of the team.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn write(&self, count: u32, write: impl Fn(u32, W::Pair)) {
        if count <= MOST_COUNTED {
            return order::count(&self.team, self.room, count, self.k, write);
        }
        let size = count.next_power_of_two();
        let mut place = count + self.team.thread();
        while place < size {
            self.room.write(place as usize, W::LAST);
            place += self.team.threads();
        }
        self.team.sync();
        order::sort(&self.team, self.room, size);
        let mut place = self.team.thread();
        while place < self.k {
            write(place, self.room.read(place as usize));
            place += self.team.threads();
        }
    }
}
