//! How many keys have each digit, and whether all are in order, by one look at them.
//!
//! **Counters in shared memory**, for each digit some side by side: lanes of a warp that have the same digit add to different
//! ones, and wait for each other only where there are more of them. What a block has counted is added to the sums of all at
//! its end.

use cuda_std::atomic::AtomicCells;
use cuda_std::global::GlobalSlice;
use cuda_std::grid::let_next_launch_start;
use cuda_std::thread::{sync_threads, sync_threads_or, thread_idx_x, unknown};
use cuda_std::warp::{WARP_SIZE, lane_id};

use super::flips::Flips;
use super::shape::{COUNT_THREADS, DIGIT_BITS, DIGITS, MOST_PASSES};
use crate::moves::groups::scan::portion;
use crate::moves::sort::Key;
use crate::unroll::unrolled;
use crate::warp;

/// Keys that a thread has under way.
const AT_ONCE: usize = 8;

/// All counters.
const COUNTERS: usize = 8192;

/// Counters of a value of a digit, side by side, for keys of so many bytes.
const fn side(key_bytes: usize) -> u32 {
    (COUNTERS / DIGITS / key_bytes) as u32
}

cuda_std::shared_bytes! {
    /// The counters.
    fn moves_radix_counters: 32768
}

const _: () = assert!(COUNTERS * 4 == 32768 && side(MOST_PASSES) > 0);

/// Adds to `out`, at `digit * 256 + value`, how many of each block's keys have that value of that digit; and behind these how
/// many threads saw a key that is less than the one before it, and one that is not.
///
/// Called by: every thread of every block, of [`COUNT_THREADS`]. A block has `portion_len` keys, fewer than 2^32. Valid in: what
/// is written, when the launch has ended. Scratch: the counters.
#[inline(always)]
pub(super) fn count<W: Key>(keys: GlobalSlice<W>, portion_len: u64, flips: Flips<W>, out: AtomicCells<u64>) {
    let (thread, lane, len) = (thread_idx_x(), lane_id(), keys.len());
    let counters = moves_radix_counters().array::<u32, COUNTERS>().slice();
    let cells = (size_of::<W>() * DIGITS) as u32;
    let mut at = thread;
    while at < COUNTERS as u32 {
        counters.write(at as usize, 0);
        at = unknown(at + COUNT_THREADS);
    }
    sync_threads();

    let side = lane % const { side(size_of::<W>()) };
    let (mut descends, mut ascends) = (false, false);
    let count_one = |key: W| {
        unrolled!(pass < { size_of::<W>() }, up to 8 => {
            let digit = key.digit(pass as u32 * DIGIT_BITS, DIGIT_BITS);
            let cell = (pass * DIGITS) as u32 + digit;
            counters.add((cell * const { self::side(size_of::<W>()) } + side) as usize, 1);
        });
    };
    let (start, end) = portion(len, portion_len);
    let mut next = start + u64::from(thread);
    while next < end {
        // The same for all lanes of a warp: the last key of its last lane.
        let last = next - u64::from(lane) + u64::from((AT_ONCE as u32 - 1) * COUNT_THREADS + WARP_SIZE - 1);
        if last < end {
            let loaded = keys.read_column::<AT_ONCE>(next, COUNT_THREADS).map(|bits| flips.of(bits));
            unrolled!(i < AT_ONCE, up to 8 => {
                let mut behind = warp::of_lane(loaded[i], (lane + 1) % WARP_SIZE);
                let place = next + u64::from(i as u32 * COUNT_THREADS) + 1;
                let mut has_one = true;
                if lane == WARP_SIZE - 1 {
                    has_one = place < len;
                    behind = flips.of(keys.read(if has_one { place } else { place - 1 }));
                }
                descends |= behind < loaded[i];
                ascends |= has_one && behind >= loaded[i];
                count_one(loaded[i]);
            });
            next += u64::from(unknown(AT_ONCE as u32 * COUNT_THREADS));
        } else {
            let key = flips.of(keys.read(next));
            if next + 1 < len {
                let behind = flips.of(keys.read(next + 1));
                descends |= behind < key;
                ascends |= behind >= key;
            }
            count_one(key);
            next += u64::from(COUNT_THREADS);
        }
    }

    let (descends, ascends) = (sync_threads_or(descends), sync_threads_or(ascends));
    let mut cell = thread;
    while cell < cells {
        let mut total = 0;
        // From another one in each thread, so that their banks differ.
        let mut i = 0;
        while i < const { self::side(size_of::<W>()) } {
            let own = (i + thread) % const { self::side(size_of::<W>()) };
            total += counters.read((cell * const { self::side(size_of::<W>()) } + own) as usize);
            i = unknown(i + 1);
        }
        if total > 0 {
            out.add(u64::from(cell), u64::from(total));
        }
        cell = unknown(cell + COUNT_THREADS);
    }
    if thread < 2 && if thread == 0 { descends } else { ascends } {
        out.add(u64::from(cells + thread), 1);
    }
    let_next_launch_start();
}
