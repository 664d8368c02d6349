//! Few rows of few elements, folded one after the other on the stack, without looking at the processor's features or the threads.

use std::mem::MaybeUninit;

use gpu_kernels::{Element, Op};

use super::{Rows, constant};
use crate::cpu::few;

/// Most rows, and most elements of rows of one length, if wide registers could fold several of them at once. They are faster for more rows
/// (docs/tuning/cpu.md).
const MOST: usize = 32;
const MOST_OF_ONE_LENGTH: usize = 64;

/// Folds each row and writes its result, if there are few rows, they have few elements, and they follow each other in
/// memory. Otherwise returns `false`. This is faster than the job for many rows (docs/tuning/cpu.md).
#[inline(always)]
pub(super) fn fold<T: Element, O: Op<T>, R: Rows<T>>(
    op: O,
    rows: &R,
    outs: &mut [MaybeUninit<O::Out>],
) -> bool {
    if const { !few::is_short::<T, O>() } || outs.len() > MOST {
        return false;
    }
    let (len, most) =
        (rows.before(outs.len()), if R::OF_ONE_LENGTH { MOST_OF_ONE_LENGTH } else { few::MOST });
    let Some(x) = rows.from(0).get(..len).filter(|_| len <= most) else {
        return false;
    };
    if const { R::OF_ONE_LENGTH } && constant::fold(op, x, rows.longest(), outs) {
        return true;
    }
    if rows.longest() > few::longest::<T, O>() {
        return false;
    }
    let mut start = 0;
    for (row, out) in outs.iter_mut().enumerate() {
        let end = rows.before(row + 1);
        // Rows of these lengths are folded.
        let Some(acc) = few::fold_row::<T, O>(op, &x[start..end]) else { return false };
        out.write(O::finish(acc, (end - start) as u64));
        start = end;
    }
    true
}
