//! The bodies of the entry points that find runs of equal keys. Each may overlap the launch before it, like the bodies
//! of [`entry::raw`](crate::entry::raw).

use cuda_std::grid::wait_for_earlier_launches;
use cuda_std::thread::grid_dim_x;

use crate::arguments::{CountRuns, WriteRuns};
use crate::groups::runs;
use crate::word::Word;

/// Writes how many runs of equal keys begin in each block's portion.
///
/// # Safety
/// Launched with as many blocks as have a portion, of [`SCAN_THREADS`](crate::groups::shapes::SCAN_THREADS) threads. `keys` has
/// `len` keys, `counts` has room for a number per block.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub unsafe fn count_runs<W: Word + PartialEq, const N: usize>(a: CountRuns<W>) {
    wait_for_earlier_launches();
    // SAFETY: by this function's contract; each cell is written once.
    let (keys, counts) = unsafe { (a.keys.slice(a.len), a.counts.cells(u64::from(grid_dim_x()))) };
    runs::count::<W, N>(keys, a.portion, counts);
}

/// Writes where each of `count` runs begins and where the last one ends to `offsets`, and the key of each to `of_runs`.
///
/// # Safety
/// As for [`count_runs`], by as many blocks. `before` has the sum of what that counted before each block, and behind those the
/// sum of all, which is `count`; `offsets` has room for `count` numbers and one, and `of_runs` room for `count` keys.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub unsafe fn write_runs<W: Word + PartialEq, const N: usize>(a: WriteRuns<W>) {
    wait_for_earlier_launches();
    // SAFETY: by this function's contract; each cell is written once.
    let (keys, before, offsets, of_runs) = unsafe {
        (
            a.keys.slice(a.len),
            a.before.slice(u64::from(grid_dim_x()) + 1),
            a.offsets.cells(a.count + 1),
            a.of_runs.cells(a.count),
        )
    };
    runs::write::<W, N>(keys, a.portion, before, offsets, of_runs);
}
