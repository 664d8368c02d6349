//! Neighbouring rows of one length of a few elements: a loop over rows for each length, without a loop within the tree of a
//! row. So the compiler folds several rows at once. It is faster than leaves (`short.rs`) for rows of 3 and 5
//! (docs/tuning/cpu.md).

use std::mem::MaybeUninit;

use gpu_kernels::{Element, Op};

/// Bytes of the largest accumulator for which rows are folded here.
const WIDEST: usize = 16;

/// Least bytes of a row that is not.
const LONG: usize = 64;

/// Folds the rows of `len` elements of `x`, and writes their results, if there is a loop for this length.
#[inline(always)]
pub(super) fn fold<T: Element, O: Op<T>>(
    op: O,
    x: &[T],
    len: usize,
    outs: &mut [MaybeUninit<O::Out>],
) -> bool {
    if const { !O::COMMUTATIVE || size_of::<O::Acc>() > WIDEST } || len >= LONG / size_of::<T>() {
        return false;
    }
    match len {
        2 => each(op, x, outs, |[a, b]| O::combine(a, b)),
        3 => each(op, x, outs, |[a, b, c]| O::combine(O::combine(a, b), c)),
        4 => each(op, x, outs, four::<T, O>),
        5 => each(op, x, outs, |[a, b, c, d, e]| O::combine(four::<T, O>([a, b, c, d]), e)),
        6 => each(op, x, outs, |[a, b, c, d, e, f]| O::combine(four::<T, O>([a, b, c, d]), O::combine(e, f))),
        7 => each(op, x, outs, |[a, b, c, d, e, f, g]| {
            O::combine(four::<T, O>([a, b, c, d]), O::combine(O::combine(e, f), g))
        }),
        8 => each(op, x, outs, |[a, b, c, d, e, f, g, h]| {
            O::combine(four::<T, O>([a, b, c, d]), four::<T, O>([e, f, g, h]))
        }),
        _ => return false,
    }
    true
}

#[inline(always)]
fn four<T: Element, O: Op<T>>([a, b, c, d]: [O::Acc; 4]) -> O::Acc {
    O::combine(O::combine(a, b), O::combine(c, d))
}

/// Folds rows of `N` elements. `tree` folds the elements of one row.
#[inline(always)]
fn each<T: Element, O: Op<T>, const N: usize>(
    op: O,
    x: &[T],
    outs: &mut [MaybeUninit<O::Out>],
    tree: impl Fn([O::Acc; N]) -> O::Acc,
) {
    let (rows, _) = x.as_chunks::<N>();
    for (row, out) in rows.iter().zip(outs) {
        let acc = tree(std::array::from_fn(|at| op.lift(row[at], at as u64)));
        out.write(O::finish(acc, N as u64));
    }
}
