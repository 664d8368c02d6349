//! The operations that C calls, over arrays `A` in host memory or on a device.

use warpfold::Order;

use crate::host::Array;

/// `warpfold_reduce`.
pub(crate) struct Reduce<A> {
    pub(crate) x: A,
}

/// `warpfold_dot`.
pub(crate) struct Dots<A> {
    pub(crate) x: A,
    pub(crate) y: A,
}

/// `warpfold_median`.
pub(crate) struct Median<A> {
    pub(crate) x: A,
}

/// `warpfold_rows`.
pub(crate) struct Rows<A> {
    pub(crate) x: A,
    pub(crate) shape: [u64; 2],
}

/// `warpfold_groups`.
pub(crate) struct Groups<A> {
    pub(crate) x: A,
    pub(crate) ids: A,
    pub(crate) groups: u64,
}

/// `warpfold_scan`.
pub(crate) struct Scans<A> {
    pub(crate) x: A,
    pub(crate) is_exclusive: bool,
}

/// `warpfold_sort`.
pub(crate) struct Sort<A> {
    pub(crate) x: A,
    pub(crate) order: Order,
}

/// `warpfold_argsort`.
pub(crate) struct Argsort<A> {
    pub(crate) x: A,
    pub(crate) order: Order,
}

/// `warpfold_histogram`. The edges are in host memory, one more than there are bins.
pub(crate) struct Histogram<A> {
    pub(crate) x: A,
    pub(crate) edges: Array,
}
