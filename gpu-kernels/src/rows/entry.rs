//! The raw entry points of this layer.

use cuda_std::global::GlobalCells;
use cuda_std::grid::wait_for_earlier_launches;
use cuda_std::memory::{Readable, Writable};

use super::{Rows, batches, blocks, lanes, tiles, warps};
use crate::arguments::{RowsByParts, WholeRows};
use crate::block::groups::Groups;
use crate::op::{Accumulator, Element, Op};
use crate::shapes::{are_rows_vectors, do_rows_lie_across, do_warps_fold_rows};
use crate::tree;

/// Folds `rows` rows of `len` elements, `pitch` apart, to their places in `out`. Only for rows that are
/// [vectors](are_rows_vectors).
///
/// # Safety
/// Launched with blocks of whole warps. There is at least one row, of 1 to [`lanes_row_len`](crate::shapes::lanes_row_len)
/// elements. `input` reaches to the last row's last element, and `out` has room for one accumulator per row. `L` is
/// [`loads_of_item`](crate::shapes::loads_of_item), and `K` is [`lanes_row_values`](crate::shapes::lanes_row_values) of rows that
/// are vectors.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub unsafe fn rows_by_lanes<T: Element, O: Op<T>, const V: usize, const L: usize, const K: usize>(
    a: WholeRows<T, O>,
) {
    let are_vectors = are_rows_vectors::<T>(a.input.addr() as u64, a.len, a.pitch);
    // SAFETY: by this function's contract.
    let (rows, out) = unsafe { open((a.input, a.out), a.rows, (a.len, a.pitch), 0) };
    // For element types without vectors the entry point exists but is empty.
    if let Some(vectors) = rows.elements.vectors::<V>().filter(|_| are_vectors) {
        lanes::reduce::<T, O, _, V, L, K>(a.op, rows, vectors, out);
    }
}

/// Folds as [`rows_by_lanes`], for rows at any address and pitch.
///
/// # Safety
/// As [`rows_by_lanes`], but `K` is for rows that are not vectors.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub unsafe fn rows_by_lanes_unaligned<
    T: Element,
    O: Op<T>,
    const V: usize,
    const L: usize,
    const K: usize,
>(
    a: WholeRows<T, O>,
) {
    // SAFETY: by this function's contract.
    let (rows, out) = unsafe { open((a.input, a.out), a.rows, (a.len, a.pitch), 0) };
    match rows.elements.straddled_vectors::<V>() {
        Some(vectors) => lanes::reduce::<T, O, _, V, L, K>(a.op, rows, vectors, out),
        // At least half of each load would be of another row.
        _ if V > 1 && a.len * 2 <= V as u64 => {
            lanes::reduce::<T, O, _, 1, L, K>(a.op, rows, rows.elements.neighbours(), out);
        }
        _ => lanes::reduce::<T, O, _, V, L, K>(a.op, rows, rows.elements.neighbours(), out),
    }
}

/// Folds `rows` rows of `len` elements, `pitch` apart, in `2^log2_parts` parts, each to its place in `out`. Only for rows that
/// are [vectors](are_rows_vectors). [`partials`](crate::entry::raw::partials) then folds the parts of a row in pairs of
/// neighbours.
///
/// # Safety
/// Launched with blocks of whole warps. There is at least one row, of at least one element. The number of a row's tiles, rounded
/// up to a power of two, is at least the number of parts. `input` reaches to the last row's last element, and `out` has room for
/// one accumulator per part.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub unsafe fn rows_by_warp<T: Element, O: Op<T>, const V: usize>(a: RowsByParts<T, O>) {
    let are_vectors = are_rows_vectors::<T>(a.input.addr() as u64, a.len, a.pitch);
    // SAFETY: by this function's contract.
    let (rows, out) = unsafe { open((a.input, a.out), a.rows, (a.len, a.pitch), a.log2_parts) };
    if let Some(vectors) = rows.elements.vectors::<V>().filter(|_| are_vectors) {
        warps::reduce::<T, O, _, V>(a.op, rows, a.log2_parts, vectors, out);
    }
}

/// Folds as [`rows_by_warp`], for rows at any address and pitch.
///
/// # Safety
/// As [`rows_by_warp`].
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub unsafe fn rows_by_warp_unaligned<T: Element, O: Op<T>, const V: usize>(a: RowsByParts<T, O>) {
    // SAFETY: by this function's contract.
    let (rows, out) = unsafe { open((a.input, a.out), a.rows, (a.len, a.pitch), a.log2_parts) };
    match rows.elements.straddled_vectors::<V>() {
        Some(vectors) => {
            warps::reduce::<T, O, _, V>(a.op, rows, a.log2_parts, vectors, out);
        }
        _ => warps::reduce::<T, O, _, V>(a.op, rows, a.log2_parts, rows.elements.neighbours(), out),
    }
}

/// Folds rows of at most `TILES` tiles, at any address and pitch, each to its place in `out`. A warp folds a row, half
/// a tile at once. Only operators whose [rows are folded by warps](do_warps_fold_rows) use it; for others the entry
/// point exists but is empty.
///
/// # Safety
/// Launched with blocks of whole warps. There is at least one row, of at least one element and at most `TILES` tiles, which are
/// at most 32. `input` reaches to the last row's last element, and `out` has room for one accumulator per row.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub unsafe fn rows_by_tiles<T: Element, O: Op<T>, const V: usize, const TILES: u32>(a: WholeRows<T, O>) {
    // SAFETY: by this function's contract.
    let (rows, out) = unsafe { open((a.input, a.out), a.rows, (a.len, a.pitch), 0) };
    if do_warps_fold_rows::<T, O>() {
        let tiles = if TILES == 1 { 1 } else { tree::tiles::<T>(a.len) as u32 };
        tiles::reduce::<T, O, V>(a.op, rows, tiles, out);
    }
}

/// Folds as [`rows_by_warp_unaligned`], by blocks instead of warps.
///
/// # Safety
/// As [`rows_by_warp_unaligned`], but launched with blocks of 256, 512 or 1024 threads. Unless rows
/// [lie across](do_rows_lie_across) vectors, the number of a row's tiles, rounded up to a power of two, is at least the number of
/// parts times the 256-thread groups of a block.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub unsafe fn rows_by_block<T: Element, O: Op<T>, const V: usize>(a: RowsByParts<T, O>) {
    // SAFETY: by this function's contract.
    let (rows, out) = unsafe { open((a.input, a.out), a.rows, (a.len, a.pitch), a.log2_parts) };
    if do_rows_lie_across::<T, O>() {
        batches::reduce::<T, O, V>(a.op, rows, a.log2_parts, out);
    } else {
        // SAFETY: by this function's contract; every thread runs the same calls.
        blocks::reduce::<T, O, V>(unsafe { Groups::enter() }, a.op, rows, a.log2_parts, out);
    }
}

/// Waits for the writes of earlier launches, and makes the handles of the rows and of the places for their `2^log2_parts`
/// parts.
///
/// # Safety
/// Called before the launch touches memory. `input` reaches to the last row's last element, and `out` has room for one
/// accumulator per part.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
unsafe fn open<T: Element, A: Accumulator>(
    (input, out): (Readable<T>, Writable<A>),
    count: u64,
    (len, pitch): (u64, u64),
    log2_parts: u32,
) -> (Rows<T>, GlobalCells<A>) {
    wait_for_earlier_launches();
    let end = (count - 1) * pitch + len;
    // SAFETY: by this function's contract.
    let (elements, out) = unsafe { (input.slice(end), out.cells(count << log2_parts)) };
    (Rows { elements, count, len, pitch }, out)
}
