//! How many keys have each digit, and whether all are in order, by one look at them.
//!
//! **Counters are in shared memory**, and no two lanes of a warp want the same bank. Each digit of the key has its own
//! banks, as many as a group has lanes. While one group counts the first digits of its keys, the next group counts the
//! second digits of its own. At its end, a block adds its counts to the sums of all blocks.

use cuda_std::atomic::AtomicCells;
use cuda_std::global::GlobalSlice;
use cuda_std::grid::let_next_launch_start;
use cuda_std::shared::SharedSlice;
use cuda_std::thread::{sync_threads, sync_threads_or, thread_idx_x, unknown};
use cuda_std::warp::{WARP_SIZE, lane_id};
use warpfold_exact::unrolled;

use super::digit::digit;
use super::flips::Flips;
use super::shapes::{COUNT_THREADS, DIGITS, MOST_PASSES};
use crate::groups::scan::portion;
use crate::sort::Key;
use crate::warp;

/// All counters: one for each value of a digit and each bank.
const COUNTERS: usize = DIGITS * WARP_SIZE as usize;

cuda_std::shared_bytes! {
    /// The counters.
    fn moves_radix_counters: 32768
}

const _: () = assert!(COUNTERS * 4 == 32768 && (WARP_SIZE as usize).is_multiple_of(MOST_PASSES));

/// A lane's counters, for keys of as many bytes as there are digits.
#[derive(Clone, Copy)]
struct Counters {
    /// For each value, one in each bank.
    all: SharedSlice<u32>,
    /// The digit that the lane counts first.
    first: u32,
    /// The lane's number in its group.
    side: u32,
}

impl Counters {
    /// Lanes of a group, each with a bank of its own for each of `bytes` digits.
    const fn sides(bytes: usize) -> u32 {
        WARP_SIZE / bytes as u32
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn new<W: Key>(all: SharedSlice<u32>, lane: u32) -> Self {
        let sides = const { Self::sides(size_of::<W>()) };
        Self { all, first: lane / sides, side: lane % sides }
    }

    /// Counts the digits of `key`.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn add<W: Key>(self, key: W) {
        unrolled!(turn < { size_of::<W>() }, up to 8 => {
            let number = (self.first + turn as u32) % const { size_of::<W>() as u32 };
            let bank = (number * const { Self::sides(size_of::<W>()) } + self.side) % WARP_SIZE;
            self.all.add((digit::<W, 0>(key, number) * WARP_SIZE + bank) as usize, 1);
        });
    }
}

/// Adds to `out`, at `digit * 256 + value`, how many of each block's keys have that value of that digit. Behind these it adds how
/// many blocks saw a key that is less than the one before it, and how many saw one that is not.
///
/// Called by: every thread of every block, of [`COUNT_THREADS`], each with `N` keys under way. A block has `portion_len` keys,
/// fewer than 2^32. Valid in: what is written, when the launch has ended. Scratch: the counters.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn count<W: Key, const N: usize>(
    keys: GlobalSlice<W>,
    portion_len: u64,
    flips: Flips<W>,
    out: AtomicCells<u64>,
) {
    let (thread, lane, len) = (thread_idx_x(), lane_id(), keys.len());
    let all = moves_radix_counters().array::<u32, COUNTERS>().slice();
    let mut at = thread;
    while at < COUNTERS as u32 {
        all.write(at as usize, 0);
        at = unknown(at + COUNT_THREADS);
    }
    sync_threads();

    let counters = Counters::new::<W>(all, lane);
    let (mut descends, mut ascends) = (false, false);
    let (start, end) = portion(len, portion_len);
    // A warp's keys are neighbours.
    let of_warp = const { N as u32 * WARP_SIZE };
    let mut next = start + u64::from(thread / WARP_SIZE * of_warp);
    while next < end {
        let behind = next + u64::from(of_warp);
        if behind <= end {
            let mut loaded = keys.read_column::<N>(next + u64::from(lane), WARP_SIZE);
            let has_behind = behind < len;
            let mut first_behind = keys.read(if has_behind { behind } else { behind - 1 });
            if flips.is_some() {
                loaded = loaded.map(|bits| flips.key(bits));
                first_behind = flips.key(first_behind);
            }
            unrolled!(i < N, up to 8 => {
                let is_last = i + 1 == N;
                let of_next_turn = if is_last { first_behind } else { loaded[(i + 1) % N] };
                let passed = if lane == 0 { of_next_turn } else { loaded[i] };
                let follower = warp::of_lane(passed, (lane + 1) % WARP_SIZE);
                descends |= follower < loaded[i];
                ascends |= follower >= loaded[i] && (!is_last || has_behind || lane != WARP_SIZE - 1);
            });
            unrolled!(i < N, up to 8 => { counters.add(loaded[i]) });
        } else {
            let mut at = next + u64::from(lane);
            while at < end {
                let key = flips.key(keys.read(at));
                if at + 1 < len {
                    let follower = flips.key(keys.read(at + 1));
                    descends |= follower < key;
                    ascends |= follower >= key;
                }
                counters.add(key);
                at += u64::from(unknown(WARP_SIZE));
            }
        }
        next += u64::from(unknown(N as u32 * COUNT_THREADS));
    }

    let (descends, ascends) = (sync_threads_or(descends), sync_threads_or(ascends));
    let sides = const { Counters::sides(size_of::<W>()) };
    let cells = (size_of::<W>() * DIGITS) as u32;
    let mut cell = thread;
    while cell < cells {
        let (number, value) = (cell / DIGITS as u32, cell % DIGITS as u32);
        let mut total = 0;
        // From another one in each thread, so that their banks differ.
        let mut i = 0;
        while i < sides {
            let bank = number * sides + (i + thread) % sides;
            total += all.read((value * WARP_SIZE + bank) as usize);
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
