//! The bounds between the buckets of each segment: from a sorted sample, or evenly spaced.

use cuda_std::global::GlobalCells;
use cuda_std::grid::let_next_launch_start;
use cuda_std::thread::{block_idx_x, sync_threads, thread_idx_x};
use cuda_std::warp::WARP_SIZE;
use warpfold_exact::unrolled;

use super::block::{self, Staged};
use super::coding::{Key, Keys};
use super::segment::{Segment, Segments, own_first};
use super::shapes::{BOUNDS, BUCKETS, sample_place, sort_tile};

/// Writes the bounds of one segment per block, in ascending order, possibly equal. A bucket has the keys from one bound on and
/// below the next.
///
/// Called by: every thread of every block, of [`SORT_THREADS`](super::shapes::SORT_THREADS). Valid in: `bounds`, when the launch
/// has ended. Scratch: `staged`, and the ranks'.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
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
    // At most the greatest key: no key comes after the greatest of the type, and then the last bucket has that key alone.
    let bound = bound.min(W::of_wide(segment.greatest - segment.least));
    if u64::from(thread) < BOUNDS {
        bounds.write(number * BOUNDS + u64::from(thread), W::of_wide(segment.least).plus(bound));
    }
    let_next_launch_start();
}

/// Returns the distance of this thread's evenly spaced bound above the least key, in steps of a 256th of the range.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn even<W: Key>(segment: &Segment, thread: u32) -> W {
    let range = segment.greatest - segment.least;
    let part = range / u128::from(BUCKETS) + 1;
    W::of_wide(part.saturating_mul(u128::from(thread + 1)).min(range))
}

/// Returns the distance of this thread's bound from a sample: a key at equal steps of the sorted sample, or that key plus 1 if
/// the bound before is the same.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
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
