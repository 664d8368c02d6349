//! The compaction of a tile: loaded, counted, and written to its places.

use cuda_std::global::{GlobalCells, GlobalSlice};
use cuda_std::grid::let_next_launch_start;
use cuda_std::shared::{SharedArray, SharedSlice};
use cuda_std::thread::{sync_threads, thread_idx_x};
use cuda_std::warp::{WARP_SIZE, lane_id};
use warpfold_exact::unrolled;

use super::select::Select;
use super::shapes::COMPACT_THREADS;
use crate::hand_over::post::States;
use crate::hand_over::ticket;
use crate::warp;
use crate::word::Word;

/// Warps of a block.
const WARPS: usize = (COMPACT_THREADS / WARP_SIZE) as usize;

cuda_std::shared_bytes! {
    /// The tile's number, and the number of elements selected before it.
    fn moves_compact_head: 16
}

cuda_std::shared_bytes! {
    /// The number of selected elements in each warp's piece.
    fn moves_compact_warps: 32
}

const _: () = assert!(WARPS * 4 == 32);

/// Returns the words of a tile. A thread has `r` vectors of `v` words of it.
const fn words(v: usize, r: usize) -> usize {
    WARPS * WARP_SIZE as usize * v * r
}

/// The output of a compaction.
#[derive(Clone, Copy)]
pub(super) struct Out<W> {
    /// The selected elements, from the beginning on. `None` if they are only counted.
    pub(super) elements: Option<GlobalCells<W>>,
    /// The number of all selected elements, if the others are to follow them.
    pub(super) total: Option<GlobalSlice<u64>>,
    /// One place, for the number of selected elements.
    pub(super) count: GlobalCells<u64>,
}

/// A thread's elements, and which of them are selected, as bits of each row.
struct Own<W, const V: usize, const R: usize> {
    words: [[W; V]; R],
    bits: [u32; R],
}

/// Moves the selected words of one tile per block to their places. A thread has `R` vectors of `V`.
///
/// Called by: every thread of every block; there is one block of [`COMPACT_THREADS`] for each tile. Valid in: `out`, when the
/// launch has ended. Scratch: `staged`, one place for each word of a tile, and a few words more; `states`, all 0.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn compact<W: Word, S: Select<W, V>, const V: usize, const R: usize>(
    input: GlobalSlice<W>,
    select: S,
    out: Out<W>,
    states: States<u64>,
    staged: SharedSlice<W::Shared>,
) {
    let head: SharedArray<u64, 2> = moves_compact_head().array();
    // The ticket is the first word, before the states.
    let tile = ticket::draw(states.cells, head);
    let (warp, lane) = (thread_idx_x() / WARP_SIZE, lane_id());
    let of_warp = (WARP_SIZE as usize * V * R) as u64;
    let start = tile * (of_warp * WARPS as u64);
    let own = load::<W, S, V, R>(input, select, start + u64::from(warp) * of_warp);

    // A row's counts add up to at most 512 over all lanes: four fields of 16 bits fit one sum.
    let mut counts = 0_u64;
    unrolled!(i < R, up to 4 => { counts |= u64::from(own.bits[i].count_ones()) << (16 * (i as u32 % 4)) });
    let up_to_here = warp::sum_up_to_here(counts);
    let of_rows = warp::of_lane(up_to_here, WARP_SIZE - 1);
    let before_lane = up_to_here - counts;
    let field = |counts: u64, i: usize| (counts >> (16 * (i as u32 % 4))) as u32 & 0xffff;
    let mut in_warp = 0;
    let mut before_row = [0; R];
    unrolled!(i < R, up to 4 => {
        before_row[i] = in_warp;
        in_warp += field(of_rows, i);
    });
    let (rank, in_tile) = ranks_of_warps(in_warp);
    if thread_idx_x() == 0 {
        states.post_own(tile, u64::from(in_tile));
    }

    let len = (input.len() - start.min(input.len())).min(of_warp * WARPS as u64) as u32;
    if out.elements.is_some() {
        let keeps_all = out.total.is_some();
        let first = warp * of_warp as u32 + lane * V as u32;
        unrolled!(i < R, up to 4 => {
            let first_rank = rank + before_row[i] + field(before_lane, i);
            unrolled!(v < V => {
                let is_selected = own.bits[i] >> v & 1 == 1;
                let place = first + (i as u32 * WARP_SIZE * V as u32 + v as u32);
                let rank = first_rank + (own.bits[i] & ((1 << v) - 1)).count_ones();
                // The others follow all selected words of the tile, in order too. The remainder shows the compiler that each
                // place is less than the tile's length, at the price of one instruction.
                let to = if is_selected { rank } else { in_tile + (place - rank) };
                if is_selected || (keeps_all && place < len) {
                    staged.write(to as usize % words(V, R), own.words[i][v].widen());
                }
            });
        });
    }
    if warp == 0 {
        let before = states.before_by_warp(tile);
        if lane == 0 {
            states.post_up_to_here(tile, before + u64::from(in_tile));
            head.write(1, before);
            if start + u64::from(len) >= input.len() {
                out.count.write(0, before + u64::from(in_tile));
            }
        }
    }
    sync_threads();
    let_next_launch_start();
    if let Some(elements) = out.elements {
        let before = head.read(1);
        write::<W, V, R>(elements, staged, (0, in_tile), before);
        if let Some(total) = out.total {
            // Where the first of the others goes, less its place in the tile.
            let to = total.read(0) + (start - before);
            write::<W, V, R>(elements, staged, (in_tile, len), to.wrapping_sub(u64::from(in_tile)));
        }
    }
}

/// Loads this warp's piece, which begins at `first`, by vectors if it is whole.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn load<W: Word, S: Select<W, V>, const V: usize, const R: usize>(
    input: GlobalSlice<W>,
    select: S,
    first: u64,
) -> Own<W, V, R> {
    let row = u64::from(WARP_SIZE) * V as u64;
    let own = u64::from(lane_id()) * V as u64;
    let mut words = [[W::zeroed(); V]; R];
    if let Some(rows) = input.window(first, row * R as u64).rows::<V, R>(own, row).read_next() {
        unrolled!(i < R, up to 4 => { words[i] = rows[i].elements() });
        if let Some(bits) = select.rows(first + own, &words) {
            return Own { words, bits };
        }
    }
    let mut bits = [0; R];
    unrolled!(i < R, up to 4 => {
        unrolled!(v < V => {
            let index = first + i as u64 * row + own + v as u64;
            if index < input.len() {
                words[i][v] = input.read(index);
                bits[i] |= u32::from(select.is_selected(index, words[i][v])) << v;
            }
        });
    });
    Own { words, bits }
}

/// Returns the number of selected elements in the warps before this one, and in the tile, given the number in this warp.
///
/// Called by: every thread of the block, once. Valid in: every thread. Scratch: a count for each warp.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn ranks_of_warps(in_warp: u32) -> (u32, u32) {
    let counts: SharedArray<u32, WARPS> = moves_compact_warps().array();
    let warp = thread_idx_x() / WARP_SIZE;
    if lane_id() == 0 {
        counts.write(warp as usize, in_warp);
    }
    sync_threads();
    let (mut before, mut all) = (0, 0);
    unrolled!(i < WARPS => {
        let count = counts.read(i);
        if (i as u32) < warp {
            before += count;
        }
        all += count;
    });
    (before, all)
}

/// Writes the words at places `first .. end` of the tile, each to its place plus `to`.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn write<W: Word, const V: usize, const R: usize>(
    out: GlobalCells<W>,
    staged: SharedSlice<W::Shared>,
    (first, end): (u32, u32),
    to: u64,
) {
    let mut place = first + thread_idx_x();
    while place < end {
        unrolled!(i < 4, up to 4 => {
            let place = place + i as u32 * COMPACT_THREADS;
            if place < end {
                let word = staged.read(place as usize % words(V, R));
                out.write(to.wrapping_add(u64::from(place)), W::narrow(word));
            }
        });
        place += 4 * COMPACT_THREADS;
    }
}
