//! The arguments of the kernels that fold the rows and the columns of matrices.

use cuda_std::memory::{Readable, Writable};

use crate::op::{Element, Op};

cuda_std::arguments! {
    /// Folds whole rows.
    pub struct WholeRows<T: Element, O: Op<T>> {
        input: Readable<T>,
        rows: u64,
        len: u64,
        pitch: u64,
        out: Writable<O::Acc>,
        op: O,
    }

    /// Folds rows of any length, or parts of them, by a warp or a block each.
    pub struct RowsByParts<T: Element, O: Op<T>> {
        input: Readable<T>,
        rows: u64,
        len: u64,
        pitch: u64,
        log2_parts: u32,
        out: Writable<O::Acc>,
        op: O,
    }

    /// Folds columns of any length, or parts of them.
    pub struct Columns<T: Element, O: Op<T>> {
        input: Readable<T>,
        batches: u64,
        rows: u64,
        columns: u64,
        batch_pitch: u64,
        row_pitch: u64,
        log2_down: u32,
        log2_parts: u32,
        out: Writable<O::Acc>,
        op: O,
    }

    /// Folds columns of few rows.
    pub struct ColumnsOfFew<T: Element, O: Op<T>> {
        input: Readable<T>,
        batches: u64,
        rows: u64,
        columns: u64,
        batch_pitch: u64,
        row_pitch: u64,
        out: Writable<O::Acc>,
        op: O,
    }
}
