//! A block's columns where every order gives the tree's bits: a thread takes rows by a stride, and has one accumulator per
//! column.

use cuda_std::thread::unknown;
use warpfold_exact::unrolled;

use super::Place;
use super::combine::combine;
use super::strips::Strips;
use crate::op::{Element, Op};
use crate::source::Packed;

/// Folds rows `start .. end` of the block's columns, for a [free](crate::is_free) operator. `load` returns the elements of `N`
/// rows from a given one on, as far apart as threads share a column.
///
/// Called by: every thread of the block or, if each has its own columns alone, any of them. Valid in: the threads of the first
/// row. Scratch: the block's. Order: none; the indices that one thread folds ascend.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn fold<T, O, R, const W: usize, const N: usize>(
    op: O,
    load: impl Fn(u64) -> [R::Loaded; N],
    (start, end): (u64, u64),
    place: Place,
) -> [O::Acc; W]
where
    T: Element,
    O: Op<T>,
    R: Strips<T, W>,
{
    let step = 1u64 << place.log2_down;
    let mut accs = [O::IDENTITY; W];
    let mut row = start + u64::from(place.down());
    while row < end {
        let mut loaded = load(row);
        let is_whole = end - row > step * (N as u64 - 1);
        if let Some(absent) = op.absent() {
            // The code of a heavy operator is long, so it stands once, for whole steps and for the last one.
            unrolled!(w < W => {
                let rows = core::array::from_fn(|i| {
                    [if row + step * (i as u64) < end { loaded[i].elements()[w] } else { absent }]
                });
                accs[w] = op.append_rows::<1, N>(accs[w], rows, row, step);
            });
        } else if is_whole {
            let elements = loaded.map(Packed::elements);
            unrolled!(w < W => {
                accs[w] = op.append_rows::<1, N>(accs[w], elements.map(|row| [row[w]]), row, step);
            });
        } else {
            let (mut at, mut i) = (row, 0);
            while i < N as u32 && at < end {
                let elements = loaded[0].elements();
                unrolled!(w < W => { accs[w] = op.append(accs[w], elements[w], at) });
                // The loads move up, since registers cannot be indexed.
                loaded = core::array::from_fn(|i| loaded[(i + 1).min(N - 1)]);
                at += step;
                i = unknown(i + 1);
            }
        }
        row += step * N as u64;
    }
    combine::<T, O, W>(accs, place)
}
