//! Items in device memory, and their division among blocks.

use cuda_std::memory::{Optional, Pointer};

use crate::cuda::launch::memory::Region;
use crate::cuda::launch::{Queue, enqueue};
use crate::error::Error;

/// Items of one size in device memory: elements, ids or keys.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Items<'a> {
    /// Their memory.
    pub(crate) region: Region<'a>,
    /// Bytes of an item.
    pub(crate) bytes: usize,
}

impl Items<'_> {
    /// Returns the start, as kernels take it, after checking that `len` items are there and aligned to `align` bytes. The
    /// queue keeps them.
    pub(super) fn open<P: Pointer>(self, queue: &Queue, len: u64, align: usize) -> Result<P, Error> {
        let region = self.region.part(0, len, self.bytes)?;
        if !region.address().is_multiple_of(align as u64) {
            return Err(Error::Plan { why: "words are moved that lie at a multiple of their size" });
        }
        Ok(queue.opened(region, 0)?)
    }

    /// Returns `len` items from item `first` on.
    pub(super) fn part(self, first: u64, len: u64) -> Result<Self, Error> {
        Ok(Self { region: self.region.part(first, len, self.bytes)?, ..self })
    }

    /// [Opens](Self::open) items, if there are any.
    pub(super) fn open_if<P: Pointer>(
        items: Option<Self>,
        queue: &Queue,
        len: u64,
        align: usize,
    ) -> Result<Optional<P>, Error> {
        Ok(items.map(|items| items.open(queue, len, align)).transpose()?.into())
    }
}

/// A division of items into portions, one for each block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Portions {
    /// Number of items, at least 1.
    pub(crate) len: u64,
    /// Items of a block.
    pub(crate) portion: u64,
    /// Number of blocks, each with a portion.
    pub(crate) blocks: u32,
}

impl Portions {
    /// Divides `len` items, at least 1, among at most `blocks` blocks, in whole tiles of `tile`.
    pub(crate) fn new(len: u64, tile: u64, blocks: u32) -> Result<Self, Error> {
        let tiles = len.div_ceil(tile.max(1));
        // A block counts in 32 bits.
        let most = ((1 << 31) / tile.max(1)).max(1);
        let of_block = tiles.div_ceil(u64::from(blocks.max(1))).clamp(1, most);
        let blocks = enqueue::blocks(tiles.div_ceil(of_block))?;
        Ok(Self { len, portion: of_block * tile.max(1), blocks })
    }
}

/// Returns the bytes of an integer, if the kernel takes that size.
pub(super) fn width(bytes: usize, known: &[usize]) -> Result<u32, Error> {
    if known.contains(&bytes) {
        return Ok(bytes as u32);
    }
    Err(Error::Plan { why: "ids are of 2, 4 or 8 bytes, and positions of 4 or 8" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_is_in_one_portion() {
        for len in [1, 3071, 3072, 3073, 1 << 20, (1 << 40) + 5] {
            for (tile, blocks) in [(3072, 1), (3072, 528), (256, 7), (1024, 1024)] {
                let Portions { portion, blocks: found, .. } =
                    Portions::new(len, tile, blocks).expect("portions");
                assert!(portion <= 1 << 31 && portion % tile == 0, "{len} {tile} {blocks}");
                assert!(u64::from(found) * portion >= len && (u64::from(found) - 1) * portion < len);
                assert!(found <= blocks || len > u64::from(blocks) << 30, "{len} {tile} {blocks}");
            }
        }
    }
}
