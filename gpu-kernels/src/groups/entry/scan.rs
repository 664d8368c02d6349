//! The bodies of the entry points that sum up integers. Each may overlap the launch before it, like the bodies of
//! [`entry::raw`](crate::entry::raw).

use cuda_std::global::{GlobalCells, GlobalSlice};
use cuda_std::grid::wait_for_earlier_launches;
use cuda_std::thread::grid_dim_x;

use crate::arguments::{Sums, Totals};
use crate::groups::scan;

/// Writes the sum of each block's portion of `len` integers.
///
/// # Safety
/// Launched with as many blocks as have a portion, of [`SCAN_THREADS`](crate::groups::shapes::SCAN_THREADS) threads.
/// `input` is readable for `len` integers, `totals` writable for one per block; nothing else uses them during the
/// launch, except that others may read `input`.
#[inline(always)]
pub unsafe fn scan_totals(Totals { input, len, portion, totals }: Totals) {
    wait_for_earlier_launches();
    // SAFETY: by this function's contract; each cell is written once.
    let (input, totals) =
        unsafe { (GlobalSlice::new(input, len), GlobalCells::new(totals, u64::from(grid_dim_x()))) };
    scan::total(input, portion, totals);
}

/// Replaces each of `len` integers by the sum of those before it, and writes the sum of all behind them.
///
/// # Safety
/// As for [`scan_totals`], by as many blocks. `cells` is writable for `len` integers and one; `before` has the sum of
/// all integers before each block's portion, or it is null and there is one block; nothing else uses them during the
/// launch, except that others may read `before`.
#[inline(always)]
pub unsafe fn scan(Sums { cells, len, portion, before }: Sums) {
    wait_for_earlier_launches();
    let blocks = u64::from(grid_dim_x());
    // SAFETY: by this function's contract; each cell is read and written by one thread.
    let cells = unsafe { GlobalCells::new(cells, len + 1) };
    // SAFETY: by this function's contract.
    let before = (!before.is_null()).then(|| unsafe { GlobalSlice::new(before, blocks) });
    scan::scan(cells, len, portion, before);
}
