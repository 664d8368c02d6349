//! Inputs of few elements, which fit one row of lanes, so that their tree consists of pairs of neighbours. They are
//! folded directly, without checking the processor's features or the pool.

use gpu_kernels::tree::lanes;
use gpu_kernels::{Element, Op, is_free};

use super::{any_order, large, tiles};

/// Most elements of such an input, and of one for a free operator, which wide registers fold faster than this.
const MOST: usize = 128;
const MOST_FREE: usize = 32;

/// Bytes of the largest accumulator for which [`MOST`] elements are folded here, and of the largest for which [`LESS`]
/// are.
const WIDEST: usize = 8;
const WIDER: usize = 32;
const LESS: usize = 32;

/// Elements that are folded at once.
pub(super) const BLOCK: usize = 8;

/// Folds `x`, if it has few elements.
#[inline]
pub(super) fn fold<T: Element, O: Op<T>>(op: O, x: &[T]) -> Option<O::Acc> {
    if const { large::is_wide::<O::Acc>() } {
        return None;
    }
    if const { is_free::<T, O>() } {
        return (x.len() <= MOST_FREE).then(|| any_order::fold::<T, O>(op, x, 0));
    }
    fold_each(op, x.len(), |i| x[i], |first| x[first..].first_chunk().copied())
}

/// Folds `len` elements along their tree, if they are few. `x` returns the element at an index, and `block` the whole
/// block that begins with an index.
#[inline]
pub(super) fn fold_each<T: Element, O: Op<T>>(
    op: O,
    len: usize,
    x: impl Fn(usize) -> T,
    block: impl Fn(usize) -> Option<[T; BLOCK]>,
) -> Option<O::Acc> {
    if const { large::is_wide::<O::Acc>() || !O::COMMUTATIVE || size_of::<O::Acc>() > WIDER || lanes::<T>() < MOST }
    {
        return None;
    }
    let acc = |i: usize| op.lift(x(i), i as u64);
    if const { size_of::<O::Acc>() > WIDEST } {
        return (len <= LESS).then(|| {
            let mut accs = [O::IDENTITY; LESS];
            for (i, out) in accs[..len].iter_mut().enumerate() {
                *out = acc(i);
            }
            tiles::fold_pairs::<T, O>(&mut accs[..len])
        });
    }
    match len {
        0..=BLOCK => Some(fold_block::<T, O>(len, acc)),
        9..=32 => Some(fold_blocks::<T, O, 4>(op, len, acc, block)),
        33..=MOST => Some(fold_blocks::<T, O, { MOST / BLOCK }>(op, len, acc, block)),
        _ => None,
    }
}

/// Folds up to `N` blocks. Absent elements and blocks are the identity, which changes no pair.
#[inline(always)]
fn fold_blocks<T: Element, O: Op<T>, const N: usize>(
    op: O,
    len: usize,
    acc: impl Fn(usize) -> O::Acc,
    block: impl Fn(usize) -> Option<[T; BLOCK]>,
) -> O::Acc {
    let mut blocks = [O::IDENTITY; N];
    for (total, first) in blocks.iter_mut().zip((0..len).step_by(BLOCK)) {
        *total = match block(first) {
            Some(x) => pairs::<T, O, BLOCK>(std::array::from_fn(|k| op.lift(x[k], (first + k) as u64))),
            None => fold_block::<T, O>(len - first, |i| acc(first + i)),
        };
    }
    pairs::<T, O, N>(blocks)
}

/// Folds up to a block of elements. Each is loaded by itself, because a wide load of what narrow stores just
/// wrote waits for them.
#[inline(always)]
fn fold_block<T: Element, O: Op<T>>(len: usize, acc: impl Fn(usize) -> O::Acc) -> O::Acc {
    let there = |k: usize| if k < len { acc(k) } else { O::IDENTITY };
    pairs::<T, O, BLOCK>(std::array::from_fn(there))
}

/// Folds pairs of neighbours until one accumulator is left.
#[inline(always)]
fn pairs<T: Element, O: Op<T>, const N: usize>(mut accs: [O::Acc; N]) -> O::Acc {
    let mut len = N;
    while len > 1 {
        len /= 2;
        for k in 0..len {
            accs[k] = O::combine(accs[2 * k], accs[2 * k + 1]);
        }
    }
    accs[0]
}
