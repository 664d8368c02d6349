//! The arguments of the kernels of exponentials, softmax and norms of rows.

use cuda_std::memory::{Optional, Readable, Writable};

use crate::forward::FloatElement;

cuda_std::arguments! {
    /// Softmax of rows.
    pub struct Softmax<T: FloatElement> {
        input: Readable<T>,
        out: Writable<T>,
        rows: u64,
        len: u64,
        log2_lanes: u32,
        log2_pieces: u32,
    }

    /// Logarithms of softmax of rows, or of their sums of exponentials.
    pub struct Logarithms<T: FloatElement> {
        input: Readable<T>,
        out: Optional<Writable<T>>,
        rows: u64,
        len: u64,
        log2_lanes: u32,
        log2_pieces: u32,
        result: u32,
        sums: Optional<Writable<T::Carrier>>,
    }

    /// Norms of rows.
    pub struct Norm<T: FloatElement> {
        input: Readable<T>,
        out: Writable<T>,
        rows: u64,
        len: u64,
        log2_lanes: u32,
        log2_pieces: u32,
        weight: Optional<Readable<T>>,
        bias: Optional<Readable<T>>,
        is_centred: u32,
        epsilon: T::Carrier,
    }
}
