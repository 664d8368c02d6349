//! Leaves: segments that a block sorts, and equal keys, both written to the output.

use cuda_std::global::{GlobalCells, GlobalSlice};
use cuda_std::grid::let_next_launch_start;
use cuda_std::thread::{block_idx_x, thread_idx_x, unknown};
use cuda_std::warp::WARP_SIZE;
use warpfold_exact::unrolled;

use super::block::{self, Staged};
use super::coding::{Coding, Key, Keys};
use super::indices::{Indices, IndicesOut};
use super::segment::{Part, Wanted, own_first};
use super::shapes::{LEAF_WORDS, SORT_THREADS, sort_tile};

/// The output of a sort.
#[derive(Clone, Copy)]
pub(super) struct Result<W> {
    /// The elements, unless indices alone are wanted.
    pub(super) elements: Option<GlobalCells<W>>,
    /// The conversion from keys to elements.
    pub(super) coding: Coding,
    /// The indices.
    pub(super) indices: IndicesOut,
    /// Which results are written.
    pub(super) wanted: Wanted,
}

/// A listed leaf.
#[derive(Clone, Copy)]
struct Leaf {
    start: u64,
    len: u64,
    bits: u32,
    least: u128,
    part: Part,
}

/// Sorts one listed leaf per block or, without a list, all keys as one leaf. Elements may be written where the keys are read;
/// indices may not be written where they are read.
///
/// Called by: every thread of every block, of [`SORT_THREADS`]. Valid in: `result`, when the launch has ended. Scratch:
/// `staged`, and the ranks'.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn finish<W: Key, const I: usize>(
    keys: Keys<W>,
    indices: Indices,
    leaves: Option<GlobalSlice<u64>>,
    result: Result<W>,
    staged: Staged<W>,
) {
    let leaf = match leaves {
        Some(leaves) => {
            let word = |i: u64| leaves.read(u64::from(block_idx_x()) * LEAF_WORDS + i);
            let least = u128::from(word(3)) | u128::from(word(4)) << 64;
            let part = Part { start: word(5), to: word(6) };
            Leaf { start: word(0), len: word(1), bits: word(2) as u32, least, part }
        }
        None => Leaf { start: 0, len: keys.elements.len(), bits: W::BITS, least: 0, part: Part::WHOLE },
    };
    let least = W::of_wide(leaf.least);
    if leaf.bits == 0 {
        equal(indices, leaf, result.coding.decode(least), result);
    } else {
        sorted::<W, I>(keys, indices, leaf, least, result, staged);
    }
    let_next_launch_start();
}

/// Writes a leaf of elements that are all equal to `element`.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn equal<W: Key>(indices: Indices, leaf: Leaf, element: W, result: Result<W>) {
    let (to, written) = result.wanted.results(leaf.part, leaf.start, leaf.len);
    let mut place = u64::from(thread_idx_x());
    while place < written {
        if let Some(elements) = result.elements {
            elements.write(to + place, element);
        }
        if result.indices.is_some() {
            let index = result.wanted.index(leaf.part, indices.read(leaf.start + place));
            result.indices.write(to + place, index);
        }
        place += u64::from(unknown(SORT_THREADS));
    }
}

/// Sorts a leaf of at most one tile.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn sorted<W: Key, const I: usize>(
    keys: Keys<W>,
    indices: Indices,
    leaf: Leaf,
    least: W,
    result: Result<W>,
    staged: Staged<W>,
) {
    let own = own_first(I);
    let is_whole = leaf.len >= sort_tile(I);
    let mut own_keys = keys.warp_column::<I>((leaf.start, leaf.len), u64::from(own), is_whole);
    // Padding stays behind the last key: no key has a greater distance from the least in these bits.
    unrolled!(i < I => {
        let is_there = u64::from(own + i as u32 * WARP_SIZE) < leaf.len;
        own_keys[i] = if is_there { own_keys[i].distance_from(least) } else { !W::zeroed() };
    });
    let (first, written) = result.wanted.results(leaf.part, leaf.start, leaf.len);
    let is_written = |i: usize| u64::from(own + i as u32 * WARP_SIZE) < written;
    let to = first + u64::from(own);
    let write = |i: usize, key: W| {
        if let Some(elements) = result.elements
            && is_written(i)
        {
            elements.write(to + i as u64 * u64::from(WARP_SIZE), result.coding.decode(key.plus(least)));
        }
    };
    if !result.indices.is_some() {
        let own_keys = block::sort(own_keys, leaf.bits, staged);
        unrolled!(i < I => { write(i, own_keys[i]) });
        return;
    }
    let places = block::sort_places(own_keys, leaf.bits, staged);
    unrolled!(i < I => {
        write(i, W::narrow(staged.keys.read(places[i] as usize)));
        if is_written(i) {
            let index = indices.read(leaf.start + u64::from(places[i]));
            let index = result.wanted.index(leaf.part, index);
            result.indices.write(to + i as u64 * u64::from(WARP_SIZE), index);
        }
    });
}
