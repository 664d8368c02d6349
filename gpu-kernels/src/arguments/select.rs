//! The arguments of the kernels that select by rank.

use cuda_std::memory::{Atomic, Optional, Readable, Writable};

cuda_std::arguments! {
    /// Finds the first element of each group of a sample.
    pub struct Sample {
        input: Readable<u8>,
        bytes: u32,
        len: u64,
        signed: u64,
        all: u64,
        less: u64,
        pieces: u64,
        distance: u64,
        groups: u64,
        ranks: Writable<u64>,
        indices: Writable<u64>,
    }

    /// Finds the element at a place among pairs, and sorts those before it.
    pub struct Pick {
        ranks: Readable<u64>,
        indices: Readable<u64>,
        found: Optional<Readable<u64>>,
        room: u64,
        k: u32,
        bits: u32,
        index_bits: u32,
        bounds: Optional<Writable<u64>>,
        sorted: Optional<Writable<u64>>,
    }

    /// Compacts the elements within an interval of the order.
    pub struct Filter<W: Copy> {
        input: Readable<W>,
        len: u64,
        signed: u64,
        all: u64,
        less: u64,
        least: u64,
        most: u64,
        limit: u64,
        bounds: Optional<Readable<u64>>,
        ranks: Writable<u64>,
        indices: Optional<Writable<u64>>,
        room: u64,
        count: Atomic<u64>,
    }

    /// Counts elements by a digit.
    pub struct Digits<W: Copy> {
        input: Readable<W>,
        len: u64,
        signed: u64,
        all: u64,
        less: u64,
        least: u64,
        most: u64,
        shift: u32,
        by_index: u32,
        sums: Atomic<u64>,
    }

    /// Finds the first elements of parts, or of slices of parts.
    pub struct FirstOfParts<W: Copy> {
        input: Readable<W>,
        len: u64,
        signed: u64,
        all: u64,
        less: u64,
        offsets: Optional<Readable<u32>>,
        are_wide: u32,
        part_len: u64,
        count: u64,
        list: Optional<Readable<u64>>,
        listed: u64,
        segments: Optional<Readable<u64>>,
        segments_len: u64,
        of_tiles: Optional<Readable<u32>>,
        slice_len: u64,
        slices: u64,
        k: u32,
        room: u32,
        values: Writable<W>,
        indices: Writable<u64>,
        results: u64,
        pairs: Optional<Writable<u64>>,
        pairs_len: u64,
    }

    /// Finds the first elements of parts among the first pairs of their slices.
    pub struct FirstOfSlices<W: Copy> {
        pairs: Readable<u64>,
        pairs_len: u64,
        signed: u64,
        all: u64,
        less: u64,
        segments: Optional<Readable<u64>>,
        segments_len: u64,
        slice_len: u64,
        slices: u64,
        k: u32,
        room: u32,
        values: Writable<W>,
        indices: Writable<u64>,
        results: u64,
    }
}
