//! The ids of groups, as they lie in memory.

use cuda_std::global::{GlobalCells, GlobalSlice};
use cuda_std::warp::WARP_SIZE;
use warpfold_exact::unrolled;

/// What stands at `first` and every 32nd place after it: all there if `is_whole`, and otherwise `behind` in the place of what
/// is behind the last.
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

/// Ids that a pass reads.
#[derive(Clone, Copy)]
pub(crate) enum Ids {
    /// In 2 bytes each.
    Short(GlobalSlice<u16>),
    /// In 4 bytes each.
    Word(GlobalSlice<u32>),
}

impl Ids {
    /// How many there are.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn len(self) -> u64 {
        match self {
            Self::Short(ids) => ids.len(),
            Self::Word(ids) => ids.len(),
        }
    }

    /// [`warp_column`] of them, with ones behind the last: any digit of these is the highest.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[track_caller]
    pub(crate) fn warp_column<const N: usize>(self, first: u64, is_whole: bool) -> [u32; N] {
        match self {
            Self::Short(ids) => warp_column::<_, N>(ids, first, is_whole, u16::MAX).map(u32::from),
            Self::Word(ids) => warp_column(ids, first, is_whole, u32::MAX),
        }
    }
}

/// Where ids are written for the next pass.
#[derive(Clone, Copy)]
pub(crate) enum IdsOut {
    /// Nowhere: there is no next pass, or it reads the ids where they are.
    None,
    /// In 2 bytes each, which hold them.
    Short(GlobalCells<u16>),
    /// In 4 bytes each.
    Word(GlobalCells<u32>),
}

impl IdsOut {
    /// Writes an id.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[track_caller]
    pub(crate) fn write(self, index: u64, id: u32) {
        match self {
            Self::None => {}
            Self::Short(cells) => cells.write(index, id as u16),
            Self::Word(cells) => cells.write(index, id),
        }
    }
}
