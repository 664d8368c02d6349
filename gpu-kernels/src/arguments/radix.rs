//! The arguments of the kernels that sort by digits.

use cuda_std::memory::{Atomic, Optional, Readable, Writable};

cuda_std::arguments! {
    /// Counts digits.
    pub struct RadixDigits<W: Copy> {
        input: Readable<W>,
        len: u64,
        portion: u64,
        coding: u32,
        counts: Atomic<u64>,
    }

    /// Sums up counts.
    pub struct RadixStarts {
        counts: Readable<u64>,
        len: u64,
        starts: Writable<u64>,
        route: Atomic<u64>,
    }

    /// Moves keys by a digit.
    pub struct RadixPass<W: Copy, V: Copy> {
        input: Readable<W>,
        out: Writable<W>,
        spare: Writable<W>,
        values: Optional<Readable<V>>,
        values_out: Optional<Writable<V>>,
        values_spare: Optional<Writable<V>>,
        places_out: Optional<Writable<u64>>,
        keep_keys: u32,
        len: u64,
        first: u64,
        count: u64,
        coding: u32,
        pass: u32,
        portion: u32,
        portions: u32,
        route: Readable<u64>,
        starts: Readable<u64>,
        next_starts: Optional<Writable<u64>>,
        states: Atomic<u32>,
        state_words: u64,
    }
}
