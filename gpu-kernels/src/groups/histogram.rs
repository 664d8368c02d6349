//! How many elements have each digit of each pass, by one look at the ids.
//!
//! **Counters in shared memory**, for each digit as many side by side as there is room for, up to one per lane: lanes of a
//! warp that have the same digit add to different ones, and wait for each other only where there are more of them. What a
//! block has counted is added to the sums of all at its end.

use bytemuck::Pod;
use cuda_std::atomic::AtomicCells;
use cuda_std::global::GlobalSlice;
use cuda_std::grid::let_next_launch_start;
use cuda_std::thread::{block_dim_x, sync_threads, thread_idx_x, unknown};
use cuda_std::warp::{WARP_SIZE, lane_id};
use warpfold_exact::unrolled;

use super::ids::IdsOut;
use super::scan::portion;
use super::shapes::{HISTOGRAM_WORDS, MOST_PASSES};
use crate::radix::shapes::{DIGIT_BITS, DIGITS};

/// Ids that a thread has under way.
const AT_ONCE: usize = 8;

cuda_std::shared_bytes! {
    /// The counters.
    fn warpfold_histogram: 32768
}

const _: () = assert!(HISTOGRAM_WORDS * 4 == 32768 && DIGITS * MOST_PASSES as usize <= HISTOGRAM_WORDS);

/// What ids must be.
#[derive(Clone, Copy)]
pub(crate) struct Check {
    /// They are less than this.
    pub(crate) groups: u64,
    /// One cell for the place of the first that is not.
    pub(crate) first_bad: AtomicCells<u64>,
}

/// Adds to `out`, at `pass * 256 + digit`, how many of each block's ids have that digit in that pass, of `passes`. Checks the ids,
/// and copies them to where the passes read them.
///
/// Called by: every thread of every block. A block has `portion_len` ids, fewer than 2^32. Valid in: what is written, when the
/// launch has ended. Scratch: the counters.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn count<I: Pod + Into<u64>>(
    ids: GlobalSlice<I>,
    portion_len: u64,
    passes: u32,
    check: Check,
    copy: IdsOut,
    out: AtomicCells<u64>,
) {
    let (thread, threads) = (thread_idx_x(), block_dim_x());
    let counters = warpfold_histogram().array::<u32, HISTOGRAM_WORDS>().slice();
    let digits = passes << DIGIT_BITS;
    // As many counters side by side for each digit as a power of two says.
    let side = (HISTOGRAM_WORDS as u32 / digits).ilog2().min(WARP_SIZE.ilog2());
    each(thread, threads, digits << side, |place| counters.write(place as usize, 0));
    sync_threads();

    let own = lane_id() & ((1 << side) - 1);
    let count_one = |place: u64, id: u64| {
        if id >= check.groups {
            check.first_bad.min(0, place);
        }
        copy.write(place, id as u32);
        let (mut rest, mut first) = (id as u32, 0);
        while first < digits {
            counters.add(((first | (rest % DIGITS as u32)) << side | own) as usize, 1);
            rest >>= DIGIT_BITS;
            first = unknown(first + DIGITS as u32);
        }
    };
    let (start, end) = portion(ids.len(), portion_len);
    let mut next = start + u64::from(thread);
    while next < end {
        let last = next + u64::from((AT_ONCE as u32 - 1) * threads);
        if last < end {
            let loaded = ids.read_column::<AT_ONCE>(next, threads);
            unrolled!(i < AT_ONCE => {
                count_one(next + u64::from(i as u32 * threads), loaded[i].into());
            });
            next = last + u64::from(threads);
        } else {
            count_one(next, ids.read(next).into());
            next += u64::from(threads);
        }
    }

    sync_threads();
    each(thread, threads, digits, |digit| {
        let mut total = 0;
        // From another one in each thread, so that their banks differ.
        each(0, 1, 1 << side, |at| {
            total += counters.read((digit << side | (at + thread) & ((1 << side) - 1)) as usize);
        });
        if total > 0 {
            out.add(u64::from(digit), u64::from(total));
        }
    });
    let_next_launch_start();
}

/// Does something with every `step`th number before `end`.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn each(first: u32, step: u32, end: u32, mut call: impl FnMut(u32)) {
    let mut at = first;
    while at < end {
        call(at);
        at = unknown(at + step);
    }
}
