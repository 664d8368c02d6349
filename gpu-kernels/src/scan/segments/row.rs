//! A warp scans a row of elements that lie side by side: a run of each lane, of one segment or of several.
//!
//! Elements and outputs go through shared memory of the warp's own, an element in whole words. So what a warp reads or writes
//! at once lies side by side, wherever segments begin and however short they are.

use bytemuck::{Pod, Zeroable};
use cuda_std::shared::SharedArray;
use cuda_std::thread::{thread_idx_x, unknown};
use cuda_std::warp::{WARP_SIZE, lane_id};

use super::places::Span;
use super::shape::LANES_THREADS;
use crate::op::{Element, Op};
use crate::scan::each_piece::each_piece;
use crate::scan::input::are_words;
use crate::scan::tile::{Wanted, fold_quads};
use crate::scan::tree::{quad_len, run_len};
use crate::stored::{Storable, StoredOf};
use crate::unroll::unrolled;
use crate::warp;

/// Words that a lane's run takes, and the outputs that it has ready at once, at most.
const LANE_WORDS: usize = 16;

/// Words of a warp.
const WARP_WORDS: usize = LANE_WORDS * WARP_SIZE as usize;

cuda_std::shared_bytes! {
    /// A row of each of a block's warps.
    fn warpfold_scan_lanes: 16384
}

const _: () = assert!(4 * WARP_WORDS * (LANES_THREADS / WARP_SIZE) as usize == 16384);

/// A lane's run.
#[derive(Clone, Copy)]
pub(crate) struct Run {
    /// Where its first element is in the row's span.
    pub(crate) at: u32,
    /// Its elements: none, of a lane that has nothing to do.
    pub(crate) len: u32,
    /// Its number in the row of its segment: so many lanes below have those before it.
    pub(crate) number: u32,
    /// The number of its first element in its segment.
    pub(crate) index: u64,
}

/// Scans the `len` elements of `span`, at least one and at most a row's. `carry` is what the rows of the segment before this one
/// fold to. Gives the inclusive prefix of the lane's run within its row.
///
/// Called by: every lane of the warp. Valid in: lanes that have elements; the outputs' places, when the launch has ended.
/// Scratch: the warp's. Order: the tree's.
#[inline(always)]
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
    let x = read::<T, StoredOf<T, O>, R>(span, len, run);
    let quads = fold_quads::<T, O, R, Q, N>(op, x, run.index);
    let mut total = quads[0];
    unrolled!(quad < N, up to 4 => { if quad > 0 { total = O::combine(total, quads[quad]) } });
    let (mut inclusive, mut in_row) = (total, O::IDENTITY);
    // Segments of up to a run need none of this.
    if warp::any(run.number > 0) {
        inclusive = warp::inclusive_by_steps_of::<T, O>(total, run.number);
        let before = warp::of_lane(inclusive, lane_id().wrapping_sub(1) % WARP_SIZE);
        in_row = if run.number == 0 { O::IDENTITY } else { before };
    }
    let start = O::combine(wanted.init, O::combine(carry, in_row));
    let first = run.index;
    each_piece!(op, wanted, (x, quads), start, first, |piece, outs| {
        write::<T, StoredOf<T, O>, K>(span, len, run, piece, outs);
    });
    inclusive
}

/// Words that a value takes here.
const fn words_of<V>() -> usize {
    size_of::<V>().div_ceil(4)
}

/// Whether `count` values of each lane go through shared memory: only such do not as are longer than that has room for.
const fn are_exchanged<V>(count: usize) -> bool {
    count * words_of::<V>() <= LANE_WORDS
}

/// The warp's word `number`, so moved that lanes find the same words of neighbouring runs in different banks, and neighbours too.
#[inline(always)]
fn place(number: usize) -> usize {
    let (warp, number) = ((thread_idx_x() % LANES_THREADS / WARP_SIZE) as usize, number % WARP_WORDS);
    warp * WARP_WORDS + (number ^ (number / 32))
}

#[inline(always)]
fn words() -> SharedArray<u32, 4096> {
    warpfold_scan_lanes().array()
}

/// Keeps a value, the `number`th.
#[inline(always)]
fn keep<V: Copy>(number: usize, value: V) {
    unrolled!(word < LANE_WORDS => {
        if word < words_of::<V>() {
            words().write(place(number * words_of::<V>() + word), word_of(&value, word));
        }
    });
}

/// A value that was kept, or whose words were.
///
/// # Safety
/// They are those of a `V`.
#[inline(always)]
unsafe fn kept<V: Copy>(number: usize) -> V {
    let mut found = [0; LANE_WORDS];
    unrolled!(word < LANE_WORDS => {
        if word < words_of::<V>() {
            found[word] = words().read(place(number * words_of::<V>() + word));
        }
    });
    // SAFETY: a value that is exchanged has at most so many words; they are a `V`'s, by this function's contract.
    unsafe { core::mem::transmute_copy::<[u32; LANE_WORDS], V>(&found) }
}

/// Word `word` of a value, whose last one may be cut short.
#[inline(always)]
fn word_of<V: Copy>(value: &V, word: usize) -> u32 {
    let mut bytes = [0_u8; 4];
    let start = core::ptr::from_ref(value).cast::<u8>();
    let mut i = 0;
    while i < 4 {
        if 4 * word + i < size_of::<V>() {
            // SAFETY: within the value, by the line above. Elements and outputs have no padding.
            bytes[i] = unsafe { start.add(4 * word + i).read() };
        }
        i += 1;
    }
    u32::from_ne_bytes(bytes)
}

/// This lane's run; in the place of elements that are not there, any others of the span.
///
/// Called by: every lane of the warp. Valid in: every lane. Scratch: the warp's, which is free when it returns.
#[inline(always)]
fn read<T: Element, S: Pod, const R: usize>(span: Span<T, S>, len: u32, run: Run) -> [T; R] {
    if !are_exchanged::<T>(R) {
        return core::array::from_fn(|i| span.elements.read_or_last(u64::from(run.at) + i as u64));
    }
    // Not known to be the same for every row: places in shared memory would be kept from one to the next, in as many registers.
    let lane = unknown(lane_id()) as usize;
    // All loads are under way before the first is waited for; what no lane has anything of is left out, four loads at a time.
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
                    words().write(place((4 * four + i) * WARP_SIZE as usize + lane), found[4 * four + i]);
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
                keep(i * WARP_SIZE as usize + lane, found[i]);
            }
        });
    }
    warp::sync();
    let last = len.saturating_sub(1);
    // SAFETY: the words of all elements up to the last were written above.
    let run = core::array::from_fn(|i| unsafe { kept::<T>((run.at + i as u32).min(last) as usize) });
    warp::sync();
    run
}

/// Writes piece number `piece` of the lane's outputs, `K` of them, as far as its run goes.
///
/// Called by: every lane of the warp. Valid in: the outputs' places. Scratch: the warp's, which is free when it returns.
#[inline(always)]
fn write<T: Element, S: Pod, const K: usize>(
    span: Span<T, S>,
    len: u32,
    run: Run,
    piece: usize,
    outs: [S; K],
) {
    let within = (piece * K) as u32;
    // Of this piece.
    let count = run.len.saturating_sub(within);
    if !are_exchanged::<S>(K) {
        unrolled!(i < K => {
            if (i as u32) < count {
                span.outs.write(u64::from(run.at + within + i as u32), outs[i]);
            }
        });
        return;
    }
    // Outputs of a whole run stand as they are written, those of a part of it lane after lane.
    let is_run = K == run_len::<T>();
    let first = if is_run { run.at } else { lane_id() * K as u32 };
    unrolled!(i < K => { if (i as u32) < count { keep((first + i as u32) as usize, outs[i]) } });
    warp::sync();
    // Where a lane's part goes, and how much of it is there.
    let (of_lane, words) = ((run.at + within) | (count.min(K as u32) << 16), words_of::<S>());
    // Loops, four at a time: what they move is in no register, and their places are not those of the reading, kept until here.
    let (lane, each) = (unknown(lane_id()), 4 * WARP_SIZE);
    if are_words::<S>() {
        let (mut first, end) = (lane, unknown((K * words) as u32 * WARP_SIZE));
        while first < end {
            unrolled!(i < 4, up to 4 => {
                let number = first + i as u32 * WARP_SIZE;
                let (output, word) = (number / words as u32, number % words as u32);
                if let Some(output) = output_of(is_run, (output, len), of_lane, K as u32) {
                    let bits = self::words().read(place(number as usize));
                    span.out_words.write(u64::from(output * words as u32 + word), bits);
                }
            });
            first += each;
        }
    } else {
        let (mut first, end) = (lane, unknown(K as u32 * WARP_SIZE));
        while first < end {
            unrolled!(i < 4, up to 4 => {
                let number = first + i as u32 * WARP_SIZE;
                if let Some(output) = output_of(is_run, (number, len), of_lane, K as u32) {
                    // SAFETY: it was kept above.
                    span.outs.write(u64::from(output), unsafe { kept::<S>(number as usize) });
                }
            });
            first += each;
        }
    }
    warp::sync();
}

/// Where the output kept at `number` goes, if there is one.
///
/// Called by: every lane of the warp. Valid in: every lane.
#[inline(always)]
fn output_of(is_run: bool, (number, len): (u32, u32), of_lane: u32, piece: u32) -> Option<u32> {
    if is_run {
        return (number < len).then_some(number);
    }
    // Beyond the last lane's part there is none, whatever lane that wraps round to.
    let is_part = number < piece * WARP_SIZE;
    let of_owner = warp::of_lane(of_lane, number / piece % WARP_SIZE);
    let (first, count) = (of_owner & 0xffff, of_owner >> 16);
    (is_part && number % piece < count).then_some(first + number % piece)
}
