//! What a warp reads of memory: a lane every 32nd.

use cuda_std::global::GlobalSlice;
use cuda_std::warp::WARP_SIZE;
use warpfold_exact::unrolled;

/// What a pass reads from memory: its keys, or the values beside them.
pub(crate) trait Input<T>: Copy {
    /// Returns `N` elements of a thread: those at `own` and every 32nd place after it, of the tile of `len` that begins
    /// at `start`. All are there if `is_whole`, and otherwise each behind the last is `behind`.
    fn column<const N: usize>(self, tile: (u64, u64), own: u32, is_whole: bool, behind: T) -> [T; N];
}

impl<T: Copy> Input<T> for GlobalSlice<T> {
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[track_caller]
    fn column<const N: usize>(self, (start, len): (u64, u64), own: u32, is_whole: bool, behind: T) -> [T; N] {
        warp_column(self.window(start, len), u64::from(own), is_whole, behind)
    }
}

/// Returns the elements at `first` and every 32nd place after it: all are there if `is_whole`, and otherwise each behind the last
/// is `behind`.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
#[track_caller]
pub(crate) fn warp_column<T: Copy, const N: usize>(
    slice: GlobalSlice<T>,
    first: u64,
    is_whole: bool,
    behind: T,
) -> [T; N] {
    if is_whole {
        return slice.read_column(first, WARP_SIZE);
    }
    // At constant distances from one address.
    let left = slice.window(first, u64::MAX);
    let mut column = [behind; N];
    unrolled!(i < N, up to 24 => {
        let at = i as u64 * u64::from(WARP_SIZE);
        if at < left.len() {
            column[i] = left.read(at);
        }
    });
    column
}
