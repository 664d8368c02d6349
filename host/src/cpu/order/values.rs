//! Sorting keys that have few distinct values, by counting each value.

use gpu_kernels::Rank;

use crate::cpu::processor::{self, Job};

/// Elements that are compared with each other at first, and the most distinct ones among them that promise few values.
const LOOKED_AT: usize = 32;
const PROMISING: usize = 20;

/// Most distinct values that are counted.
const FEW: usize = 24;

/// Elements that are counted at once.
const BLOCK: usize = 1 << 12;

/// Returns whether an array seems to have few distinct elements.
pub(super) fn seem_few<R, K: Rank>(x: &[R], rank: impl Fn(&R) -> K) -> bool {
    let apart = x.len() / LOOKED_AT;
    let mut ranks: [K; LOOKED_AT] = std::array::from_fn(|i| rank(&x[i * apart]));
    ranks.sort_unstable();
    ranks.chunk_by(|left, right| left == right).count() <= PROMISING
}

/// Sorts keys, if they have few distinct values, and returns whether they have. Equal keys have the same bits.
pub(super) fn sort<R: Copy, K: Rank>(x: &mut [R], rank: impl Fn(&R) -> K + Copy) -> bool {
    let mut values = Vec::with_capacity(FEW);
    let mut are_few = false;
    processor::widest(Counting { x, rank, values: &mut values, are_few: &mut are_few });
    if are_few {
        values.sort_unstable_by_key(|(value, _)| rank(value));
        let mut rest = x;
        for (value, count) in values {
            rest.split_off_mut(..count).unwrap_or_default().fill(value);
        }
    }
    are_few
}

/// Counts the elements of each value, unless there are more than [`FEW`].
struct Counting<'a, R, F> {
    x: &'a [R],
    rank: F,
    values: &'a mut Vec<(R, usize)>,
    are_few: &'a mut bool,
}

impl<R: Copy, K: Rank, F: Fn(&R) -> K + Copy> Job for Counting<'_, R, F> {
    #[inline(always)]
    fn run(self) {
        let Self { x, rank, values, are_few } = self;
        for block in x.chunks(BLOCK) {
            let mut rest = block.len();
            for (value, count) in values.iter_mut() {
                let here = count_equal(block, rank(value), rank);
                *count += here;
                rest -= here;
            }
            while rest > 0 {
                let is_known = |x: &R| values.iter().any(|(value, _)| rank(value) == rank(x));
                let Some(&new) = block.iter().find(|x| !is_known(x)) else { return };
                if values.len() == FEW {
                    return;
                }
                let here = count_equal(block, rank(&new), rank);
                values.push((new, here));
                rest -= here;
            }
        }
        *are_few = true;
    }
}

#[inline(always)]
fn count_equal<R, K: Rank>(block: &[R], value: K, rank: impl Fn(&R) -> K) -> usize {
    let mut count = 0_u32;
    for x in block {
        count += u32::from(rank(x) == value);
    }
    count as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_values_are_sorted_and_more_left_alone() {
        for (distinct, n) in [(1, 70), (FEW, 10_000), (FEW + 1, 10_000)] {
            let x: Vec<u32> = (0..n).map(|i| i * i % 0xFFF1 % distinct as u32 * 77).collect();
            let (mut found, mut sorted) = (x.clone(), x.clone());
            sorted.sort_unstable();
            let are_few = sort(&mut found, |&x| x);
            let mut values = sorted.clone();
            values.dedup();
            assert_eq!(are_few, values.len() <= FEW, "{distinct}");
            assert_eq!(found, if are_few { sorted } else { x }, "{distinct}");
        }
    }
}
