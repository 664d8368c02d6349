//! The arguments of the kernels that pack views and compact words.

use crate::pack::boxes::Boxes;

cuda_std::arguments! {
    /// Copies a strided view to row-major memory.
    pub struct Pack<W: Copy> {
        input: *const W,
        len: u64,
        out: *mut W,
        boxes: Boxes,
    }

    /// Compacts the words whose ranks are between two bounds.
    pub struct Compact<W: Copy> {
        input: *const W,
        len: u64,
        least: W,
        span: W,
        outside: u32,
        out: *mut W,
        total: *const u64,
        count: *mut u64,
        states: *mut u64,
    }

    /// Compacts the first words of runs of equal words.
    pub struct Unique<W: Copy> {
        input: *const W,
        len: u64,
        out: *mut W,
        count: *mut u64,
        states: *mut u64,
    }

    /// Compacts the words that have a flag.
    pub struct CompactByFlags<W: Copy> {
        input: *const W,
        len: u64,
        flags: *const u8,
        out: *mut W,
        total: *const u64,
        count: *mut u64,
        states: *mut u64,
    }
}
