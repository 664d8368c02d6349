//! The bodies of the entry points that find runs of equal keys. Each may overlap the launch before it, like the bodies
//! of [`entry::raw`](crate::entry::raw).

use cuda_std::global::{GlobalCells, GlobalSlice};
use cuda_std::grid::wait_for_earlier_launches;
use cuda_std::thread::grid_dim_x;

use crate::arguments::{CountRuns, WriteRuns};
use crate::groups::runs;
use crate::word::Word;

/// Writes how many runs of equal keys begin in each block's portion.
///
/// # Safety
/// Launched with as many blocks as have a portion, of [`SCAN_THREADS`](crate::groups::shapes::SCAN_THREADS) threads.
/// `keys` is aligned and readable for `len` keys, `counts` writable for a number per block; nothing else uses them
/// during the launch, except that others may read `keys`.
#[inline(always)]
pub unsafe fn count_runs<W: Word + PartialEq, const N: usize>(
    CountRuns { keys, len, portion, counts }: CountRuns<W>,
) {
    wait_for_earlier_launches();
    // SAFETY: by this function's contract; each cell is written once.
    let (keys, counts) =
        unsafe { (GlobalSlice::new(keys, len), GlobalCells::new(counts, u64::from(grid_dim_x()))) };
    runs::count::<W, N>(keys, portion, counts);
}

/// Writes where each of `count` runs begins and where the last one ends to `offsets`, and the key of each to `of_runs`.
///
/// # Safety
/// As for [`count_runs`], by as many blocks. `before` has the sum of what that counted before each block, and behind
/// those the sum of all, which is `count`; `offsets` is writable for `count` numbers and one, and `of_runs` aligned and
/// writable for `count` keys; nothing else uses them during the launch, except that others may read what the launch
/// only reads.
#[inline(always)]
pub unsafe fn write_runs<W: Word + PartialEq, const N: usize>(
    WriteRuns { keys, len, portion, before, offsets, of_runs, count }: WriteRuns<W>,
) {
    wait_for_earlier_launches();
    // SAFETY: by this function's contract; each cell is written once.
    let (keys, before, offsets, of_runs) = unsafe {
        (
            GlobalSlice::new(keys, len),
            GlobalSlice::new(before, u64::from(grid_dim_x()) + 1),
            GlobalCells::new(offsets, count + 1),
            GlobalCells::new(of_runs, count),
        )
    };
    runs::write::<W, N>(keys, portion, before, offsets, of_runs);
}
