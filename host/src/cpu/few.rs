//! Inputs of few elements, which fit one row of lanes, so that their tree consists of pairs of neighbours. They are
//! folded directly, without checking the processor's features or the pool.

use gpu_kernels::tree::lanes;
use gpu_kernels::{Element, Op, is_free};

use super::{any_order, large, tiles};

/// Most elements of such an input.
const MOST: usize = 128;

/// Bytes of the largest accumulator for which [`MOST`] elements are folded here, and of the largest for which [`LESS`]
/// are.
const WIDEST: usize = 8;
const WIDER: usize = 32;
const LESS: usize = 32;

/// Folds `x`, if it has few elements.
#[inline]
pub(super) fn fold<T: Element, O: Op<T>>(op: O, x: &[T]) -> Option<O::Acc> {
    if const { large::is_wide::<O::Acc>() } {
        return None;
    }
    if const { is_free::<T, O>() } {
        return (x.len() <= MOST).then(|| any_order::fold::<T, O>(op, x, 0));
    }
    fold_each(op, x.iter().copied())
}

/// Folds elements along their tree, if they are few.
#[inline]
pub(super) fn fold_each<T: Element, O: Op<T>>(op: O, x: impl ExactSizeIterator<Item = T>) -> Option<O::Acc> {
    if const { large::is_wide::<O::Acc>() || !O::COMMUTATIVE || size_of::<O::Acc>() > WIDER || lanes::<T>() < MOST }
    {
        return None;
    }
    if const { size_of::<O::Acc>() > WIDEST } {
        let len = x.len();
        return (len <= LESS).then(|| {
            let mut accs = [O::IDENTITY; LESS];
            for ((acc, x), index) in accs.iter_mut().zip(x).zip(0..) {
                *acc = op.lift(x, index);
            }
            tiles::fold_pairs::<T, O>(&mut accs[..len])
        });
    }
    match x.len() {
        0..=8 => Some(fold_pairs::<T, O, 8>(op, x)),
        9..=32 => Some(fold_pairs::<T, O, 32>(op, x)),
        33..=MOST => Some(fold_pairs::<T, O, MOST>(op, x)),
        _ => None,
    }
}

/// Folds up to `N` elements, a power of two, in pairs of neighbours. The rest of the places hold the identity, which
/// changes no pair.
#[inline(always)]
fn fold_pairs<T: Element, O: Op<T>, const N: usize>(op: O, x: impl Iterator<Item = T>) -> O::Acc {
    let mut accs = [O::IDENTITY; N];
    for ((acc, x), index) in accs.iter_mut().zip(x).zip(0..) {
        *acc = op.lift(x, index);
    }
    let mut len = N;
    while len > 1 {
        len /= 2;
        for k in 0..len {
            accs[k] = O::combine(accs[2 * k], accs[2 * k + 1]);
        }
    }
    accs[0]
}
