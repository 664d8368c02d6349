//! A sorted sample of an array, for estimates of bounds. A bad estimate costs time, but changes no result.

use gpu_kernels::TotalOrder;

use super::rank_in;
use crate::error::Error;
use crate::memory;
use crate::verb::order::Order;

/// Elements of a sample.
pub(super) const LEN: usize = 1 << 13;

/// Least elements of an array that is worth a sample.
pub(super) const WORTH: usize = 1 << 16;

/// Divides `x`, which has at least [`LEN`] elements, into `LEN` parts, and returns the sorted ranks of one element of
/// each.
pub(super) fn ranks<T: TotalOrder>(x: &[T], order: Order) -> Result<Vec<T::Rank>, Error> {
    let apart = x.len() / LEN;
    let at = |i: usize| {
        // At a varying position in its part, so that the sample does not follow a period of the input.
        let somewhere = (i as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 33;
        rank_in(order, x[i * apart + somewhere as usize % apart])
    };
    let mut ranks: Vec<T::Rank> = memory::collected((0..LEN).map(at))?;
    ranks.sort_unstable();
    Ok(ranks)
}
