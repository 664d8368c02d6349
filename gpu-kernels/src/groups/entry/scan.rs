//! The bodies of the entry points that sum up integers. Each may overlap the launch before it, like the bodies of
//! [`entry::raw`](crate::entry::raw).

use cuda_std::grid::wait_for_earlier_launches;
use cuda_std::thread::grid_dim_x;

use crate::arguments::{Sums, Totals};
use crate::groups::scan;

/// Writes the sum of each block's portion of `len` integers.
///
/// # Safety
/// Launched with as many blocks as have a portion, of [`SCAN_THREADS`](crate::groups::shapes::SCAN_THREADS) threads. `input` has
/// `len` integers, `totals` has room for one per block.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub unsafe fn scan_totals(a: Totals) {
    wait_for_earlier_launches();
    // SAFETY: by this function's contract; each cell is written once.
    let (input, totals) = unsafe { (a.input.slice(a.len), a.totals.cells(u64::from(grid_dim_x()))) };
    scan::total(input, a.portion, totals);
}

/// Replaces each of `len` integers by the sum of those before it, and writes the sum of all behind them.
///
/// # Safety
/// As for [`scan_totals`], by as many blocks. `cells` has room for `len` integers and one; `before` has the sum of all integers
/// before each block's portion, or it is not there and there is one block.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub unsafe fn scan(a: Sums) {
    wait_for_earlier_launches();
    let blocks = u64::from(grid_dim_x());
    // SAFETY: by this function's contract; each cell is read and written by one thread.
    let cells = unsafe { a.cells.cells(a.len + 1) };
    // SAFETY: by this function's contract.
    let before = a.before.get().map(|before| unsafe { before.slice(blocks) });
    scan::scan(cells, a.len, a.portion, before);
}
