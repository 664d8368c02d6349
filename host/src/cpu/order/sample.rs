//! A sorted sample of an array, for guesses of bounds. A wrong guess costs time, and changes no result.

use gpu_kernels::TotalOrder;

use super::rank_in;
use crate::Order;

/// Elements of a sample.
pub(super) const LEN: usize = 1 << 13;

/// Least number of elements for a sample.
pub(super) const WORTH: usize = 1 << 16;

/// The sorted ranks of one element of each [`LEN`]th of `x`, which has at least `LEN` elements.
pub(super) fn ranks<T: TotalOrder>(x: &[T], order: Order) -> Vec<T::Rank> {
    let apart = x.len() / LEN;
    let at = |i: usize| {
        // Somewhere in its part, so that no period of the input meets that of the sample.
        let somewhere = (i as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 33;
        rank_in(order, x[i * apart + somewhere as usize % apart])
    };
    let mut ranks: Vec<T::Rank> = (0..LEN).map(at).collect();
    ranks.sort_unstable();
    ranks
}
