//! The indices of elements before the sort, which move with the keys if wanted.

use cuda_std::global::{GlobalCells, GlobalSlice};

/// Indices that are read.
#[derive(Clone, Copy)]
pub(super) enum Indices {
    /// Not stored, since no launch has moved anything yet: each index is its place.
    Places,
    /// Indices of fewer than 2^32 elements.
    Word(GlobalSlice<u32>),
    /// Indices of more elements.
    Long(GlobalSlice<u64>),
}

impl Indices {
    /// Returns the index at a place.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[track_caller]
    pub(super) fn read(self, place: u64) -> u64 {
        match self {
            Self::Places => place,
            Self::Word(indices) => u64::from(indices.read(place)),
            Self::Long(indices) => indices.read(place),
        }
    }
}

/// Indices that are written.
#[derive(Clone, Copy)]
pub(super) enum IndicesOut {
    /// None: keys are moved alone.
    None,
    /// In 4 bytes each.
    Word(GlobalCells<u32>),
    /// In 8 bytes each.
    Long(GlobalCells<u64>),
}

impl IndicesOut {
    /// Returns whether indices are written.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn is_some(self) -> bool {
        !matches!(self, Self::None)
    }

    /// Writes an index.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[track_caller]
    pub(super) fn write(self, place: u64, index: u64) {
        match self {
            Self::None => {}
            Self::Word(cells) => cells.write(place, index as u32),
            Self::Long(cells) => cells.write(place, index),
        }
    }
}
