//! The places of segments and of their tiles.

use cuda_std::global::GlobalSlice;

/// A tile of a long segment in one word: the segment's number times 4096, plus the tile's.
#[derive(Clone, Copy)]
pub(crate) struct Tile(u64);

impl Tile {
    const BITS: u32 = crate::tree::MAX_TILES.ilog2();

    /// Returns the word.
    #[cfg(any(feature = "rows", feature = "emulator"))]
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn word(segment: u64, tile: u32) -> u64 {
        segment << Self::BITS | u64::from(tile)
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn of(word: u64) -> Self {
        Self(word)
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn segment(self) -> u64 {
        self.0 >> Self::BITS
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn tile(self) -> u64 {
        self.0 & ((1 << Self::BITS) - 1)
    }
}

/// The segments: offset `i` is the start of segment `i`, and offset `i + 1` its end. They ascend within the elements.
#[derive(Clone, Copy)]
pub(crate) struct Segments {
    pub(crate) offsets: GlobalSlice<u64>,
}

impl Segments {
    /// Returns the number of segments.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn count(self) -> u64 {
        self.offsets.len().saturating_sub(1)
    }

    /// Returns the start of a segment and its length.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn get(self, segment: u64) -> (u64, u64) {
        let start = self.offsets.read(segment);
        (start, self.offsets.read(segment + 1).saturating_sub(start))
    }
}
