//! Sorting and selection by the total order of elements.
//!
//! Ranks, which are integers, are compared. A stable sort has one result, whatever the threads, parts and pivots.

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

/// An integer that ascends in the given order. Inlined with the order known before a loop, it is a flip of bits.
#[inline(always)]
pub(crate) fn rank_in<T: TotalOrder>(order: Order, x: T) -> T::Rank {
    match order {
        Order::Ascending => x.rank(),
        Order::Descending => !x.rank(),
    }
}
