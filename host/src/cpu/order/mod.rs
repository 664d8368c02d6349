//! Elements by their total order: sorted, or found by their place in the sorted sequence.
//!
//! What is compared is a rank, an integer; no thread count, part or pivot shows in a result, since a stable sort has one.

mod digits;
mod interpolate;
mod merge;
mod places;
mod quantiles;
mod radix;
mod sample;
mod sort;
mod top;

pub use interpolate::{Interpolate, Interpolation};
pub(crate) use quantiles::Quantiles;

use gpu_kernels::TotalOrder;

use crate::Order;

/// An integer that ascends in the order wanted. Inlined with the order known before a loop, it is a flip of bits.
#[inline(always)]
pub(crate) fn rank_in<T: TotalOrder>(order: Order, x: T) -> T::Rank {
    match order {
        Order::Ascending => x.rank(),
        Order::Descending => !x.rank(),
    }
}
