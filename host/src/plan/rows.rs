//! Plans for many rows at once: by which kernel, and in which shape. A plan never changes a bit of a result.

use gpu_kernels::shapes::{
    BLOCK_THREADS, MAX_BATCH, MAX_FAN_IN, MOST_ACC_BYTES, do_rows_lie_across, do_warps_fold_rows,
    lanes_row_len,
};
use gpu_kernels::{Element, Op, tree};

use crate::error::Error;

/// A plan for folding rows of one length. It fits any number and length of rows that its kernel takes, so one plan may
/// serve several shapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RowsPlan {
    /// Some lanes of a warp fold a row, so that a warp folds several rows at once. For rows of a few hundred elements
    /// at most (`gpu_kernels::shapes::lanes_row_len`).
    Lanes {
        /// Threads per block: a multiple of 32 up to 1024.
        threads: u32,
        /// Blocks; rows are dealt to their warps in turn.
        blocks: u32,
    },
    /// A warp folds a row, or one of its parts. A second launch folds the parts.
    Warp {
        /// Threads per block: a multiple of 32 up to 1024.
        threads: u32,
        /// Blocks; rows and parts are dealt to their warps in turn.
        blocks: u32,
        /// Parts of a row: a power of two. If it is more than 1, all rows together have at most 16,384 parts (4096 if
        /// accumulators have more than 16 bytes).
        parts: u32,
    },
    /// A block folds a row, or one of its parts. A second launch folds the parts.
    Block {
        /// Threads per block: 256, 512 or 1024.
        threads: u32,
        /// Blocks; rows and parts are dealt to them in turn.
        blocks: u32,
        /// Parts of a row: a power of two. If it is more than 1, all rows together have at most 4096 parts. For
        /// operators whose rows are folded [across](gpu_kernels::shapes::do_rows_lie_across) vectors, the limit is the
        /// same as for warps.
        parts: u32,
    },
}

impl RowsPlan {
    /// Returns the plan for `rows` rows of `len` elements on a device with `multiprocessors`. `resident` returns how
    /// many blocks of 256 threads of a kernel each multiprocessor holds at once. `are_vectors`: whether the rows can be
    /// loaded by vectors. `is_whole`: whether the whole input can.
    #[cfg_attr(not(feature = "cuda"), allow(dead_code, reason = "rows are planned for GPUs"))]
    pub(crate) fn for_residents<T: Element, O: Op<T>>(
        rows: u64,
        len: u64,
        [are_vectors, is_whole]: [bool; 2],
        multiprocessors: u32,
        resident: impl FnOnce(Kind) -> Result<u32, Error>,
    ) -> Result<Self, Error> {
        let tiles = tree::tiles::<T>(len).next_power_of_two();
        let all_tiles = rows.saturating_mul(tiles);
        // If a tile is cut short, warps that work alone fold its vectors faster.
        let least = if are_vectors { tree::tile_len::<T>(0) } else { tree::lanes::<T>() as u64 + 1 };
        let in_batches = do_rows_lie_across::<T, O>() && len >= least;
        let are_more = |number, each| number > each * u64::from(multiprocessors);
        let are_many = are_more(all_tiles, FEW_TILES);
        // Warps that fold whole rows.
        let of_tiles = Kind::of_tiles::<T, O>(len).filter(|_| {
            let tiles = rows.saturating_mul(tree::tiles::<T>(len));
            are_more(rows, FEW_ROWS) && are_more(tiles, few_tiles::<T>(len, is_whole))
        });
        let kind = if len <= lanes_row_len::<T, O>(are_vectors) {
            Kind::Lanes
        } else if let Some(kind) = of_tiles {
            kind
        } else if in_batches {
            Kind::Block
        } else if are_many {
            Kind::Warp
        } else {
            Kind::Block
        };
        let slots = u64::from(multiprocessors.max(1)) * u64::from(resident(kind)?.max(1));
        let parts = |wanted, most| {
            let mut parts = 1;
            while parts < tiles
                && rows.saturating_mul(parts) < wanted
                && rows.saturating_mul(2 * parts) <= most
            {
                parts *= 2;
            }
            parts
        };
        // At least a row or a part per warp. Idle warps cost less than counting the busy ones.
        let for_warps = |items: u64| items.div_ceil(u64::from(THREADS / 32)).min(slots) as u32;
        Ok(match kind {
            Kind::Lanes => Self::Lanes { threads: THREADS, blocks: for_warps(rows) },
            Kind::Tile | Kind::Tiles => {
                let waves = if len <= 3 * tree::lanes::<T>() as u64 { SHORT_WAVES } else { LONG_WAVES };
                let blocks = rows.div_ceil(u64::from(THREADS / 32)).min(waves * slots);
                Self::Warp { threads: THREADS, blocks: blocks as u32, parts: 1 }
            }
            Kind::Warp => {
                let parts = parts(u64::MAX, warp_parts::<T, O>());
                let blocks = for_warps(rows.saturating_mul(parts));
                Self::Warp { threads: THREADS, blocks, parts: parts as u32 }
            }
            Kind::Block if in_batches => {
                let batch = (all_tiles / (BATCHES * slots)).next_power_of_two().min(u64::from(MAX_BATCH));
                let batches = all_tiles.div_ceil(batch);
                let (blocks, parts) = (batches.min(MOST_BLOCKS), parts(batches, warp_parts::<T, O>()));
                Self::Block { threads: THREADS, blocks: blocks as u32, parts: parts as u32 }
            }
            Kind::Block => {
                let parts = parts(u64::MAX, MAX_FAN_IN);
                let items = rows.saturating_mul(parts);
                let blocks = if items <= MOST_BLOCKS { items } else { slots };
                Self::Block { threads: THREADS, blocks: blocks as u32, parts: parts as u32 }
            }
        })
    }

    /// Fails unless rows of `len` elements can be folded by this plan.
    #[cfg_attr(not(feature = "cuda"), allow(dead_code, reason = "rows are launched on GPUs"))]
    pub(crate) fn check<T: Element, O: Op<T>>(
        self,
        rows: u64,
        len: u64,
        are_vectors: bool,
    ) -> Result<(), Error> {
        let refuse = |why| Err(Error::Plan { why });
        let (Self::Lanes { blocks, .. } | Self::Warp { blocks, .. } | Self::Block { blocks, .. }) = self;
        if blocks == 0 || blocks > i32::MAX as u32 {
            return refuse("a launch has 1 to 2^31 - 1 blocks");
        }
        match self {
            Self::Lanes { threads, .. } | Self::Warp { threads, .. }
                if !threads.is_multiple_of(32) || !(32..=1024).contains(&threads) =>
            {
                refuse("warps that fold rows stand in blocks of 32 to 1024 threads, a multiple of 32")
            }
            Self::Lanes { .. } if len > lanes_row_len::<T, O>(are_vectors) => {
                refuse("the rows are too long for lanes of a warp: take a plan by warps or blocks")
            }
            Self::Warp { parts, .. } => check_parts::<T>(rows, len, parts, 1, warp_parts::<T, O>()),
            Self::Block { threads, .. } if !BLOCK_THREADS.contains(&threads) => {
                refuse("a block has 256, 512 or 1024 threads")
            }
            Self::Block { parts, .. } if do_rows_lie_across::<T, O>() => {
                check_parts::<T>(rows, len, parts, 1, warp_parts::<T, O>())
            }
            Self::Block { threads, parts, .. } => {
                check_parts::<T>(rows, len, parts, u64::from(threads) / tree::THREADS as u64, MAX_FAN_IN)
            }
            Self::Lanes { .. } => Ok(()),
        }
    }
}

/// Fails unless rows of `len` elements may have `parts` parts, each of `least` tiles or more.
#[cfg_attr(not(feature = "cuda"), allow(dead_code, reason = "rows are launched on GPUs"))]
fn check_parts<T: Element>(rows: u64, len: u64, parts: u32, least: u64, most: u64) -> Result<(), Error> {
    let refuse = |why| Err(Error::Plan { why });
    let (tiles, parts) = (tree::tiles::<T>(len).next_power_of_two(), u64::from(parts));
    if !parts.is_power_of_two() || (parts > 1 && rows.saturating_mul(parts) > most) {
        return refuse(
            "the parts of a row are a power of two, and at most 4096 or 16,384 in all rows, as `RowsPlan` says",
        );
    }
    if parts > 1 && parts.saturating_mul(least) > tiles {
        return refuse("a part of a row is at least a tile, and one for each 256 threads of a block");
    }
    Ok(())
}

/// What folds a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Lanes,
    /// A warp, half a tile at once; the row is one tile.
    Tile,
    /// The same for a row of several tiles.
    Tiles,
    Warp,
    Block,
}

impl Kind {
    /// Returns the kind by which a warp folds a whole row of `len` elements half a tile at once, from any address, if it does.
    /// Blocks fold rows of several whole tiles as fast. Warps are faster for rows that are not whole tiles
    /// (docs/tuning/gpu.md).
    pub(crate) const fn of_tiles<T: Element, O: Op<T>>(len: u64) -> Option<Self> {
        if !do_warps_fold_rows::<T, O>() || len <= tree::lanes::<T>() as u64 {
            return None;
        }
        match tree::tiles::<T>(len) {
            1 => Some(Self::Tile),
            tiles if tiles > MAX_BATCH as u64 || len.is_multiple_of(tree::tile_len::<T>(len)) => None,
            _ => Some(Self::Tiles),
        }
    }
}

/// Threads of a block. Kernels whose warps work alone gain nothing from larger blocks.
const THREADS: u32 = tree::THREADS as u32;

/// Returns the most parts of rows that warps fold, in all rows together: limited by the scratch memory and the number
/// of warps.
const fn warp_parts<T: Element, O: Op<T>>() -> u64 {
    MAX_FAN_IN * if size_of::<O::Acc>() * 4 <= MOST_ACC_BYTES { 4 } else { 1 }
}

/// Most rows per multiprocessor for which a row is folded by more than one warp. From 8 rows per multiprocessor on, a warp
/// for each is faster (docs/tuning/gpu.md).
const FEW_ROWS: u64 = 4;

/// Returns the most tiles per multiprocessor for which rows of `len` elements are folded by more than one warp. A tile
/// that is not whole, at an end of the input, is loaded one element after the other, row after row of the tree. This takes a
/// warp as long as many whole tiles. Such a tile is among the first, and hidden behind enough others (docs/tuning/gpu.md).
const fn few_tiles<T: Element>(len: u64, is_whole: bool) -> u64 {
    let (tile, lanes) = (tree::tile_len::<T>(len), tree::lanes::<T>() as u64);
    match len.saturating_sub(1) % tile / lanes {
        _ if is_whole => FEW_ROWS,
        0 | 1 => 2 * FEW_ROWS,
        2 => 4 * FEW_ROWS,
        _ => 16 * FEW_ROWS,
    }
}

/// Most tiles per multiprocessor for which blocks fold rows: a tile then has more threads, and there are too few warps
/// for their waiting for each other to matter.
const FEW_TILES: u64 = 16;

/// Batches of tiles per resident block, while a batch has less than [`MAX_BATCH`] tiles. Shares of the memory's speed
/// differ by less than 1 % from 1 to 32 tiles (docs/tuning/gpu.md).
const BATCHES: u64 = 4;

/// Turns of resident blocks in which warps fold rows half a tile at once: rows of at most three quarters of a smallest tile,
/// and longer ones. Later blocks even out differences between the first, until the last turn has too few
/// (docs/tuning/gpu.md).
const SHORT_WAVES: u64 = 4;
const LONG_WAVES: u64 = 8;

/// Most rows and parts of rows that get a block each. The device starts blocks as others end. More rows and parts take
/// turns. A block each is faster for 16,384 rows than turns are for 32,768 (docs/tuning/gpu.md).
const MOST_BLOCKS: u64 = 4 * MAX_FAN_IN;

#[cfg(test)]
mod tests {
    use super::*;
    use gpu_kernels::{ArgMin, Max, Sum, Variance};

    fn holds<T: Element, O: Op<T>>() {
        for rows in [1, 2, 7, 100, 4096, 4097, 1 << 20, (1 << 32) + 1] {
            for len in [1, 8, 31, 128, 1000, 1024, 1025, 4097, 1 << 16, (1 << 22) + 1, 1 << 30] {
                for [are_vectors, is_whole] in [[false, false], [false, true], [true, true]] {
                    for resident in [1, 3, 8] {
                        let are = [are_vectors, is_whole];
                        let plan = RowsPlan::for_residents::<T, O>(rows, len, are, 132, |_| Ok(resident))
                            .and_then(|plan| plan.check::<T, O>(rows, len, are_vectors).map(|()| plan));
                        assert!(plan.is_ok(), "{rows} x {len}: {plan:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn every_shape_has_a_plan_that_holds() {
        holds::<f32, Sum>();
        holds::<u8, Sum>();
        holds::<f64, ArgMin>();
    }

    /// Returns the plan for `rows` rows of `len` f32 that can be loaded by vectors, on 132 multiprocessors that hold 4 blocks
    /// each.
    fn of_f32<O: Op<f32>>(rows: u64, len: u64) -> RowsPlan {
        RowsPlan::for_residents::<f32, O>(rows, len, [true; 2], 132, |_| Ok(4)).unwrap()
    }

    #[test]
    fn plans_change_where_their_rules_say() {
        let lanes = |blocks| RowsPlan::Lanes { threads: 256, blocks };
        let warp = |blocks, parts| RowsPlan::Warp { threads: 256, blocks, parts };
        let block = |blocks, parts| RowsPlan::Block { threads: 256, blocks, parts };
        let short = lanes_row_len::<f32, Sum>(true);
        for (rows, len, expected) in [
            // A warp for each row or part, up to the warps that are resident.
            (1, short, lanes(1)),
            (8, short, lanes(1)),
            (9, short, lanes(2)),
            (1 << 20, short, lanes(528)),
            // Few tiles: a block each. More than 16 for each multiprocessor: a warp each.
            (1, short + 1, block(1, 1)),
            (2112, short + 1, block(2112, 1)),
            (2113, short + 1, warp(265, 1)),
            (1 << 20, short + 1, warp(528, 1)),
            // Half a tile at once: more than 4 rows for each multiprocessor, in up to 4 or 8 turns of blocks.
            (528, 1025, block(528, 1)),
            (529, 1025, warp(67, 1)),
            (1 << 20, 3072, warp(2112, 1)),
            (1 << 14, 4096, warp(2048, 1)),
            (1 << 20, 3073, warp(4224, 1)),
            // Several tiles; the last is cut short.
            (528, 4097, block(1056, 2)),
            (529, 4097, warp(67, 1)),
            (1 << 17, 8191, warp(4224, 1)),
            (1 << 17, 8192, block(8192, 1)),
            (1 << 12, 32 * 4096 - 1, warp(512, 1)),
            (1 << 12, 32 * 4096 + 1, block(8192, 2)),
            // Longer rows: a block for each batch of tiles. There are four batches for each resident block. A row is
            // cut into as many parts as there are batches.
            (1, 4096, block(1, 1)),
            (1, 8192, block(2, 2)),
            (3, 1 << 20, block(768, 256)),
            (1, 1 << 30, block(4096, 4096)),
            (16, 1 << 22, block(2048, 128)),
        ] {
            assert_eq!(of_f32::<Sum>(rows, len), expected, "{rows} rows of {len}");
        }
        // Not in batches. A few tiles are parts of one tile each, folded by blocks. More tiles are parts of rows,
        // folded by warps. With accumulators of 16 bytes there are at most 16,384 such parts.
        for (rows, len, expected) in [
            (1, 1 << 20, block(256, 256)),
            (8, 1 << 20, block(2048, 256)),
            (9, 1 << 20, warp(288, 256)),
            (100, 1 << 20, warp(528, 128)),
            (8192, 1 << 20, warp(528, 2)),
            (8193, 1 << 20, warp(528, 1)),
        ] {
            assert_eq!(of_f32::<Variance>(rows, len), expected, "{rows} rows of {len}");
        }
        // Without batches, there are as many blocks as the parts need, even if few are resident.
        let plan = RowsPlan::for_residents::<f32, Variance>(8, 1 << 20, [true; 2], 132, |_| Ok(1));
        assert_eq!(plan.unwrap(), block(2048, 256));
        // Rows that cannot be loaded by vectors are folded tile by tile or in batches if they are longer than a row of lanes.
        for (len, of_sum, of_max) in [
            (1024, warp(528, 1), warp(528, 1)),
            (1025, warp(2112, 1), block(16_384, 1)),
            (4097, warp(4224, 1), block(16_384, 1)),
        ] {
            let of = |plan: Result<RowsPlan, Error>| plan.unwrap();
            let sum = RowsPlan::for_residents::<f32, Sum>(1 << 20, len, [false, true], 132, |_| Ok(4));
            let max = RowsPlan::for_residents::<f32, Max>(1 << 20, len, [false, true], 132, |_| Ok(4));
            assert_eq!((of(sum), of(max)), (of_sum, of_max), "rows of {len}");
        }
        // Where the input's last tile is not whole, it takes more rows.
        for (rows, len, expected) in [
            (1056, 1025, block(1056, 1)),
            (1057, 1025, warp(133, 1)),
            (1057, 4097, warp(133, 1)),
            (2112, 3071, block(2112, 1)),
            (2113, 3071, warp(265, 1)),
            (8448, 4095, block(2112, 1)),
            (8449, 4095, warp(1057, 1)),
        ] {
            let plan = RowsPlan::for_residents::<f32, Sum>(rows, len, [false; 2], 132, |_| Ok(4));
            assert_eq!(plan.ok(), Some(expected), "{rows} rows of {len}");
        }
    }

    #[test]
    fn impossible_plans_are_refused() {
        let lanes = |threads, blocks| RowsPlan::Lanes { threads, blocks };
        let warp = |threads, blocks, parts| RowsPlan::Warp { threads, blocks, parts };
        let block = |threads, blocks, parts| RowsPlan::Block { threads, blocks, parts };
        for (plan, rows, len) in [
            (lanes(256, 0), 1, 1),
            (lanes(0, 1), 1, 1),
            (lanes(48, 1), 1, 1),
            (lanes(2048, 1), 1, 1),
            (lanes(256, 1), 1, 513),
            (warp(48, 1, 1), 1, 1),
            (warp(256, 1, 2), 1, 4096),
            (warp(256, 1, 3), 1, 1 << 20),
            (warp(256, 1, 4), 4097, 1 << 20),
            (block(128, 1, 1), 1, 1),
            (block(256, u32::MAX, 1), 1, 1),
            (block(256, 1, 0), 1, 1),
            (block(256, 1, 3), 1, 1 << 20),
            (block(256, 1, 2), 1, 4096),
            (block(256, 1, 8), 4096, 1 << 20),
        ] {
            assert!(plan.check::<f32, Sum>(rows, len, true).is_err(), "{plan:?}");
        }
        // Operators whose rows are not folded in batches need a tile in each part for each 256 threads, and allow fewer
        // parts.
        for (plan, rows, len) in [(block(1024, 1, 2), 1, 16_384), (block(256, 1, 2), 4096, 1 << 20)] {
            assert!(plan.check::<f32, Variance>(rows, len, true).is_err(), "{plan:?}");
            assert!(plan.check::<f32, Sum>(rows, len, true).is_ok(), "{plan:?}");
        }
        assert!(block(256, 1, 2).check::<f32, Sum>(2048, 8192, true).is_ok());
        assert!(block(1024, 1, 2).check::<f32, Variance>(1, 32_768, true).is_ok());
        assert!(lanes(256, 1).check::<f32, Sum>(1, lanes_row_len::<f32, Sum>(true), true).is_ok());
    }
}
