//! The arguments of the kernels that scan.

use crate::op::{Element, Op};
use crate::stored::{Storable, StoredOf};

cuda_std::arguments! {
    /// Scans an array.
    pub struct Scan<T: Element, O: Op<T, Out: Storable>> {
        input: *const T,
        len: u64,
        is_inclusive: u32,
        init: O::Acc,
        before: u64,
        state: *mut u64,
        out: *mut StoredOf<T, O>,
        op: O,
    }

    /// Checks offsets and lists long segments and their tiles.
    pub struct ScanSegmentsList {
        offsets: *const u32,
        are_wide: u32,
        are_signed: u32,
        count: u64,
        len: u64,
        log2_row: u32,
        counters: *mut u64,
        medium: *mut [u64; 2],
        most_medium: u64,
        long: *mut [u64; 4],
        most_long: u64,
        tiles: *mut u64,
        most_tiles: u64,
    }

    /// Scans the listed tiles.
    pub struct ScanSegments<T: Element, O: Op<T, Out: Storable>> {
        input: *const T,
        len: u64,
        is_inclusive: u32,
        init: O::Acc,
        before: u64,
        counters: *mut u64,
        long: *const [u64; 4],
        most_long: u64,
        tiles: *const u64,
        most_tiles: u64,
        posts: *mut u64,
        most_stretches: u64,
        out: *mut StoredOf<T, O>,
        op: O,
    }

    /// Scans segments of at most one tile.
    pub struct ScanShortSegments<T: Element, O: Op<T, Out: Storable>> {
        input: *const T,
        len: u64,
        is_inclusive: u32,
        init: O::Acc,
        before: u64,
        offsets: *const u32,
        are_wide: u32,
        count: u64,
        log2_batch: u32,
        counters: *const u64,
        medium: *const [u64; 2],
        most_medium: u64,
        is_new: u32,
        out: *mut StoredOf<T, O>,
        op: O,
    }
}
