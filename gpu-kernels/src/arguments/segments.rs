//! The arguments of the kernels that fold segments.

use cuda_std::memory::{Atomic, Readable, Writable};

use crate::op::{Element, Op};

cuda_std::arguments! {
    /// Checks offsets and lists the tiles of long segments.
    pub struct SegmentsList {
        offsets: Readable<u32>,
        are_wide: u32,
        are_signed: u32,
        count: u64,
        len: u64,
        short: u64,
        lanes: u64,
        checked: Writable<u64>,
        counters: Atomic<u64>,
        tiles: Writable<u64>,
        most_tiles: u64,
        joins: Writable<[u64; 2]>,
        most_joins: u64,
    }

    /// Folds the listed tiles of long segments.
    pub struct Segments<T: Element, O: Op<T>> {
        input: Readable<T>,
        len: u64,
        offsets: Readable<u64>,
        count: u64,
        counters: Readable<u64>,
        tiles: Readable<u64>,
        most_tiles: u64,
        partials: Writable<O::Acc>,
        out: Writable<O::Acc>,
        op: O,
    }

    /// Folds the short segments, and joins the tiles of long ones that have several.
    pub struct ShortSegments<T: Element, O: Op<T>> {
        input: Readable<T>,
        len: u64,
        offsets: Readable<u64>,
        count: u64,
        short: u64,
        counters: Readable<u64>,
        joins: Readable<[u64; 2]>,
        most_joins: u64,
        partials: Readable<O::Acc>,
        most_tiles: u64,
        out: Writable<O::Acc>,
        op: O,
    }
}
