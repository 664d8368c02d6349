//! The raw entry of this layer.

use cuda_std::global::{GlobalCells, GlobalSlice};
use cuda_std::grid::wait_for_earlier_launches;

use super::{Columns, reduce};
use crate::op::{Element, Op};
use crate::shape::are_columns_vectors;

/// Folds each column of matrices, `shape` being how many, their rows and their columns, in `2^log2_parts` parts, each to
/// its place in `out`. A matrix's first element is `pitches[0]` elements from that of the one before it, a row's
/// `pitches[1]`. The parts of a column are left to be folded in pairs of neighbours: by
/// [`partials`](crate::entry::raw::partials).
///
/// # Safety
/// Launched with [`columns_blocks`](crate::shape::columns_blocks) blocks of 256 threads. No number of the shape is 0.
/// `log2_down` is within [`column_log2_threads`](crate::shape::column_log2_threads). A column has, with its number of tiles
/// rounded up to a power of two, a tile or more for each part. `input` is aligned and readable up to the last matrix's last
/// element, and `out` writable for one accumulator per part; nothing else uses them during the launch, but for reading
/// `input`. `W`, `N`, `LANES` and `LEVELS` are those of [`shape`](crate::shape): `columns_at_once`, `column_rows_at_once`,
/// `column_lanes_at_once` and `column_levels`.
#[inline(always)]
pub unsafe fn columns<
    T: Element,
    O: Op<T>,
    const W: usize,
    const N: usize,
    const LANES: usize,
    const LEVELS: usize,
>(
    input: *const T,
    [batches, rows, columns]: [u64; 3],
    [batch_pitch, row_pitch]: [u64; 2],
    log2_down: u32,
    log2_parts: u32,
    out: *mut O::Acc,
    op: O,
) {
    wait_for_earlier_launches();
    let address = input.addr() as u64;
    let are_vectors = are_columns_vectors::<T, O>(address, (batches, columns), (batch_pitch, row_pitch));
    let end = (batches - 1) * batch_pitch + (rows - 1) * row_pitch + columns;
    // SAFETY: by this function's contract; every thread runs the same calls below.
    let (elements, out) =
        unsafe { (GlobalSlice::new(input, end), GlobalCells::new(out, (batches * columns) << log2_parts)) };
    let cut = (log2_down, log2_parts);
    match elements.vectors::<W>() {
        Some(elements) if W > 1 && are_vectors => {
            let columns = Columns { elements, batches, rows, columns, row_pitch, batch_pitch };
            reduce::<T, O, _, W, N, LANES, LEVELS>(op, columns, cut, out);
        }
        _ => {
            let elements = elements.neighbours::<1>();
            let columns = Columns { elements, batches, rows, columns, row_pitch, batch_pitch };
            reduce::<T, O, _, 1, N, LANES, LEVELS>(op, columns, cut, out);
        }
    }
}
