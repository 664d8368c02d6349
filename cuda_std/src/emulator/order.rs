//! What is ordered before what: the moments of memory accesses, and the clocks that compare them.
//!
//! In a block, a barrier orders everything before it ahead of everything after it: the block counts its
//! barriers. In a warp, a `sync_warp` of all lanes does the same and is counted likewise; one of some lanes
//! joins those lanes' vector clocks (Lamport 1978, Mattern 1988). Between blocks, see `hand_over`.

use core::panic::Location;
use core::ptr;

/// Threads per warp, as a size.
pub(super) const LANES: usize = 32;

/// A memory access, as far as ordering and reporting need it.
#[derive(Clone, Copy)]
pub(super) struct Moment {
    pub(super) block: u32,
    pub(super) thread: u32,
    /// Barriers that the block had passed.
    pub(super) epoch: u32,
    /// Full `sync_warp`s that the warp had passed.
    pub(super) warp_epoch: u32,
    /// The lane's own time.
    pub(super) time: u32,
    pub(super) call: &'static str,
    pub(super) at: &'static Location<'static>,
}

/// What one lane knows of the times of its warp's lanes.
pub(super) type Clock = [u32; LANES];

/// The clocks of a warp. `lane[i][j]` is the time of lane j up to which lane i has seen its accesses.
pub(super) struct Clocks {
    pub(super) epoch: u32,
    lane: Vec<Clock>,
}

impl Clocks {
    pub(super) fn new() -> Self {
        let mut lane = vec![[0; LANES]; LANES];
        for (i, clock) in lane.iter_mut().enumerate() {
            clock[i] = 1;
        }
        Self { epoch: 0, lane }
    }

    pub(super) fn time(&self, lane: u32) -> u32 {
        self.lane[lane as usize][lane as usize]
    }

    pub(super) fn of(&self, lane: u32) -> &Clock {
        &self.lane[lane as usize]
    }

    /// Starts a new time of `lane`: what it does from now on is not covered by what it published before.
    pub(super) fn advance(&mut self, lane: u32) {
        self.lane[lane as usize][lane as usize] += 1;
    }

    /// A `sync_warp` of the lanes in `mask`, of those that `existing` names.
    pub(super) fn sync(&mut self, mask: u32, existing: u32) {
        if mask == existing {
            self.epoch += 1;
            return;
        }
        let mut joined = [0; LANES];
        for lane in lanes(mask) {
            for (all, &one) in joined.iter_mut().zip(self.of(lane)) {
                *all = (*all).max(one);
            }
        }
        for lane in lanes(mask) {
            self.lane[lane as usize] = joined;
            self.advance(lane);
        }
    }
}

/// The numbers of the bits set in `mask`, ascending.
pub(super) fn lanes(mask: u32) -> impl Iterator<Item = u32> {
    let mut rest = mask;
    core::iter::from_fn(move || {
        let lane = rest.trailing_zeros();
        rest &= rest.wrapping_sub(1);
        (lane < 32).then_some(lane)
    })
}

/// Whether two places of the source are the same one. Copies of a `Location` may have several addresses.
pub(super) fn same(a: &'static Location<'static>, b: &'static Location<'static>) -> bool {
    ptr::eq(a, b) || a == b
}

/// A call of one of this crate's functions: its name, and where.
pub(super) type Call = (&'static str, &'static Location<'static>);

/// Whether two calls are the same one. Names are compared where they stand first: that mostly settles it.
pub(super) fn same_call(a: Call, b: Call) -> bool {
    same(a.1, b.1) && (ptr::eq(a.0, b.0) || a.0 == b.0)
}
