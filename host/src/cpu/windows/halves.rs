//! Windows of an associative operator: every window of a block crosses one border, and is the end of what is before it and the beginning of
//! what is behind (van Herk, *A fast algorithm for local minimum and maximum filters on rectangular and octagonal kernels*, 1992).

use std::mem::MaybeUninit;

use gpu_kernels::{Element, Op};

use crate::error::Error;
use crate::memory::with_room;

/// Folds windows of `len` elements, `step` apart.
#[inline(always)]
pub(super) fn fold<T: Element, O: Op<T>>(
    op: O,
    x: &[T],
    len: usize,
    step: usize,
    outs: &mut [MaybeUninit<O::Out>],
) -> Result<(), Error> {
    let at_once = len.div_ceil(step);
    let mut ends = with_room::<O::Acc>(len)?;
    for (outs, first) in outs.chunks_mut(at_once).zip((0..).step_by(at_once * step)) {
        // Before the border are the elements of the first window.
        let (before, behind) = x[first..].split_at(len);
        ends.clear();
        ends.extend(before.iter().rev().scan(O::IDENTITY, |acc, &x| {
            *acc = O::combine(op.lift(x, 0), *acc);
            Some(*acc)
        }));
        let (mut beginning, mut done) = (O::IDENTITY, 0);
        for (i, out) in outs.iter_mut().enumerate() {
            let start = i * step;
            for &x in &behind[done..start] {
                beginning = op.append(beginning, x, 0);
            }
            done = start;
            out.write(O::finish(O::combine(ends[len - 1 - start], beginning), len as u64));
        }
    }
    Ok(())
}
