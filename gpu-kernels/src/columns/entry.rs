//! The raw entry points of this layer.

use cuda_std::global::{GlobalSlice, Spread};
use cuda_std::grid::wait_for_earlier_launches;
use cuda_std::memory::Readable;

use super::{Columns, few, reduce};
use crate::arguments::{self, ColumnsOfFew};
use crate::op::{Element, Op};
use crate::shapes::are_columns_vectors;

/// Folds each column of `batches` matrices of `rows` rows and `columns` columns in `2^log2_parts` parts, each to its place in
/// `out`. Matrices begin `batch_pitch` elements apart, and rows `row_pitch`. The columns are [vectors](are_columns_vectors), unless `W` is 1. [`partials`](crate::entry::raw::partials) then folds the parts of a column in
/// pairs of neighbours.
///
/// # Safety
/// Launched with [`columns_blocks`](crate::shapes::columns_blocks) blocks of 256 threads that have
/// [`columns_scratch`](crate::shapes::columns_scratch) bytes of dynamic shared memory. There is at least one matrix, row and
/// column. `log2_down` is within [`column_log2_threads`](crate::shapes::column_log2_threads). The number of a column's tiles,
/// rounded up to a power of two, is at least the number of parts. `input` reaches to the last matrix's last element, and `out`
/// has room for one accumulator per part. `W`, `N` and `LANES` are the results of these functions of [`shapes`](crate::shapes):
/// `columns_at_once`, `column_rows_at_once` and `column_lanes_at_once`.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub unsafe fn columns<T: Element, O: Op<T>, const W: usize, const N: usize, const LANES: usize>(
    a: arguments::Columns<T, O>,
) {
    if W == 1 {
        // SAFETY: the same contract.
        return unsafe { columns_unaligned::<T, O, W, N, LANES>(a) };
    }
    wait_for_earlier_launches();
    // SAFETY: by this function's contract; every thread runs the same calls below.
    let (are_vectors, matrices, out) = unsafe {
        let (are_vectors, matrices) =
            opened::<T, O>(a.input, [a.batches, a.rows, a.columns], [a.batch_pitch, a.row_pitch]);
        (are_vectors, matrices, a.out.cells((a.batches * a.columns) << a.log2_parts))
    };
    if let (true, Some(elements)) = (are_vectors, matrices.elements.vectors::<W>()) {
        reduce::<T, O, _, W, N, LANES>(a.op, matrices.by(elements), (a.log2_down, a.log2_parts), out);
    }
}

/// Folds as [`columns`], for matrices at any address and pitch.
///
/// # Safety
/// As for [`columns`], with the numbers of columns that are not vectors.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub unsafe fn columns_unaligned<T: Element, O: Op<T>, const W: usize, const N: usize, const LANES: usize>(
    a: arguments::Columns<T, O>,
) {
    wait_for_earlier_launches();
    // SAFETY: by this function's contract; every thread runs the same calls below.
    let (matrices, out) = unsafe {
        let (_, matrices) =
            opened::<T, O>(a.input, [a.batches, a.rows, a.columns], [a.batch_pitch, a.row_pitch]);
        (matrices, a.out.cells((a.batches * a.columns) << a.log2_parts))
    };
    let strips = matrices.spread::<W>();
    reduce::<T, O, _, W, N, LANES>(a.op, matrices.by(strips), (a.log2_down, a.log2_parts), out);
}

/// Folds as [`columns`], for columns of so few rows that a thread folds its columns alone.
///
/// # Safety
/// Launched with a thread for each `W` columns of a matrix, rounded up, in blocks of at most 256 threads. There are up to
/// [`few_rows`](crate::shapes::few_rows) rows. Otherwise as for [`columns`] with one part of each column.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub unsafe fn columns_of_few<T: Element, O: Op<T>, const W: usize, const N: usize, const LANES: usize>(
    a: ColumnsOfFew<T, O>,
) {
    if W == 1 {
        // SAFETY: the same contract.
        return unsafe { columns_of_few_unaligned::<T, O, W, N, LANES>(a) };
    }
    wait_for_earlier_launches();
    // SAFETY: by this function's contract; every thread runs the same calls below.
    let (are_vectors, matrices, out) = unsafe {
        let (are_vectors, matrices) =
            opened::<T, O>(a.input, [a.batches, a.rows, a.columns], [a.batch_pitch, a.row_pitch]);
        (are_vectors, matrices, a.out.cells(a.batches * a.columns))
    };
    if let (true, Some(elements)) = (are_vectors, matrices.elements.vectors::<W>()) {
        few::reduce::<T, O, _, W, N, LANES>(a.op, matrices.by(elements), out);
    }
}

/// Folds as [`columns_of_few`], for matrices at any address and pitch.
///
/// # Safety
/// As for [`columns_of_few`], with the numbers of columns that are not vectors.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub unsafe fn columns_of_few_unaligned<
    T: Element,
    O: Op<T>,
    const W: usize,
    const N: usize,
    const LANES: usize,
>(
    a: ColumnsOfFew<T, O>,
) {
    wait_for_earlier_launches();
    // SAFETY: by this function's contract; every thread runs the same calls below.
    let (matrices, out) = unsafe {
        let (_, matrices) =
            opened::<T, O>(a.input, [a.batches, a.rows, a.columns], [a.batch_pitch, a.row_pitch]);
        (matrices, a.out.cells(a.batches * a.columns))
    };
    few::reduce::<T, O, _, W, N, LANES>(a.op, matrices.by(matrices.spread::<W>()), out);
}

/// Returns whether the columns are loaded by vectors, and the matrices.
///
/// # Safety
/// As for [`columns`].
#[cfg_attr(target_arch = "nvptx64", inline(always))]
unsafe fn opened<T: Element, O: Op<T>>(
    input: Readable<T>,
    [batches, rows, columns]: [u64; 3],
    [batch_pitch, row_pitch]: [u64; 2],
) -> (bool, Columns<GlobalSlice<T>>) {
    let address = input.addr() as u64;
    let are_vectors = are_columns_vectors::<T, O>(address, (batches, columns), (batch_pitch, row_pitch));
    let end = (batches - 1) * batch_pitch + (rows - 1) * row_pitch + columns;
    // SAFETY: by this function's contract.
    let elements = unsafe { input.slice(end) };
    (are_vectors, Columns { elements, batches, rows, columns, row_pitch, batch_pitch })
}

impl<T: Copy> Columns<GlobalSlice<T>> {
    /// Returns the elements in strips of columns that are far apart.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn spread<const W: usize>(self) -> Spread<T, W> {
        let strips = self.columns.div_ceil(W as u64);
        self.elements.spread(strips, self.columns - strips)
    }
}
