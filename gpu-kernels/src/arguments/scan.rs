//! The arguments of the kernels that scan.

use cuda_std::memory::{Atomic, Readable, Writable};

use crate::op::{Element, Op};
use crate::stored::{Storable, StoredOf};

cuda_std::arguments! {
    /// Scans an array.
    pub struct Scan<T: Element, O: Op<T, Out: Storable>> {
        input: Readable<T>,
        len: u64,
        is_inclusive: u32,
        init: O::Acc,
        before: u64,
        state: Atomic<u64>,
        out: Writable<StoredOf<T, O>>,
        op: O,
    }

    /// Checks offsets and lists long segments and their tiles.
    pub struct ScanSegmentsList {
        offsets: Readable<u32>,
        are_wide: u32,
        are_signed: u32,
        count: u64,
        len: u64,
        log2_row: u32,
        counters: Atomic<u64>,
        medium: Writable<[u64; 2]>,
        most_medium: u64,
        long: Writable<[u64; 4]>,
        most_long: u64,
        tiles: Writable<u64>,
        most_tiles: u64,
    }

    /// Scans the listed tiles.
    pub struct ScanSegments<T: Element, O: Op<T, Out: Storable>> {
        input: Readable<T>,
        len: u64,
        is_inclusive: u32,
        init: O::Acc,
        before: u64,
        counters: Atomic<u64>,
        long: Readable<[u64; 4]>,
        most_long: u64,
        tiles: Readable<u64>,
        most_tiles: u64,
        posts: Atomic<u64>,
        most_stretches: u64,
        out: Writable<StoredOf<T, O>>,
        op: O,
    }

    /// Scans segments of at most one tile.
    pub struct ScanShortSegments<T: Element, O: Op<T, Out: Storable>> {
        input: Readable<T>,
        len: u64,
        is_inclusive: u32,
        init: O::Acc,
        before: u64,
        offsets: Readable<u32>,
        are_wide: u32,
        count: u64,
        log2_batch: u32,
        counters: Readable<u64>,
        medium: Readable<[u64; 2]>,
        most_medium: u64,
        is_new: u32,
        out: Writable<StoredOf<T, O>>,
        op: O,
    }
}
