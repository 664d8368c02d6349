//! The order of memory accesses: their moments, and the clocks that compare them.
//!
//! Within a block, a barrier orders everything before it ahead of everything after it; each block counts its barriers.
//! Within a warp, a `sync_warp` of all lanes does the same and is counted in the same way. A `sync_warp` of some lanes
//! joins the vector clocks of those lanes (Lamport 1978, Mattern 1988). For the order between blocks, see `hand_over`.

use core::panic::Location;
use core::ptr;

/// Threads per warp, as a size.
pub(super) const LANES: usize = 32;

/// A memory access, as needed for ordering and reporting.
#[derive(Clone, Copy)]
pub(super) struct Moment {
    pub(super) block: u32,
    pub(super) thread: u32,
    /// Number of barriers that the block had passed.
    pub(super) epoch: u32,
    /// Number of `sync_warp`s of all lanes that the warp had passed.
    pub(super) warp_epoch: u32,
    /// The lane's own time.
    pub(super) time: u32,
    pub(super) call: &'static str,
    pub(super) at: &'static Location<'static>,
}

/// The times of its warp's lanes that one lane has seen.
pub(super) type Clock = [u32; LANES];

/// The clocks of a warp. Lane i has seen the accesses of lane j up to time `lane[i][j]`.
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

    /// Starts a new time of `lane`, because its later accesses are not covered by what it published before.
    pub(super) fn advance(&mut self, lane: u32) {
        self.lane[lane as usize][lane as usize] += 1;
    }

    /// Records a `sync_warp` of the lanes in `mask`. `existing` are the warp's lanes.
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

/// Returns the numbers of the bits set in `mask`, ascending.
pub(super) fn lanes(mask: u32) -> impl Iterator<Item = u32> {
    let mut rest = mask;
    core::iter::from_fn(move || {
        let lane = rest.trailing_zeros();
        rest &= rest.wrapping_sub(1);
        (lane < 32).then_some(lane)
    })
}

/// Returns whether two places of the source are the same. Copies of a `Location` may have different addresses.
pub(super) fn same(a: &'static Location<'static>, b: &'static Location<'static>) -> bool {
    ptr::eq(a, b) || a == b
}

/// A call of a function of this crate: its name and its place.
pub(super) type Call = (&'static str, &'static Location<'static>);

/// Returns whether two calls are the same. The names' addresses are compared first, which is usually enough.
pub(super) fn same_call(a: Call, b: Call) -> bool {
    same(a.1, b.1) && (ptr::eq(a.0, b.0) || a.0 == b.0)
}
