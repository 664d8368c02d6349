//! Sorting and selection by the total order of elements.
//!
//! Ranks, which are integers, are compared. A stable sort has one result, whatever the threads, parts and pivots.

/// Does work with an order that is known in each of two copies of the work, so that none of its loops asks for it. A build with debug
/// assertions compiles one copy, which asks: a sort is long, and called with many types.
macro_rules! in_order {
    ($order:expr, $known:ident => $work:expr) => {
        match $order {
            #[cfg(any(test, not(debug_assertions)))]
            Order::Ascending => {
                #[allow(non_upper_case_globals)]
                const $known: Order = Order::Ascending;
                $work
            }
            #[cfg(any(test, not(debug_assertions)))]
            Order::Descending => {
                #[allow(non_upper_case_globals)]
                const $known: Order = Order::Descending;
                $work
            }
            #[cfg(not(any(test, not(debug_assertions))))]
            $known => $work,
        }
    };
}

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
