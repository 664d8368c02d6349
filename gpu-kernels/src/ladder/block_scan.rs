//! Prefix sums in a block: the scans of the texts, before warps scanned tiles.
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
    /// As much again, to write to while the other is read.
    fn ladder_scan_others: 4224
}

/// Words of each.
const WORDS: usize = MOST + MOST / 32;

/// Returns the place of element `i`, with padding or without.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn place<const PADDED: bool>(i: usize) -> usize {
    if PADDED { i + i / 32 } else { i }
}

/// Computes inclusive sums of as many elements as the block has threads, by doubling the distance. Each step reads one half of
/// the memory and writes the other, so that no element is written while another thread still has to read it.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
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

/// Computes exclusive sums of two elements per thread: up the tree and down again. Blocks have a power of two of threads.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub fn blelloch<T: Addend, const PADDED: bool>(input: GlobalSlice<T>, out: GlobalCells<T>) {
    let (thread, threads) = (thread_idx_x() as usize, block_dim_x() as usize);
    let sums: SharedArray<T, WORDS> = ladder_scan().array();
    // A thread's two elements are a block's size apart, so that neighbouring lanes load neighbours.
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
    // The total at the top is replaced by the sum before everything.
    sync_threads();
    if thread == 0 {
        sums.write(place::<PADDED>(2 * threads - 1), T::ZERO);
    }
    pairs = 1;
    while pairs <= threads {
        distance /= 2;
        sync_threads();
        if thread < pairs {
            // The prefix of both goes to the left one; the prefix of the right one also has the left one's sum.
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

/// Returns the places of the sums of a thread's two subtrees of `distance` elements, each at the end of its subtree.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn pair<const PADDED: bool>(thread: usize, distance: usize) -> (usize, usize) {
    let left = distance * (2 * thread + 1) - 1;
    (place::<PADDED>(left), place::<PADDED>(left + distance))
}
