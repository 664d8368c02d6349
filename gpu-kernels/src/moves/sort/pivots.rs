//! Bounds between the buckets of each segment: of a sorted sample, or evenly spaced.

use cuda_std::global::GlobalCells;
use cuda_std::grid::let_next_launch_start;
use cuda_std::thread::{block_idx_x, sync_threads, thread_idx_x};
use cuda_std::warp::WARP_SIZE;

use super::block::{self, Staged};
use super::coding::{Key, Keys};
use super::segment::{Segment, Segments, own_first};
use super::shape::{BOUNDS, BUCKETS, sample_place, sort_tile};
use crate::unroll::unrolled;

/// Writes the bounds of a segment for each block: not descending; a bucket has the keys from one bound on and below the next.
///
/// Called by: every thread of every block, of [`SORT_THREADS`](super::shape::SORT_THREADS). Valid in: `bounds`, when the launch
/// has ended. Scratch: `staged`, what the ranks have.
#[inline(always)]
pub(super) fn find<W: Key, const I: usize>(
    keys: Keys<W>,
    segments: Segments,
    bounds: GlobalCells<W>,
    staged: Staged<W>,
) {
    let number = u64::from(block_idx_x());
    let segment = segments.at(number);
    let thread = thread_idx_x();
    let bound = if segment.is_even {
        even(&segment, thread)
    } else {
        of_sample::<W, I>(keys, &segment, thread, staged)
    };
    // Not beyond the greatest key: behind that of the whole type there is none, and the last bucket has it alone then.
    let bound = bound.min(W::of_wide(segment.greatest - segment.least));
    if u64::from(thread) < BOUNDS {
        bounds.write(number * BOUNDS + u64::from(thread), W::of_wide(segment.least).plus(bound));
    }
    let_next_launch_start();
}

/// How far above the least key this thread's bound is: at as many parts of a 256th.
#[inline(always)]
fn even<W: Key>(segment: &Segment, thread: u32) -> W {
    let range = segment.greatest - segment.least;
    let part = range / u128::from(BUCKETS) + 1;
    W::of_wide(part.saturating_mul(u128::from(thread + 1)).min(range))
}

/// The same of a sample: every so manieth key, or the next one behind it if the bound before is the same.
#[inline(always)]
fn of_sample<W: Key, const I: usize>(keys: Keys<W>, segment: &Segment, thread: u32, staged: Staged<W>) -> W {
    let (least, own) = (W::of_wide(segment.least), own_first(I));
    let mut sample = [W::zeroed(); I];
    unrolled!(i < I => {
        let number = own + i as u32 * WARP_SIZE;
        let place = sample_place(number, sort_tile(I), segment.start, segment.len);
        sample[i] = keys.read(segment.start + place).distance_from(least);
    });
    let bits = u128::BITS - (segment.greatest - segment.least).leading_zeros();
    block::sort(sample, bits, staged);
    sync_threads();
    let at = |number: u32| W::narrow(staged.keys.read(number as usize * I % (BUCKETS as usize * I)));
    let (bound, before) = (at(thread + 1), at(thread));
    if thread > 0 && bound == before { bound.above().unwrap_or(bound) } else { bound }
}
