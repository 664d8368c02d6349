//! The arguments of the kernels that sort.

use cuda_std::memory::{Atomic, Optional, Readable, Writable};

cuda_std::arguments! {
    /// Finds the bounds between buckets.
    pub struct SortPivots<W: Copy> {
        input: Readable<W>,
        len: u64,
        coding: u32,
        segments: Optional<Readable<u64>>,
        bounds: Writable<W>,
    }

    /// Counts the keys of each bucket.
    pub struct SortCount<W: Copy> {
        input: Readable<W>,
        len: u64,
        coding: u32,
        segments: Optional<Readable<u64>>,
        segments_len: u64,
        of_tiles: Optional<Readable<u32>>,
        bounds: Readable<W>,
        ids: Writable<u8>,
        counts: Writable<u64>,
    }

    /// Moves keys to their buckets.
    pub struct SortScatter<W: Copy> {
        input: Readable<W>,
        len: u64,
        coding: u32,
        segments: Optional<Readable<u64>>,
        segments_len: u64,
        of_tiles: Optional<Readable<u32>>,
        ids: Readable<u8>,
        before: Readable<u64>,
        out: Writable<W>,
        indices: Optional<Readable<u8>>,
        indices_out: Optional<Writable<u8>>,
        index_bytes: u32,
        wanted: u64,
    }

    /// Lists the next steps for buckets.
    pub struct SortLists {
        len: u64,
        key_bytes: u32,
        tile: u64,
        segments: Optional<Readable<u64>>,
        tiles: u64,
        bounds: Readable<u8>,
        before: Readable<u64>,
        next: Writable<u64>,
        next_of_tiles: Writable<u32>,
        leaves: Writable<u64>,
        counters: Atomic<u64>,
        wanted: u64,
    }

    /// Lists the parts of an array by the way in which they are sorted.
    pub struct SortParts {
        offsets: Optional<Readable<u32>>,
        are_wide: u32,
        are_signed: u32,
        part_len: u64,
        count: u64,
        len: u64,
        key_bytes: u32,
        items: u32,
        least: u64,
        wanted: u64,
        counters: Atomic<u64>,
        short: Writable<u64>,
        leaves: Writable<u64>,
        segments: Writable<u64>,
        of_tiles: Writable<u32>,
    }

    /// Sorts short parts of one class.
    pub struct SortShort<W: Copy> {
        input: Readable<W>,
        len: u64,
        coding: u32,
        offsets: Optional<Readable<u32>>,
        are_wide: u32,
        part_len: u64,
        count: u64,
        short: Optional<Readable<u64>>,
        short_len: u64,
        slot: u32,
        out: Optional<Writable<W>>,
        out_len: u64,
        coding_out: u32,
        indices_out: Optional<Writable<u8>>,
        index_out_bytes: u32,
        wanted: u64,
        are_within: u32,
    }

    /// Finishes segments that fit a block.
    pub struct SortLeaf<W: Copy> {
        input: Readable<W>,
        len: u64,
        coding: u32,
        leaves: Optional<Readable<u64>>,
        out: Optional<Writable<W>>,
        out_len: u64,
        coding_out: u32,
        indices: Optional<Readable<u8>>,
        index_bytes: u32,
        indices_out: Optional<Writable<u8>>,
        index_out_bytes: u32,
        wanted: u64,
        are_within: u32,
    }
}
