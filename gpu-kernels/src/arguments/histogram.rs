//! The arguments of the kernels that count elements in bins.

use cuda_std::memory::{Atomic, Optional, Readable, Writable};

cuda_std::arguments! {
    /// Counts elements in bins, or writes the place of each.
    pub struct Bins<W: Copy> {
        input: Readable<W>,
        len: u64,
        signed: u64,
        all: u64,
        less: u64,
        lows: Readable<W>,
        bins: u32,
        most: u64,
        least_number: u64,
        greatest_number: u64,
        guess: u32,
        low: f64,
        high: f64,
        scale: f64,
        slack: f64,
        counts: Optional<Atomic<u64>>,
        outside: Optional<Atomic<u64>>,
        places: Optional<Writable<u32>>,
    }
}
