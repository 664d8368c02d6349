//! How keys are sorted, and which results are written.

use crate::cuda::Cuda;
use crate::cuda::executor::Executor;
use crate::cuda::launch::{Items, Region, Rooms, SortIndices, SortKeys, SortTo, position_bytes};
use crate::cuda::sort::digits::DigitLayout;
use crate::cuda::sort::level_layout::LevelLayout;
use crate::error::Error;

/// The most bytes of keys that are sorted by digits.
const MOST_BY_DIGITS: usize = 8;

/// Where a sort writes its results.
#[derive(Clone, Copy)]
pub(crate) struct Sorted<'a> {
    /// The elements, unless only indices are wanted. Must not be the memory of the input.
    pub(crate) elements: Option<Region<'a>>,
    /// What is beside them.
    pub(crate) beside: Beside<'a>,
}

/// What a sort writes beside the elements.
#[derive(Clone, Copy)]
pub(crate) enum Beside<'a> {
    /// Nothing.
    Nothing,
    /// The original index of each element, in 4 or 8 bytes.
    Indices(Items<'a>),
    /// Values of 4 or 8 bytes, from the first address to the second. Only [sorts by
    /// digits](moves_values) have them.
    Values(Items<'a>, Region<'a>),
}

impl<'a> Beside<'a> {
    /// Returns the bytes that move with each of `len` keys: its value's or its index's.
    fn bytes(self, len: u64) -> usize {
        match self {
            Self::Nothing => 0,
            Self::Indices(_) => position_bytes(len),
            Self::Values(from, _) => from.bytes,
        }
    }

    /// Returns where indices go, if they are wanted.
    pub(crate) fn indices(self) -> Result<Option<Items<'a>>, Error> {
        match self {
            Self::Nothing => Ok(None),
            Self::Indices(to) => Ok(Some(to)),
            Self::Values(..) => Err(Error::Plan { why: "values are moved by sorts by digits" }),
        }
    }
}

/// How keys are sorted, with the layout of the memory that this takes.
pub(crate) enum SortPlan {
    /// By one block, without memory.
    Tile,
    /// By digits.
    Digits(DigitLayout),
    /// Level by level.
    Levels(LevelLayout),
}

impl SortPlan {
    /// Plans a sort of `len` keys of `bytes` to `result`, and adds rooms for it to `rooms`.
    pub(crate) fn new(rooms: &mut Rooms, (len, bytes): (u64, usize), result: Sorted<'_>) -> Self {
        let (keys, beside, needs_key_room) =
            ((len, bytes), result.beside.bytes(len), result.elements.is_none());
        if len <= SortKeys::tile_of(bytes) {
            Self::Tile
        } else if bytes <= MOST_BY_DIGITS {
            Self::Digits(DigitLayout::new(rooms, keys, beside, needs_key_room))
        } else {
            Self::Levels(LevelLayout::new(rooms, keys, beside, needs_key_room))
        }
    }
}

impl Executor {
    /// Sorts `keys`, at most one tile, stably. Takes one launch and no memory.
    pub(crate) fn sort_tile(&self, cuda: &Cuda, keys: SortKeys<'_>, result: Sorted<'_>) -> Result<(), Error> {
        let indices = result.beside.indices()?.map(|to| SortIndices { from: None, to });
        self.queue().sort_leaves(cuda.kernels(), keys, None, SortTo::whole(keys, result.elements), indices)
    }

    /// Sorts `keys` stably, as `plan` was made for, in `memory`. The last launches are still under way when it returns.
    pub(crate) fn sort_planned<'a>(
        &self,
        cuda: &Cuda,
        keys: SortKeys<'a>,
        result: Sorted<'a>,
        (plan, memory): (&SortPlan, Region<'a>),
    ) -> Result<(), Error> {
        match plan {
            SortPlan::Tile => self.sort_tile(cuda, keys, result),
            SortPlan::Digits(layout) => self.sort_digits(cuda, keys, result, (layout, memory)),
            SortPlan::Levels(layout) => {
                let to = (SortTo::whole(keys, result.elements), result.beside.indices()?);
                self.sort_levels(cuda, keys, None, to, (layout, memory))
            }
        }
    }
}

/// Returns whether a sort of keys moves these values itself, and not by way of indices.
pub(crate) fn moves_values(keys: SortKeys<'_>, values: Items<'_>) -> Result<bool, Error> {
    let is_by_digits = keys.len > keys.tile() && keys.items.bytes <= MOST_BY_DIGITS;
    let is_aligned = values.region.array_of::<*mut u8>(0)?.addr().is_multiple_of(values.bytes.max(1));
    Ok(is_by_digits && is_aligned && matches!(values.bytes, 4 | 8))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The documentation of `Cuda::sort` gives this number.
    #[test]
    fn memory_is_that_of_the_keys_and_a_little() {
        for bytes in [1, 2, 4, 8] {
            let (len, mut rooms) = (100 << 20, Rooms::default());
            let result = Sorted { elements: None, beside: Beside::Nothing };
            let _plan = SortPlan::new(&mut rooms, (len, bytes), result);
            let found = rooms.bytes() as u64;
            // Twice, because the elements are not wanted.
            let keys = 2 * len * bytes as u64;
            assert!(
                (keys..keys + len / 2 * if bytes > 4 { 2 } else { 1 }).contains(&found),
                "{bytes}: {found}"
            );
        }
    }
}
