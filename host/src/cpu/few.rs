//! Inputs of few elements, which fit one row of lanes, so that their tree consists of pairs of neighbours. They are
//! folded directly, without checking the processor's features or the pool.

use gpu_kernels::tree::lanes;
use gpu_kernels::{Element, Op, is_free};

use super::{large, neighbours};
use crate::float_environment;

/// Most elements of such an input. A free operator has a lower limit, in elements and in bytes: wide registers fold longer inputs faster
/// (docs/tuning/cpu.md).
pub(super) const MOST: usize = 128;
const MOST_FREE: usize = 32;
const MOST_FREE_BYTES: usize = 128;

/// Bytes of the largest accumulator of an operator that [is short](is_short), and of the largest that is folded here. Of 100 f32, Variance
/// takes a seventh of the time of a tile (docs/tuning/cpu.md).
const WIDEST: usize = 8;
const WIDER: usize = 32;

/// Elements that are folded at once.
pub(super) const BLOCK: usize = 8;

/// Blocks of a stripe, and elements of one.
const BLOCKS: usize = 4;
const STRIPE: usize = BLOCKS * BLOCK;

/// Returns whether [`fold`] may fold `len` elements, so that a call with more does not try.
#[inline(always)]
pub(super) const fn are_few<T: Element, O: Op<T>>(len: usize) -> bool {
    if is_free::<T, O>() {
        return len <= longest::<T, O>();
    }
    let may_be = O::COMMUTATIVE && size_of::<O::Acc>() <= WIDER;
    may_be && lanes::<T>() >= MOST && len <= MOST
}

/// Folds `x`, if it has few elements and the float environment is right. It is a function of its own and returns a short accumulator
/// in a register, so that its callers have little code.
#[inline(never)]
pub(super) fn fold_checked<T: Element, O: Op<T>>(op: O, x: &[T]) -> Option<O::Acc> {
    if !float_environment::is_right() {
        return None;
    }
    fold::<T, O>(op, x)
}

/// Folds `x`, if it has few elements.
#[inline]
pub(super) fn fold<T: Element, O: Op<T>>(op: O, x: &[T]) -> Option<O::Acc> {
    if const { large::is_wide::<O::Acc>() } {
        return None;
    }
    if const { is_free::<T, O>() } {
        return (x.len() <= longest::<T, O>()).then(|| op.append_slice(O::IDENTITY, x, 0));
    }
    fold_each(op, x.len(), |i| x[i], |first| x.get(first..)?.first_chunk().copied())
}

/// Does [`fold`] for a loop over short rows: without a call for a row of a block or less.
#[inline(always)]
pub(super) fn fold_row<T: Element, O: Op<T>>(op: O, x: &[T]) -> Option<O::Acc> {
    if x.len() <= BLOCK && is_short::<T, O>() {
        return Some(fold_block::<T, O>(x.len(), |i| op.lift(x[i], i as u64)));
    }
    fold::<T, O>(op, x)
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
    if const { !O::COMMUTATIVE || size_of::<O::Acc>() > WIDER || lanes::<T>() < MOST } {
        return None;
    }
    let acc = |i: usize| op.lift(x(i), i as u64);
    match len {
        0..=BLOCK => Some(fold_block::<T, O>(len, acc)),
        9..=STRIPE => Some(fold_blocks::<T, O>(op, len, 0, acc, block)),
        33..=MOST => Some(fold_stripes::<T, O>(op, len, acc, block)),
        _ => None,
    }
}

/// Returns whether [`MOST`] elements are folded along their tree with this operator.
pub(super) const fn is_short<T: Element, O: Op<T>>() -> bool {
    O::COMMUTATIVE && size_of::<O::Acc>() <= WIDEST && lanes::<T>() >= MOST
}

/// Returns the most elements that [`fold`] folds.
pub(super) const fn longest<T: Element, O: Op<T>>() -> usize {
    let fitting = MOST_FREE_BYTES / size_of::<T>();
    match is_free::<T, O>() {
        true if fitting < MOST_FREE => fitting,
        true => MOST_FREE,
        false => MOST,
    }
}

/// Folds several stripes. It is apart because it uses registers that a call with fewer elements would otherwise
/// have to save.
#[inline(never)]
fn fold_stripes<T: Element, O: Op<T>>(
    op: O,
    len: usize,
    acc: impl Fn(usize) -> O::Acc,
    block: impl Fn(usize) -> Option<[T; BLOCK]>,
) -> O::Acc {
    let mut stripes = [O::IDENTITY; MOST / STRIPE];
    for (total, first) in stripes.iter_mut().zip((0..len).step_by(STRIPE)) {
        *total = match whole_stripe(first, &block) {
            Some(x) => fold_whole::<T, O>(op, &x, first),
            None => fold_blocks::<T, O>(op, len, first, &acc, &block),
        };
    }
    neighbours::fold_array::<T, O, { MOST / STRIPE }>(stripes)
}

/// Returns the blocks of the stripe that begins with the index `first`, if it is whole.
#[inline(always)]
fn whole_stripe<T>(
    first: usize,
    block: impl Fn(usize) -> Option<[T; BLOCK]>,
) -> Option<[[T; BLOCK]; BLOCKS]> {
    // The last one first: if it is whole, all are.
    let last = block(first + 3 * BLOCK)?;
    Some([block(first)?, block(first + BLOCK)?, block(first + 2 * BLOCK)?, last])
}

/// Folds a whole stripe, whose pairs the compiler folds side by side. This is faster than block by block
/// (docs/tuning/cpu.md).
#[inline(always)]
fn fold_whole<T: Element, O: Op<T>>(op: O, x: &[[T; BLOCK]; BLOCKS], first: usize) -> O::Acc {
    let lifted = |k: usize| op.lift(x[k / BLOCK][k % BLOCK], (first + k) as u64);
    neighbours::fold_array::<T, O, { STRIPE / 2 }>(std::array::from_fn(|k| {
        O::combine(lifted(2 * k), lifted(2 * k + 1))
    }))
}

/// Folds the blocks of a stripe that begins with the index `start`. Absent elements and blocks are the identity, which changes no pair.
#[inline(always)]
fn fold_blocks<T: Element, O: Op<T>>(
    op: O,
    len: usize,
    start: usize,
    acc: impl Fn(usize) -> O::Acc,
    block: impl Fn(usize) -> Option<[T; BLOCK]>,
) -> O::Acc {
    let mut blocks = [O::IDENTITY; BLOCKS];
    for (total, first) in blocks.iter_mut().zip((start..len).step_by(BLOCK)) {
        *total = match block(first) {
            Some(x) => neighbours::fold_array::<T, O, BLOCK>(std::array::from_fn(|k| {
                op.lift(x[k], (first + k) as u64)
            })),
            None => fold_block::<T, O>(len - first, |i| acc(first + i)),
        };
    }
    neighbours::fold_array::<T, O, BLOCKS>(blocks)
}

/// Folds up to a block of elements. Each is loaded by itself, because a wide load of what narrow stores just
/// wrote waits for them.
#[inline(always)]
fn fold_block<T: Element, O: Op<T>>(len: usize, acc: impl Fn(usize) -> O::Acc) -> O::Acc {
    let there = |k: usize| if k < len { acc(k) } else { O::IDENTITY };
    neighbours::fold_array::<T, O, BLOCK>(std::array::from_fn(there))
}

#[cfg(test)]
mod tests {
    use super::*;
    use gpu_kernels::{AccurateSum, ArgMax, Max, Mean, Sum, Variance, reference};

    fn check<T: Element, O: Op<T> + Default>(at: impl Fn(u64) -> T) {
        let x: Vec<T> = (0..MOST as u64 + 2).map(at).collect();
        let mut most = 0;
        for n in 0..=x.len() {
            for fold in [fold::<T, O>, fold_checked::<T, O>, fold_row::<T, O>] {
                let Some(acc) = fold(O::default(), &x[..n]) else { continue };
                let expected = reference::fold(O::default(), &x[..n]);
                assert_eq!(bytemuck::bytes_of(&acc), bytemuck::bytes_of(&expected), "{n} elements");
                most = n;
            }
        }
        assert_eq!(most, longest::<T, O>());
    }

    fn scattered(i: u64) -> f64 {
        (i.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 11) as f64 / (1_u64 << (30 + i % 20)) as f64 - 1e3
    }

    #[test]
    fn every_number_of_few_elements_gives_the_bits_of_the_reference() {
        check::<f32, Sum>(|i| scattered(i) as f32);
        check::<f64, Mean>(scattered);
        check::<f32, Variance>(|i| scattered(i) as f32);
        check::<f64, Variance>(scattered);
        check::<f32, AccurateSum>(|i| scattered(i) as f32);
        check::<i32, Sum>(|i| scattered(i) as i32);
        check::<f64, Max>(scattered);
        check::<u8, Sum>(|i| scattered(i) as u8);
        check::<f32, (Sum, Mean)>(|i| scattered(i) as f32);
        check::<f32, ArgMax>(|i| scattered(i) as f32);
    }
}
