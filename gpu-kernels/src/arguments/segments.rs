//! The arguments of the kernels that fold segments.

use crate::op::{Element, Op};

cuda_std::arguments! {
    /// Checks offsets and lists the tiles of long segments.
    pub struct SegmentsList {
        offsets: *const u32,
        are_wide: u32,
        are_signed: u32,
        count: u64,
        len: u64,
        short: u64,
        lanes: u64,
        checked: *mut u64,
        counters: *mut u64,
        tiles: *mut u64,
        most_tiles: u64,
        joins: *mut [u64; 2],
        most_joins: u64,
    }

    /// Folds the listed tiles of long segments.
    pub struct Segments<T: Element, O: Op<T>> {
        input: *const T,
        len: u64,
        offsets: *const u64,
        count: u64,
        counters: *const u64,
        tiles: *const u64,
        most_tiles: u64,
        partials: *mut O::Acc,
        out: *mut O::Acc,
        op: O,
    }

    /// Folds the short segments, and joins the tiles of long ones that have several.
    pub struct ShortSegments<T: Element, O: Op<T>> {
        input: *const T,
        len: u64,
        offsets: *const u64,
        count: u64,
        short: u64,
        counters: *const u64,
        joins: *const [u64; 2],
        most_joins: u64,
        partials: *const O::Acc,
        most_tiles: u64,
        out: *mut O::Acc,
        op: O,
    }
}
