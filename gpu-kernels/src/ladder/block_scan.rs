//! Prefix sums within a block: what the texts scan with, before a tile is a warp's affair.
//!
//! [`hillis_steele`] adds to each element the one a distance to its left, and doubles the distance: log2 n steps of n
//! additions (Hillis and Steele, *Data parallel algorithms*, 1986). [`blelloch`] sums pairs up a tree and hands the
//! prefixes down it again: 2 n additions, but at each level neighbouring lanes are twice as far apart, which is bank
//! conflicts (Blelloch, *Prefix sums and their applications*, 1990); with a word of padding after every 32 they are gone.
//! **Look at:** bank replays of the second and third; requests of the first.

use cuda_std::global::{GlobalCells, GlobalSlice};
use cuda_std::shared::SharedArray;
use cuda_std::thread::{block_dim_x, sync_threads, thread_idx_x};

use super::addend::{Addend, element};

/// The most elements that a block scans.
pub const MOST: usize = 1024;

cuda_std::shared_bytes! {
    /// The elements, and a word of padding for each 32 of them.
    fn ladder_scan: 4224
}

cuda_std::shared_bytes! {
    /// As many again, to write to while the others are read.
    fn ladder_scan_others: 4224
}

/// Words of either.
const WORDS: usize = MOST + MOST / 32;

/// Where element `i` stands, with padding or without.
#[inline(always)]
fn place<const PADDED: bool>(i: usize) -> usize {
    if PADDED { i + i / 32 } else { i }
}

/// Inclusive sums of as many elements as the block has threads, by doubling the distance. From one half of the memory to the
/// other, so that no element is written while another thread still has to read it.
#[inline(always)]
pub fn hillis_steele<T: Addend>(input: GlobalSlice<T>, out: GlobalCells<T>) {
    let (thread, threads) = (thread_idx_x() as usize, block_dim_x() as usize);
    let mut from: SharedArray<T, WORDS> = ladder_scan().array();
    let mut to: SharedArray<T, WORDS> = ladder_scan_others().array();
    from.write(thread, element(input, thread as u64));
    sync_threads();
    let mut distance = 1;
    while distance < threads {
        let own = from.read(thread);
        let sum = if thread >= distance { from.read(thread - distance).plus(own) } else { own };
        to.write(thread, sum);
        sync_threads();
        (from, to) = (to, from);
        distance *= 2;
    }
    if (thread as u64) < input.len() {
        out.write(thread as u64, from.read(thread));
    }
}

/// Exclusive sums of two elements for each thread: up the tree and down again. Blocks have a power of two of threads.
#[inline(always)]
pub fn blelloch<T: Addend, const PADDED: bool>(input: GlobalSlice<T>, out: GlobalCells<T>) {
    let (thread, threads) = (thread_idx_x() as usize, block_dim_x() as usize);
    let sums: SharedArray<T, WORDS> = ladder_scan().array();
    // Those of a whole block apart, so that neighbouring lanes load neighbours.
    sums.write(place::<PADDED>(thread), element(input, thread as u64));
    sums.write(place::<PADDED>(thread + threads), element(input, (thread + threads) as u64));

    let (mut distance, mut pairs) = (1, threads);
    while pairs > 0 {
        sync_threads();
        if thread < pairs {
            let (left, right) = pair::<PADDED>(thread, distance);
            sums.write(right, sums.read(left).plus(sums.read(right)));
        }
        distance *= 2;
        pairs /= 2;
    }
    // The total at the top gives way to what stands before everything.
    sync_threads();
    if thread == 0 {
        sums.write(place::<PADDED>(2 * threads - 1), T::ZERO);
    }
    pairs = 1;
    while pairs <= threads {
        distance /= 2;
        sync_threads();
        if thread < pairs {
            // What stands before both goes to the left one; the right one has the left one's sum before it, too.
            let (left, right) = pair::<PADDED>(thread, distance);
            let (sum, before) = (sums.read(left), sums.read(right));
            sums.write(left, before);
            sums.write(right, before.plus(sum));
        }
        pairs *= 2;
    }
    sync_threads();
    for at in [thread, thread + threads] {
        if (at as u64) < input.len() {
            out.write(at as u64, sums.read(place::<PADDED>(at)));
        }
    }
}

/// Where the sums of a thread's two subtrees of `distance` elements stand: at the end of each.
#[inline(always)]
fn pair<const PADDED: bool>(thread: usize, distance: usize) -> (usize, usize) {
    let left = distance * (2 * thread + 1) - 1;
    (place::<PADDED>(left), place::<PADDED>(left + distance))
}
