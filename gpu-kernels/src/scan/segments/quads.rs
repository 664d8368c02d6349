//! Segments of at most a quad each, several per lane: no lane needs another's total.

use bytemuck::Zeroable;
use cuda_std::warp::WARP_SIZE;
use warpfold_exact::unrolled;

use super::kept::{keep, kept};
use super::row::{bring, take_away};
use super::spans::Arrays;
use crate::op::{Element, Op};
use crate::scan::each_piece::each_piece;
use crate::scan::tile::Wanted;
use crate::stored::{Storable, StoredOf};
use crate::warp;

/// Scans `32 S` segments side by side, if none has more than a quad of elements; otherwise does nothing, and returns false.
/// Lane `l` has the start and the end of segment number `32 i + l` in `ends[i]`. Each segment ends where the next one starts.
///
/// Called by: every lane of the warp. Valid in: every lane; the outputs' places, when the launch has ended. Scratch: the
/// warp's. Order: the tree's.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn scan<T: Element, O: Op<T, Out: Storable>, const R: usize, const Q: usize, const S: usize>(
    op: O,
    wanted: Wanted<O::Acc>,
    arrays: Arrays<T, StoredOf<T, O>>,
    ends: [[u64; 2]; S],
) -> bool {
    let start = warp::of_lane(ends[0][0], 0);
    let len = warp::of_lane(ends[S - 1][1], WARP_SIZE - 1).saturating_sub(start) as u32;
    // The place of each segment in the span, and its elements, in one word: these are kept in registers while all is brought.
    let (mut is_longer, mut parts) = (false, [0_u32; S]);
    unrolled!(i < S, up to 4 => {
        let count = ends[i][1].saturating_sub(ends[i][0]);
        is_longer |= count > Q as u64;
        parts[i] = ((ends[i][0].wrapping_sub(start) as u32) << 8) | (count as u32 & 0xff);
    });
    if warp::any(is_longer) {
        return false;
    }
    if len == 0 {
        return true;
    }
    let span = arrays.span(start, len);
    bring::<T, StoredOf<T, O>, R>(span, len);
    warp::sync();
    // Beyond the end of a segment these are arbitrary elements of the span.
    // SAFETY: the words of all elements were stored above, of the first one too.
    let mut x = [[unsafe { kept::<T>(0) }; Q]; S];
    unrolled!(i < S, up to 4 => {
        unrolled!(k < Q, up to 4 => {
            // SAFETY: as above.
            x[i][k] = unsafe { kept::<T>(((parts[i] >> 8) + k as u32).min(len - 1) as usize) };
        });
    });
    warp::sync();
    unrolled!(i < S, up to 4 => {
        let outs = outputs::<T, O, Q, Q, 1, Q>(op, wanted, x[i]);
        unrolled!(k < Q, up to 4 => {
            if (k as u32) < parts[i] & 0xff {
                keep((parts[i] >> 8) as usize, k, outs[k]);
            }
        });
    });
    warp::sync();
    take_away(span);
    warp::sync();
    true
}

/// Returns the outputs of a segment of a quad: what [`each_piece!`] makes of a run of one quad, in one piece, that is the first
/// of its segment.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn outputs<
    T: Element,
    O: Op<T, Out: Storable>,
    const R: usize,
    const Q: usize,
    const N: usize,
    const K: usize,
>(
    op: O,
    wanted: Wanted<O::Acc>,
    x: [T; R],
) -> [StoredOf<T, O>; K] {
    const { assert!(R == Q && K == Q && N == 1) }
    let start = O::combine(wanted.init, O::combine(O::IDENTITY, O::IDENTITY));
    let (first, mut all) = (0_u64, [StoredOf::<T, O>::zeroed(); K]);
    each_piece!(op, wanted, (x, [O::IDENTITY; N]), start, first, |piece, outs| {
        let _only = piece;
        all = outs;
    });
    all
}
