//! A block's sort: a tile in registers and shared memory, by digits, the least significant first.

use cuda_std::shared::SharedSlice;
use cuda_std::thread::{sync_threads, thread_idx_x, unknown};
use cuda_std::warp::WARP_SIZE;

use super::coding::Key;
use super::segment::own_first;
use crate::moves::groups::pass::Pass;
use crate::moves::groups::ranks::Ranks;
use crate::moves::groups::shape::MOST_DIGIT_BITS;
use crate::unroll::unrolled;

/// Shared memory for a tile.
#[derive(Clone, Copy)]
pub(super) struct Staged<W: Key> {
    /// Keys.
    pub(super) keys: SharedSlice<W::Shared>,
    /// A word beside each.
    pub(super) beside: SharedSlice<u32>,
}

/// Sorts the tile by the lowest `bits` bits of its keys, at least 1, stably, and leaves it in `staged`; gives each thread the
/// keys that stand where its own did, and where in the tile those were before, if `with_places`.
///
/// Called by: every thread of a block of [`SORT_THREADS`](super::shape::SORT_THREADS). Valid in: every thread; `staged.keys`
/// after a barrier. Scratch: `staged`, what the ranks have. Order: warp, turn, lane.
#[inline(always)]
pub(super) fn sort<W: Key, const I: usize>(
    mut keys: [W; I],
    bits: u32,
    with_places: bool,
    staged: Staged<W>,
) -> ([W; I], [u32; I]) {
    let (thread, own) = (thread_idx_x(), own_first(I));
    let mut places = [0; I];
    unrolled!(i < I => { places[i] = own + i as u32 * WARP_SIZE });
    // As few passes as may be, the bits shared evenly among them.
    let digit_bits = bits.div_ceil(bits.div_ceil(MOST_DIGIT_BITS).max(1));
    let mut shift = 0;
    while shift < bits {
        let pass = Pass { shift: 0, bits: digit_bits };
        let mut digits = [0; I];
        unrolled!(i < I => { digits[i] = keys[i].digit(shift, digit_bits) });
        let ranks = Ranks::new(pass, thread);
        let numbers = ranks.number::<I>(digits);
        sync_threads();
        ranks.settle(|_| {});
        sync_threads();
        unrolled!(i < I => {
            let rank = (ranks.first_of_warp(digits[i]) + numbers[i]) as usize;
            staged.keys.write(rank, keys[i].widen());
            if with_places {
                staged.beside.write(rank, places[i]);
            }
        });
        sync_threads();
        unrolled!(i < I => {
            let place = (own + i as u32 * WARP_SIZE) as usize;
            keys[i] = W::narrow(staged.keys.read(place));
            if with_places {
                places[i] = staged.beside.read(place);
            }
        });
        shift = unknown(shift + digit_bits);
    }
    (keys, places)
}
