//! Where elements stood before the sort: what goes with the keys, if anything does.

use cuda_std::global::{GlobalCells, GlobalSlice};

/// Indices that are read.
#[derive(Clone, Copy)]
pub(super) enum Indices {
    /// No launch has moved them yet: each is its place.
    Places,
    /// Of fewer than 2^32 elements.
    Word(GlobalSlice<u32>),
    /// Of more.
    Long(GlobalSlice<u64>),
}

impl Indices {
    /// The index at a place.
    #[inline(always)]
    #[track_caller]
    pub(super) fn read(self, place: u64) -> u64 {
        match self {
            Self::Places => place,
            Self::Word(indices) => u64::from(indices.read(place)),
            Self::Long(indices) => indices.read(place),
        }
    }
}

/// Where they go.
#[derive(Clone, Copy)]
pub(super) enum IndicesOut {
    /// Nowhere: keys go alone.
    None,
    /// In 4 bytes each.
    Word(GlobalCells<u32>),
    /// In 8 bytes each.
    Long(GlobalCells<u64>),
}

impl IndicesOut {
    /// Whether there are any.
    #[inline(always)]
    pub(super) fn is_some(self) -> bool {
        !matches!(self, Self::None)
    }

    /// Writes an index.
    #[inline(always)]
    #[track_caller]
    pub(super) fn write(self, place: u64, index: u64) {
        match self {
            Self::None => {}
            Self::Word(cells) => cells.write(place, index as u32),
            Self::Long(cells) => cells.write(place, index),
        }
    }
}
