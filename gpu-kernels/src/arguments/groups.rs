//! The arguments of the kernels over groups and runs.

use cuda_std::memory::{Atomic, Optional, Readable, Writable};

use crate::op::{Element, Op};

cuda_std::arguments! {
    /// Counts elements by each digit of their groups' ids.
    pub struct Histogram {
        ids: Readable<u8>,
        id_bytes: u32,
        len: u64,
        portion: u64,
        passes: u32,
        groups: u64,
        first_bad: Atomic<u64>,
        copy: Optional<Writable<u8>>,
        copy_bytes: u32,
        out: Atomic<u64>,
    }

    /// Folds elements into the accumulators of their groups.
    pub struct GroupsByAtomics<T: Element, O: Op<T>> {
        ids: Readable<u8>,
        id_bytes: u32,
        x: Readable<T>,
        len: u64,
        groups: u64,
        first_bad: Atomic<u64>,
        cells: Atomic<u8>,
        seen: Optional<Atomic<u32>>,
        copies_log2: u32,
        op: O,
    }

    /// Writes the accumulators of groups.
    pub struct GroupAccumulators {
        cells: Readable<u8>,
        bytes: u32,
        count: u64,
        identity: u64,
        seen: Optional<Readable<u32>>,
        out: Writable<u8>,
        lens: Optional<Writable<u64>>,
    }

    /// Moves elements in the order of a byte of their groups' ids.
    pub struct Scatter<W: Copy> {
        ids: Readable<u8>,
        id_bytes: u32,
        elements: Readable<W>,
        len: u64,
        pass: u32,
        starts: Readable<u64>,
        excess: u64,
        next_starts: Optional<Writable<u64>>,
        states: Atomic<u32>,
        next_states: Writable<u32>,
        state_words: u64,
        ids_out: Optional<Writable<u8>>,
        id_out_bytes: u32,
        out: Writable<W>,
        out_len: u64,
        sizes: Optional<Atomic<u64>>,
        groups: u64,
    }

    /// Writes the numbers of places at equal distances.
    pub struct Places {
        out: Writable<u8>,
        bytes: u32,
        len: u64,
        step: u64,
        most: u64,
    }

    /// Copies the elements at some places.
    pub struct Gather<W: Copy> {
        input: Readable<W>,
        len: u64,
        places: Readable<u8>,
        place_bytes: u32,
        count: u64,
        words: u32,
        out: Writable<W>,
    }

    /// Sums the integers of each block's portion.
    pub struct Totals {
        input: Readable<u64>,
        len: u64,
        portion: u64,
        totals: Writable<u64>,
    }

    /// Replaces each integer by the sum of those before it.
    pub struct Sums {
        cells: Writable<u64>,
        len: u64,
        portion: u64,
        before: Optional<Readable<u64>>,
    }

    /// Counts the runs of equal keys.
    pub struct CountRuns<W: Copy> {
        keys: Readable<W>,
        len: u64,
        portion: u64,
        counts: Writable<u64>,
    }

    /// Writes the starts of the runs, and their keys.
    pub struct WriteRuns<W: Copy> {
        keys: Readable<W>,
        len: u64,
        portion: u64,
        before: Readable<u64>,
        offsets: Writable<u64>,
        of_runs: Writable<W>,
        count: u64,
    }
}
