//! The scan of a row of neighbouring elements by a warp: one run per lane, of one segment or of several.
//!
//! Elements and outputs go through the warp's own shared memory, an element in whole words. So global loads and stores
//! are coalesced, wherever segments begin, and even if they are short.

use bytemuck::{Pod, Zeroable};
use cuda_std::thread::unknown;
use cuda_std::warp::{WARP_SIZE, lane_id};
use warpfold_exact::unrolled;

use super::kept::{WARP_WORDS, are_exchanged, keep, kept, place_in_column, words};
use super::shapes::{LANE_WORDS, words_of};
use super::spans::Span;
use crate::op::{Element, Op};
use crate::scan::each_piece::each_piece;
use crate::scan::input::are_words;
use crate::scan::tile::{Wanted, fold_quads};
use crate::scan::tree::{quad_len, run_len};
use crate::stored::{Storable, StoredOf};
use crate::warp;

/// A lane's run.
#[derive(Clone, Copy)]
pub(crate) struct Run {
    /// Place of the run's first element in the row's span.
    pub(crate) at: u32,
    /// Number of elements: 0 in a lane that has no run.
    pub(crate) len: u32,
    /// Number of the run in the row of its segment, which is the number of lanes below with runs before it.
    pub(crate) number: u32,
    /// Index of the run's first element in its segment.
    pub(crate) index: u64,
}

/// Scans the `len` elements of `span`, at least one and at most a row. `carry` is the total of the segment's earlier rows.
/// Returns the inclusive prefix of the lane's run in its row.
///
/// Called by: every lane of the warp. Valid in: lanes that have elements; the outputs' places, when the launch has ended.
/// Scratch: the warp's. Order: the tree's.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn scan<
    T: Element,
    O: Op<T, Out: Storable>,
    const R: usize,
    const Q: usize,
    const N: usize,
    const K: usize,
>(
    op: O,
    wanted: Wanted<O::Acc>,
    (span, len): (Span<T, StoredOf<T, O>>, u32),
    run: Run,
    carry: O::Acc,
) -> O::Acc {
    const { assert!(R == run_len::<T>() && Q == quad_len::<T>() && N * Q == R && R.is_multiple_of(K)) }
    let parts = parts::<R>(run);
    let x = read::<T, StoredOf<T, O>, R>(span, len, run, parts);
    let quads = fold_quads::<T, O, R, Q, N>(op, x, run.index);
    let mut total = quads[0];
    unrolled!(quad < N, up to 4 => { if quad > 0 { total = O::combine(total, quads[quad]) } });
    let (mut inclusive, mut in_row) = (total, O::IDENTITY);
    // Not needed if all segments are at most one run long.
    if warp::any(run.number > 0) {
        inclusive = warp::inclusive_by_steps_of::<T, O>(total, run.number);
        let before = warp::of_lane(inclusive, lane_id().wrapping_sub(1) % WARP_SIZE);
        in_row = if run.number == 0 { O::IDENTITY } else { before };
    }
    let start = O::combine(wanted.init, O::combine(carry, in_row));
    let first = run.index;
    each_piece!(op, wanted, (x, quads), start, first, |piece, outs| {
        write::<T, StoredOf<T, O>, K>(span, run, parts, piece, outs);
    });
    inclusive
}

/// Elements of a run, and outputs of a piece, that are skipped together if no lane has any of them.
const PART: usize = 4;

/// Returns the number of such parts in the longest of the lanes' runs, which is the same in every lane.
///
/// Called by: every lane of the warp. Valid in: every lane.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn parts<const R: usize>(run: Run) -> usize {
    let mut parts = 1;
    unrolled!(part < { R.div_ceil(PART) }, up to 4 => {
        if part > 0 && warp::ballot(run.len as usize > part * PART) != 0 {
            parts = part + 1;
        }
    });
    parts
}

/// Reads this lane's run. Beyond its end the elements are arbitrary ones of the span.
///
/// Called by: every lane of the warp. Valid in: every lane. Scratch: the warp's, which is free when it returns.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn read<T: Element, S: Pod, const R: usize>(span: Span<T, S>, len: u32, run: Run, parts: usize) -> [T; R] {
    if !are_exchanged::<T>(R) {
        return core::array::from_fn(|i| span.elements.read_or_last(u64::from(run.at) + i as u64));
    }
    bring::<T, S, R>(span, len);
    warp::sync();
    // The remainder changes nothing, but shows the compiler the bound: a place takes fewer instructions then.
    let last = len.saturating_sub(1) % WARP_WORDS as u32;
    // SAFETY: the words of all elements up to the last were stored above.
    let mut found = [unsafe { kept::<T>(run.at.min(last) as usize) }; R];
    unrolled!(part < { R.div_ceil(PART) }, up to 4 => {
        if part < parts {
            unrolled!(i < PART, up to 4 => {
                let i = part * PART + i;
                if i > 0 && i < R {
                    // SAFETY: as above.
                    found[i] = unsafe { kept::<T>((run.at + i as u32).min(last) as usize) };
                }
            });
        }
    });
    warp::sync();
    found
}

/// Brings the `len` elements of the span, at most `R` for each lane, to the warp's shared memory.
///
/// Called by: every lane of the warp; a [`warp::sync`] must follow. Scratch: the warp's.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn bring<T: Element, S: Pod, const R: usize>(span: Span<T, S>, len: u32) {
    // Made opaque to the compiler, which otherwise would keep places in shared memory from row to row, in as many registers.
    let lane = unknown(lane_id()) as usize;
    // All loads are in flight before the first is waited for. What no lane has any of is left out, four loads at a time.
    if are_words::<T>() {
        let all = len as usize * words_of::<T>();
        let mut found = [0; LANE_WORDS];
        unrolled!(four < { LANE_WORDS / 4 }, up to 4 => {
            if 4 * four < R * words_of::<T>() && four * 128 < all {
                unrolled!(i < 4, up to 4 => {
                    let number = ((4 * four + i) * WARP_SIZE as usize + lane) as u64;
                    if number < span.element_words.len() {
                        found[4 * four + i] = span.element_words.read(number);
                    }
                });
            }
        });
        unrolled!(four < { LANE_WORDS / 4 }, up to 4 => {
            if 4 * four < R * words_of::<T>() && four * 128 < all {
                unrolled!(i < 4, up to 4 => {
                    words().write(place_in_column(four, i, lane), found[4 * four + i]);
                });
            }
        });
    } else {
        let mut found = [span.elements.read_or_last(lane as u64); R];
        unrolled!(i < R => {
            if i > 0 && i * 32 < len as usize {
                found[i] = span.elements.read_or_last((i * WARP_SIZE as usize + lane) as u64);
            }
        });
        unrolled!(i < R => {
            if i * 32 < len as usize {
                keep(i * WARP_SIZE as usize + lane, 0, found[i]);
            }
        });
    }
}

/// Writes piece `piece` of the lane's outputs: `K` outputs, or fewer where its run ends.
///
/// Called by: every lane of the warp. Valid in: the outputs' places. Scratch: the warp's, which is free when it returns.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn write<T: Element, S: Pod, const K: usize>(
    span: Span<T, S>,
    run: Run,
    parts: usize,
    piece: usize,
    outs: [S; K],
) {
    let within = (piece * K) as u32;
    // The outputs of this piece.
    let count = run.len.saturating_sub(within);
    if !are_exchanged::<S>(K) {
        unrolled!(i < K => {
            if (i as u32) < count {
                span.outs.write(u64::from(run.at + within + i as u32), outs[i]);
            }
        });
        return;
    }
    // The outputs of whole runs are stored in the order of the span, and the outputs of parts of runs lane after lane.
    let is_run = K == run_len::<T>();
    let first = if is_run { run.at } else { lane_id() * K as u32 };
    unrolled!(part < { K.div_ceil(PART) }, up to 4 => {
        if piece * K + part * PART < parts * PART {
            unrolled!(i < PART, up to 4 => {
                let i = part * PART + i;
                if i < K && (i as u32) < count {
                    keep(first as usize, i, outs[i]);
                }
            });
        }
    });
    warp::sync();
    if is_run {
        take_away(span);
        warp::sync();
        return;
    }
    // The place of a lane's part, and its length.
    let (of_lane, each) = ((run.at + within) | (count.min(K as u32) << 16), words_of::<S>());
    // Loops, of four at a time. Their data is not in registers. Their places are computed anew, since the places of the
    // reading would have to be kept until here.
    let lane = unknown(lane_id()) % WARP_SIZE;
    if are_words::<S>() {
        let all = (K * each) as u32 * WARP_SIZE;
        let (mut four, end) = (0, unknown(all.div_ceil(4 * WARP_SIZE)));
        while four < end {
            unrolled!(i < 4, up to 4 => {
                let number = (4 * four + i as u32) * WARP_SIZE + lane;
                let (output, word) = (number / each as u32, number % each as u32);
                if let Some(output) = output_of(number < all, output, of_lane, K as u32) {
                    let place = u64::from(output * each as u32 + word);
                    if place < span.lens.1 {
                        let bits = words().read(place_in_column(four as usize, i, lane as usize));
                        span.out_words.write(place, bits);
                    }
                }
            });
            four += 1;
        }
    } else {
        let all = K as u32 * WARP_SIZE;
        let (mut first, end) = (lane, unknown(all));
        // Whole warps take part, because lanes exchange values.
        while first - lane < end {
            unrolled!(i < 4, up to 4 => {
                let number = first + i as u32 * WARP_SIZE;
                let output = output_of(number < all, number, of_lane, K as u32);
                if let Some(output) = output.filter(|&output| u64::from(output) < span.lens.0) {
                    // SAFETY: the words of this output were stored above.
                    span.outs.write(u64::from(output), unsafe { kept::<S>(number as usize) });
                }
            });
            first += 4 * WARP_SIZE;
        }
    }
    warp::sync();
}

/// Takes the outputs of a whole span, stored in its order, to their places.
///
/// Called by: every lane of the warp, after a [`warp::sync`] that follows the storing; another must follow. Valid in: the
/// outputs' places. Scratch: the warp's.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn take_away<T: Element, S: Pod>(span: Span<T, S>) {
    // Loops, of four at a time. Their data is not in registers. Their places are computed anew, since the places of the
    // reading would have to be kept until here.
    let lane = unknown(lane_id()) % WARP_SIZE;
    if are_words::<S>() {
        let (mut four, end) = (0, unknown((span.lens.1 as u32).div_ceil(4 * WARP_SIZE)));
        while four < end {
            unrolled!(i < 4, up to 4 => {
                let number = (4 * four + i as u32) * WARP_SIZE + lane;
                if u64::from(number) < span.lens.1 {
                    let bits = words().read(place_in_column(four as usize, i, lane as usize));
                    span.out_words.write(u64::from(number), bits);
                }
            });
            four += 1;
        }
    } else {
        let (mut first, end) = (lane, unknown(span.lens.0 as u32));
        while first - lane < end {
            unrolled!(i < 4, up to 4 => {
                let number = first + i as u32 * WARP_SIZE;
                if u64::from(number) < span.lens.0 {
                    // SAFETY: the words of this output were stored before, by this function's callers.
                    span.outs.write(u64::from(number), unsafe { kept::<S>(number as usize) });
                }
            });
            first += 4 * WARP_SIZE;
        }
    }
}

/// Returns the place of the stored output `number` of a lane's part, if it `is` among those stored and exists.
///
/// Called by: every lane of the warp. Valid in: every lane.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn output_of(is: bool, number: u32, of_lane: u32, piece: u32) -> Option<u32> {
    // Numbers after the last lane's part wrap round to other lanes; `is` is false for them.
    let of_owner = warp::of_lane(of_lane, number / piece % WARP_SIZE);
    let (first, count) = (of_owner & 0xffff, of_owner >> 16);
    (is && number % piece < count).then_some(first + number % piece)
}
