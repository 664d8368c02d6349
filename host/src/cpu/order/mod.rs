//! Sorting and selection by the total order of elements.
//!
//! Sorting compares ranks, which are integers. A stable sort has only one result, so threads, parts and pivots do not
//! change it.

/// Compiles the work once for each order, so that no loop matches the order. A build with debug assertions compiles it
/// once, and matches in the loops: sorts are long, and instantiated with many types.
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

mod by_group;
mod by_parts;
mod digits;
mod inputs;
mod merge;
mod nearly;
mod quantiles;
mod radix;
mod runs;
mod sample;
mod select;
mod short;
mod sort;
mod top;
mod values;

pub(crate) use quantiles::Positions;

use gpu_kernels::TotalOrder;

use crate::verb::order::Order;

/// Returns an integer that ascends in the given order. Inlined with a known order, it is a flip of bits.
#[inline(always)]
pub(crate) fn rank_in<T: TotalOrder>(order: Order, x: T) -> T::Rank {
    match order {
        Order::Ascending => x.rank(),
        Order::Descending => !x.rank(),
    }
}
