//! The arguments of the kernels that pack views and compact words.

use cuda_std::memory::{Atomic, Optional, Readable, Writable};

use crate::formula::Captured;
use crate::pack::boxes::Boxes;

cuda_std::arguments! {
    /// Copies a strided view to row-major memory.
    pub struct Pack<W: Copy> {
        input: Readable<W>,
        len: u64,
        out: Writable<W>,
        boxes: Boxes,
    }

    /// Compacts the words whose ranks are between two bounds.
    pub struct Compact<W: Copy> {
        input: Readable<W>,
        len: u64,
        least: W,
        span: W,
        outside: u32,
        out: Optional<Writable<W>>,
        total: Optional<Readable<u64>>,
        count: Writable<u64>,
        states: Atomic<u64>,
    }

    /// Compacts the first words of runs of equal words.
    pub struct Unique<W: Copy> {
        input: Readable<W>,
        len: u64,
        out: Optional<Writable<W>>,
        count: Writable<u64>,
        states: Atomic<u64>,
    }

    /// Compacts the words for which a formula holds.
    pub struct CompactByFormula<W: Copy> {
        input: Readable<W>,
        len: u64,
        out: Optional<Writable<W>>,
        total: Optional<Readable<u64>>,
        count: Writable<u64>,
        states: Atomic<u64>,
        formula: Captured,
    }

    /// Compacts the words that have a flag.
    pub struct CompactByFlags<W: Copy> {
        input: Readable<W>,
        len: u64,
        flags: Readable<u8>,
        out: Optional<Writable<W>>,
        total: Optional<Readable<u64>>,
        count: Writable<u64>,
        states: Atomic<u64>,
    }
}
