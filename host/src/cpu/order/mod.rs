//! Sorting and selection by the total order of elements.
//!
//! Sorting compares ranks, which are integers. A stable sort has only one result, so threads, parts and pivots do not
//! change it.

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

/// Returns an integer that ascends in the given order. Inlined with a known order, it is a flip of bits.
#[inline(always)]
pub(crate) fn rank_in<T: TotalOrder>(order: Order, x: T) -> T::Rank {
    match order {
        Order::Ascending => x.rank(),
        Order::Descending => !x.rank(),
    }
}
