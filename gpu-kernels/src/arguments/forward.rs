//! The arguments of the kernels of exponentials, softmax, norms and their gradients of rows.
//!
//! `input`, `gradient` and `out` have `rows` rows of `len` elements, at least one unless there is one result for each row. `log2_lanes` and
//! `log2_pieces` are the [shape](crate::forward::shapes::LanesShape) for rows that lanes of a warp hold. `label_kind` is 1 for labels of 8
//! bytes, plus 2 for signed ones.

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

    /// Logarithms of softmax of rows to `out` if `result` is 0. Otherwise a result of each row to `sums`: the sum of the exponentials (1), its
    /// logarithm (2), the logarithm of the mean (3), the cross-entropy with the row's label (4).
    pub struct Logarithms<T: FloatElement> {
        input: Readable<T>,
        out: Optional<Writable<T>>,
        rows: u64,
        len: u64,
        log2_lanes: u32,
        log2_pieces: u32,
        result: u32,
        sums: Optional<Writable<T::Carrier>>,
        labels: Optional<Readable<u32>>,
        label_kind: u32,
    }

    /// Root mean square norms of rows, or layer norms if `is_centred` is not 0. `weight` and `bias` have an element for each column.
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

    /// Gradients of softmax of rows, given its results, or of its logarithm if `is_logarithm` is not 0.
    pub struct SoftmaxGradient<T: FloatElement> {
        input: Readable<T>,
        out: Writable<T>,
        rows: u64,
        len: u64,
        log2_lanes: u32,
        log2_pieces: u32,
        gradient: Readable<T>,
        is_logarithm: u32,
    }

    /// Gradients of norms of rows.
    pub struct NormGradient<T: FloatElement> {
        input: Readable<T>,
        out: Writable<T>,
        rows: u64,
        len: u64,
        log2_lanes: u32,
        log2_pieces: u32,
        gradient: Readable<T>,
        weight: Optional<Readable<T>>,
        is_centred: u32,
        epsilon: T::Carrier,
    }

    /// Gradients of cross-entropies of rows, with a label and a gradient for each row.
    pub struct CrossEntropyGradient<T: FloatElement> {
        input: Readable<T>,
        out: Writable<T>,
        rows: u64,
        len: u64,
        log2_lanes: u32,
        log2_pieces: u32,
        labels: Readable<u32>,
        label_kind: u32,
        gradients: Readable<T::Carrier>,
    }
}
