//! The ids of groups, as they lie in memory.

use cuda_std::global::{GlobalCells, GlobalSlice};

/// The elements at `first`, `first + step` and so on: before `end`, which is one of the slice's, and its last one beyond.
#[inline(always)]
#[track_caller]
pub(crate) fn column_before<T: Copy, const N: usize>(
    slice: GlobalSlice<T>,
    first: u64,
    step: u32,
    end: u64,
) -> [T; N] {
    core::array::from_fn(|i| slice.read((first + u64::from(i as u32 * step)).min(end.saturating_sub(1))))
}

/// Where ids are written for the next pass.
#[derive(Clone, Copy)]
pub(crate) enum IdsOut {
    /// Nowhere: none comes, or it reads them where they are.
    None,
    /// In 2 bytes each, which hold them.
    Short(GlobalCells<u16>),
    /// In 4 bytes each.
    Word(GlobalCells<u32>),
}

impl IdsOut {
    /// Writes an id.
    #[inline(always)]
    #[track_caller]
    pub(crate) fn write(self, index: u64, id: u32) {
        match self {
            Self::None => {}
            Self::Short(cells) => cells.write(index, id as u16),
            Self::Word(cells) => cells.write(index, id),
        }
    }
}
