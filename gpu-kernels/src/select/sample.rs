//! The first element of each group of a sample.

use cuda_std::global::{GlobalCells, GlobalSlice};
use cuda_std::thread::{block_idx_x, thread_idx_x};
use cuda_std::warp::{WARP_SIZE, lane_id};
use warpfold_exact::unrolled;

use super::keys::{Key, Ranking};
use super::shapes::{SAMPLE_THREADS, Sample};
use crate::warp;

/// A rank and an index; pairs compare in the order of the elements.
pub(super) type Pair = (u64, u64);

/// The first pair of no elements: after every element.
pub(super) const NONE: Pair = (u64::MAX, u64::MAX);

/// Writes the first pair of each group's pieces, of `E` elements.
///
/// Called by: every thread of every block; there is a warp for each group. Valid in: `ranks` and `indices`, when the launch has
/// ended.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn sample<W: Key, const E: usize>(
    input: GlobalSlice<W>,
    ranking: Ranking<W>,
    of: Sample,
    ranks: GlobalCells<u64>,
    indices: GlobalCells<u64>,
) {
    let warps = SAMPLE_THREADS / WARP_SIZE;
    let group = u64::from(block_idx_x() * warps + thread_idx_x() / WARP_SIZE);
    let mut first = NONE;
    // Neighbouring pieces are in different groups, since the first ones of sorted elements are neighbours.
    let mut piece = u64::from(lane_id()) * of.groups + group;
    while piece < of.pieces {
        let start = piece * of.distance;
        let words = input.read_column::<E>(start, 1);
        let (mut rank, mut at) = (ranking.rank(words[0]), 0);
        unrolled!(i < E => {
            let of_this = ranking.rank(words[i]);
            if of_this < rank {
                (rank, at) = (of_this, i as u64);
            }
        });
        let pair = (rank.into(), start + at);
        if pair < first {
            first = pair;
        }
        piece += of.groups * u64::from(WARP_SIZE);
    }
    let first = first_of_warp(first);
    if lane_id() == 0 {
        ranks.write(group, first.0);
        indices.write(group, first.1);
    }
}

/// Returns the first of the lanes' pairs.
///
/// Called by: every lane of the warp. Valid in: every lane. Scratch: none.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn first_of_warp(mut first: Pair) -> Pair {
    unrolled!(level < { WARP_SIZE.ilog2() as usize } => {
        let other = (warp::exchange(first.0, 1 << level), warp::exchange(first.1, 1 << level));
        if other < first {
            first = other;
        }
    });
    first
}
