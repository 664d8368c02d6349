//! Copies a strided view to row-major memory, box by box. If the fastest axis of the input is not the last one, a box goes
//! through shared memory, so that both the reading and the writing of a warp are coalesced.
//!
//! Divisions find a box once per block, and a thread's words in a box once per launch, since they are at the same places in
//! every box.

use cuda_std::global::{GlobalCells, GlobalSlice};
use cuda_std::grid::let_next_launch_start;
use cuda_std::shared::SharedSlice;
use cuda_std::thread::{block_idx_x, grid_dim_x, sync_threads, thread_idx_x, unknown};
use warpfold_exact::unrolled;

use super::boxes::{BOX_THREADS, Boxes, InnerAxis, MOST_AXES};
use crate::word::Word;

/// Coordinate of words outside of every box.
const NOWHERE: u32 = 0xffff;

/// Copies all boxes. A thread moves `K` words of each.
///
/// Called by: every thread of every block; blocks have [`BOX_THREADS`] threads. Valid in: `out`, when the launch has ended.
/// Scratch: `shared`, with the places that the boxes need.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn boxes<W: Word, const K: usize>(
    input: GlobalSlice<W>,
    out: GlobalCells<W>,
    boxes: &Boxes,
    shared: SharedSlice<W::Shared>,
) {
    let mut reads = [Inner { step: 0, place: 0, along: 0 }; K];
    let mut writes = reads;
    unrolled!(i < K => {
        reads[i] = Inner::new(boxes.words, &boxes.reads, i);
        writes[i] = Inner::new(boxes.words, &boxes.writes, i);
    });
    let mut number = block_idx_x();
    while number < boxes.count {
        let start = Start::new(boxes, number);
        let mut words = [W::zeroed(); K];
        unrolled!(i < K => {
            if reads[i].is_within(start.left) {
                words[i] = input.read(reads[i].behind(start.from));
            }
        });
        if boxes.is_straight == 0 {
            // After this barrier the box before this one has been read from its places.
            sync_threads();
            unrolled!(i < K => {
                if reads[i].is_within(start.left) {
                    shared.write(reads[i].place as usize, words[i].widen());
                }
            });
            sync_threads();
            unrolled!(i < K => {
                if writes[i].is_within(start.left) {
                    words[i] = W::narrow(shared.read(writes[i].place as usize));
                }
            });
        }
        unrolled!(i < K => {
            if writes[i].is_within(start.left) {
                out.write(writes[i].behind(start.to), words[i]);
            }
        });
        number += grid_dim_x();
    }
    let_next_launch_start();
}

/// A word of this thread in its box.
#[derive(Clone, Copy)]
struct Inner {
    /// Distance from the box's first word in memory.
    step: i32,
    /// Place in shared memory.
    place: u32,
    /// Coordinates along the axes that are cut, 16 bits each.
    along: u32,
}

impl Inner {
    /// Returns this thread's word `i` of a box of `words`, in the order of `axes`.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn new(words: u32, axes: &[InnerAxis; MOST_AXES], i: usize) -> Self {
        let number = (i * BOX_THREADS) as u32 + thread_idx_x();
        let mut inner = Self { step: 0, place: 0, along: 0 };
        let mut rest = number;
        unrolled!(axis < MOST_AXES => {
            let InnerAxis { step, extent, place, cut, .. } = axes[axis];
            if extent > 1 {
                let at = next_digit(&mut rest, extent);
                inner.step = inner.step.wrapping_add(step.wrapping_mul(at as i32));
                inner.place += place * at;
                match cut {
                    1 => inner.along |= at,
                    2 => inner.along |= at << 16,
                    _ => {}
                }
            }
        });
        if number >= words {
            inner.along = NOWHERE << 16 | NOWHERE;
        }
        inner
    }

    /// Returns its place in memory, if the box begins at `start`.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn behind(self, start: u64) -> u64 {
        // Computed again for each box: kept, it would take another register, and so would its halves below.
        start.wrapping_add(i64::from(unknown(self.step as u32) as i32) as u64)
    }

    /// Returns whether a box with `left` words along the axes that are cut has this word.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn is_within(self, left: [u32; 2]) -> bool {
        let along = unknown(self.along);
        (along & NOWHERE) < left[0] && (along >> 16) < left[1]
    }
}

/// The start of a box.
struct Start {
    /// Place in the input.
    from: u64,
    /// Place in the output.
    to: u64,
    /// Words left from there on along the axes that are cut, clipped to what fits 16 bits.
    left: [u32; 2],
}

impl Start {
    /// Returns the start of box `number`; boxes along the last axis are consecutive.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn new(boxes: &Boxes, number: u32) -> Self {
        let mut start = Self { from: boxes.first, to: 0, left: [NOWHERE; 2] };
        let mut rest = number;
        unrolled!(i < MOST_AXES => {
            let axis = boxes.axes[i];
            if axis.count > 1 {
                let at = next_digit(&mut rest, axis.count);
                start.from = start.from.wrapping_add(axis.from.wrapping_mul(i64::from(at)) as u64);
                start.to = start.to.wrapping_add(axis.to.wrapping_mul(u64::from(at)));
                unrolled!(cut < 2, up to 2 => {
                    if axis.cut == cut as u32 + 1 {
                        let left = boxes.cuts[cut].len.wrapping_sub(boxes.cuts[cut].extent.wrapping_mul(u64::from(at)));
                        start.left[cut] = left.min(u64::from(NOWHERE)) as u32;
                    }
                });
            }
        });
        start
    }
}

/// Returns the last digit of `number` in base `base`, and removes it.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn next_digit(number: &mut u32, base: u32) -> u32 {
    let digit = *number % base;
    *number /= base;
    digit
}
