//! Pairs of neighbours: the tree of accumulators that are side by side. Each pair is combined, then each pair of results, until one is
//! left. The instances differ in where the accumulators are, so that each loop is vectorised; none changes a bit.

use gpu_kernels::{Element, Op};

use crate::error::Error;
use crate::memory;

/// Pairs of neighbours that are folded at once. With 16, wide accumulators take twice as long (docs/tuning/cpu.md).
const PAIRS: usize = 8;

/// Folds pairs of neighbours until one accumulator is left.
#[inline(always)]
pub(super) fn fold_array<T: Element, O: Op<T>, const N: usize>(mut accs: [O::Acc; N]) -> O::Acc {
    let mut len = N;
    while len > 1 {
        len /= 2;
        for k in 0..len {
            accs[k] = O::combine(accs[2 * k], accs[2 * k + 1]);
        }
    }
    accs[0]
}

/// Folds `H` pairs of neighbours.
#[inline(always)]
pub(super) fn halve<T: Element, O: Op<T>, const N: usize, const H: usize>(accs: &[O::Acc; N]) -> [O::Acc; H] {
    const { assert!(2 * H == N) }
    std::array::from_fn(|k| O::combine(accs[2 * k], accs[2 * k + 1]))
}

/// Folds pairs of neighbours into the first half of `accs`, which it returns. Overwrites the second half.
#[inline(always)]
pub(super) fn halve_all<T: Element, O: Op<T>>(accs: &mut [O::Acc]) -> &mut [O::Acc] {
    let half = accs.len() / 2;
    let whole = half - half % PAIRS;
    for first in (0..whole).step_by(PAIRS) {
        let (pairs, _) = accs[2 * first..2 * (first + PAIRS)].as_chunks::<2>();
        let folded: [O::Acc; PAIRS] = std::array::from_fn(|k| O::combine(pairs[k][0], pairs[k][1]));
        accs[first..first + PAIRS].copy_from_slice(&folded);
    }
    for k in whole..half {
        accs[k] = O::combine(accs[2 * k], accs[2 * k + 1]);
    }
    &mut accs[..half]
}

/// Folds in pairs of neighbours until one is left; an odd one out moves up unchanged. Overwrites `accs`.
#[inline(always)]
pub(super) fn fold<T: Element, O: Op<T>>(accs: &mut [O::Acc]) -> O::Acc {
    let mut len = accs.len();
    while len > 1 {
        let half = len / 2;
        halve_all::<T, O>(&mut accs[..2 * half]);
        if len % 2 == 1 {
            accs[half] = accs[len - 1];
        }
        len = len.div_ceil(2);
    }
    accs.first().copied().unwrap_or(O::IDENTITY)
}

/// Does [`fold`] for all lanes of a tile. Overwrites them, and `other`, which has half as many: a loop that
/// writes to other memory than it reads is vectorised.
#[inline(always)]
pub(super) fn fold_through<T: Element, O: Op<T>>(lanes: &mut [O::Acc], other: &mut [O::Acc]) -> O::Acc {
    let mut half = lanes.len() / 2;
    let (mut from, mut to) = (lanes, other);
    while half > 0 {
        let (pairs, halves) = (&from[..2 * half], &mut to[..half]);
        for k in 0..half {
            halves[k] = O::combine(pairs[2 * k], pairs[2 * k + 1]);
        }
        (from, to) = (to, from);
        half /= 2;
    }
    from[0]
}

/// Folds rows of `columns` columns in pairs of neighbours into the first row; an odd one out moves up unchanged.
#[inline(always)]
pub(crate) fn fold_rows<A: Copy>(table: &mut [A], columns: usize, combine: impl Fn(A, A) -> A) {
    let mut rows = table.len() / columns;
    while rows > 1 {
        for pair in 0..rows / 2 {
            // The first pair is folded in place, the others to an earlier row.
            let (left, right) = table.split_at_mut((2 * pair + 1) * columns);
            let (before, left) = left.split_at_mut(2 * pair * columns);
            let right = &right[..columns];
            if pair == 0 {
                for (left, &right) in left.iter_mut().zip(right) {
                    *left = combine(*left, right);
                }
            } else {
                let kept = &mut before[pair * columns..][..columns];
                for ((kept, &left), &right) in kept.iter_mut().zip(&*left).zip(right) {
                    *kept = combine(left, right);
                }
            }
        }
        if rows % 2 == 1 {
            table.copy_within((rows - 1) * columns..rows * columns, rows / 2 * columns);
        }
        rows = rows.div_ceil(2);
    }
}

/// Folds a sequence in pairs of neighbours as it arrives: like a binary counter, with one accumulator for each bit that
/// is 1.
pub(super) struct Counter<A> {
    stack: Vec<A>,
    count: usize,
}

impl<A: Copy> Counter<A> {
    /// Starts an empty sequence.
    pub(super) fn new() -> Self {
        Self { stack: Vec::new(), count: 0 }
    }

    /// Folds some elements left to right, and adds the result to the sequence.
    pub(super) fn push<'x, T: Element, O: Op<T, Acc = A>>(
        &mut self,
        op: O,
        x: impl Iterator<Item = (&'x T, u64)>,
    ) -> Result<(), Error> {
        memory::reserve(&mut self.stack, 1)?;
        self.stack.push(x.fold(O::IDENTITY, |acc, (&x, index)| op.append(acc, x, index)));
        for _ in 0..self.count.trailing_ones() {
            self.join::<T, O>();
        }
        self.count += 1;
        Ok(())
    }

    /// Combines the last two accumulators.
    fn join<T: Element, O: Op<T, Acc = A>>(&mut self) {
        if let Some(right) = self.stack.pop()
            && let Some(left) = self.stack.last_mut()
        {
            *left = O::combine(*left, right);
        }
    }

    /// Returns the fold of the whole sequence, where an odd one out moves up unchanged, and empties it.
    pub(super) fn take<T: Element, O: Op<T, Acc = A>>(&mut self) -> A {
        while self.stack.len() > 1 {
            self.join::<T, O>();
        }
        self.count = 0;
        self.stack.pop().unwrap_or(O::IDENTITY)
    }
}
