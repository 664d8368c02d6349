//! The lanes of a piece, moved into place when a thread folded those `shift` before its own.

use cuda_std::warp::{WARP_SIZE, lane_id};
use warpfold_exact::unrolled;

use crate::op::{Element, Op};
use crate::warp;

/// Returns each thread's own `V` lanes. `accs` are the lanes `shift` before them, with `shift` less than `V`. The last lanes of
/// the last thread come from `edge` of the first threads.
///
/// Called by: every lane of the warp. Valid in: every lane. Scratch: none.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn moved<T: Element, O: Op<T>, const V: usize>(
    mut accs: [O::Acc; V],
    edge: O::Acc,
    shift: u32,
) -> [O::Acc; V] {
    if shift == 0 {
        return accs;
    }
    // Rotated by `shift`, by one power of two at a time, since registers cannot be indexed.
    unrolled!(bit < { V.ilog2() as usize }, up to 4 => {
        if shift >> bit & 1 == 1 {
            accs = core::array::from_fn(|v| accs[(v + (1 << bit)) % V]);
        }
    });
    unrolled!(v < V => {
        // At least the first lane is in the thread's own vector.
        if v > 0 {
            let place = v as u32 + shift;
            let next = warp::of_lane(accs[v], (lane_id() + 1) % WARP_SIZE);
            let of_edge = warp::of_lane(edge, place % V as u32);
            if place >= V as u32 {
                accs[v] = if lane_id() + 1 == WARP_SIZE { of_edge } else { next };
            }
        }
    });
    accs
}
