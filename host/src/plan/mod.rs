//! Plans: by which kernels, and in which launch configuration, a GPU folds `n` elements. A plan never changes a bit of
//! the result.

pub(crate) mod columns;
#[cfg(fuzzing)]
pub(crate) mod fuzz;
pub(crate) mod rows;

use std::fmt;

use gpu_kernels::shapes::{BLOCK_THREADS, BLOCK_TILES, MAX_FAN_IN};
use gpu_kernels::{Element, tree};

use crate::error::Error;

/// A plan for folding `n` elements of one type on one device. It implements `Display`.
///
/// ```
/// use warpfold::plans::Plan;
///
/// let plan = Plan::new::<f32>(1 << 20, 132);
/// println!("{plan}");
/// assert_eq!(plan.tiles(), 256);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    n: u64,
    passes: Passes,
    threads: u32,
    blocks: u32,
    tile_len: u64,
    tiles: u64,
}

/// The kernels that a plan launches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Passes {
    /// One block folds everything: small inputs.
    Block,
    /// One launch; the last block to end folds the partial results.
    Grid,
    /// One launch for the tiles, then one for each pass over the partial results. A pass folds each `fan_in` of them to
    /// one.
    Recursive {
        /// A power of two from 2 to 4096.
        fan_in: u32,
    },
}

impl Plan {
    /// Returns the plan for `n` elements on a device with `multiprocessors`, for a kernel with 4 resident blocks of 256
    /// threads per multiprocessor.
    ///
    /// ```
    /// use warpfold::plans::Plan;
    ///
    /// let plan = Plan::new::<f32>(1 << 20, 132);
    /// assert_eq!((plan.threads(), plan.blocks()), (256, 256));
    /// ```
    #[must_use]
    pub fn new<T: Element>(n: u64, multiprocessors: u32) -> Self {
        Self::for_residents::<T>(n, multiprocessors, RESIDENT)
    }

    /// Does [`new`](Self::new) for a kernel with `resident` blocks of 256 threads per multiprocessor.
    pub(crate) fn for_residents<T: Element>(n: u64, multiprocessors: u32, resident: u32) -> Self {
        let tiles = tree::tiles::<T>(n);
        if tiles <= ONE_BLOCK_TILES {
            let threads = if tiles > 1 {
                1024
            } else if size_of::<T>() >= 8 {
                512
            } else {
                256
            };
            return Self::configured::<T>(n, Passes::Block, threads, 1);
        }
        let bytes = n.saturating_mul(size_of::<T>() as u64);
        let is_long = bytes > LONG_BYTES || bytes == LONG_BYTES && resident < RESIDENT;
        let (multiprocessors, resident) = (u64::from(multiprocessors.max(1)), resident.clamp(1, RESIDENT));
        let slots = multiprocessors * u64::from(if is_long { of_long(resident) } else { resident });
        if !is_long && resident >= 2 && is_by_pairs(tiles, slots, resident) {
            let blocks = tiles.div_ceil(2).min(multiprocessors * u64::from(resident / 2)) as u32;
            return Self::configured::<T>(n, Passes::Grid, 2 * tree::THREADS as u32, blocks);
        }
        let blocks = tiles.min(slots) as u32;
        let passes = if bytes > MAX_LAUNCH_BYTES {
            Passes::Recursive { fan_in: MAX_FAN_IN as u32 }
        } else {
            Passes::Grid
        };
        Self::configured::<T>(n, passes, tree::THREADS as u32, blocks)
    }

    /// Creates a plan of a given launch configuration: `threads` per block (256, 512 or 1024) and `blocks` in the first
    /// launch.
    ///
    /// # Errors
    /// [`Error::Plan`] for another number of threads, no blocks or more than 2^31 - 1, a fan-in that is not a
    /// power of two from 2 to 4096, or more than 16 of the smallest tiles for one block.
    ///
    /// ```
    /// use warpfold::plans::{Passes, Plan};
    ///
    /// let plan = Plan::with_config::<f32>(1 << 20, Passes::Grid, 512, 66)?;
    /// assert_eq!((plan.threads(), plan.blocks()), (512, 66));
    /// assert!(Plan::with_config::<f32>(1 << 20, Passes::Grid, 100, 66).is_err());
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn with_config<T: Element>(n: u64, passes: Passes, threads: u32, blocks: u32) -> Result<Self, Error> {
        let refuse = |why| Err(Error::Plan { why });
        if !BLOCK_THREADS.contains(&threads) {
            return refuse("a block has 256, 512 or 1024 threads");
        }
        if blocks == 0 || blocks > i32::MAX as u32 {
            return refuse("a launch has 1 to 2^31 - 1 blocks");
        }
        match passes {
            Passes::Block if blocks != 1 => refuse("one block is one block"),
            // Tiles grow only beyond 2048 of the smallest.
            Passes::Block if tree::tiles::<T>(n) > BLOCK_TILES => {
                refuse("one block folds at most 16 of the smallest tiles")
            }
            Passes::Recursive { fan_in }
                if !fan_in.is_power_of_two() || !(2..=MAX_FAN_IN).contains(&fan_in.into()) =>
            {
                refuse("the fan-in of a pass is a power of two from 2 to 4096")
            }
            _ => Ok(Self::configured::<T>(n, passes, threads, blocks)),
        }
    }

    /// Returns the same plan with at most `most` threads per block, but never less than 256.
    #[cfg_attr(not(feature = "cuda"), allow(dead_code, reason = "kernels have registers only on a GPU"))]
    pub(crate) fn limited_to(self, most: u32) -> Self {
        let fits = |&threads: &u32| threads <= most.min(self.threads);
        let threads = BLOCK_THREADS.into_iter().rev().find(fits).unwrap_or(tree::THREADS as u32);
        let resident = u64::from(self.blocks) * u64::from(self.threads / threads);
        let limited = Self { threads, ..self };
        match self.passes {
            Passes::Block => limited,
            _ => Self { blocks: limited.partials().min(resident).max(1) as u32, ..limited },
        }
    }

    fn configured<T: Element>(n: u64, passes: Passes, threads: u32, blocks: u32) -> Self {
        let (tile_len, tiles) = (tree::tile_len::<T>(n), tree::tiles::<T>(n));
        Self { n, passes, threads, blocks, tile_len, tiles }
    }

    /// Returns the number of elements that the plan is for.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.n
    }

    /// Returns whether the plan is for empty input.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.n == 0
    }

    /// Returns the kernels that the plan launches.
    #[must_use]
    pub fn passes(&self) -> Passes {
        self.passes
    }

    /// Returns the threads per block of the first launch.
    #[must_use]
    pub fn threads(&self) -> u32 {
        self.threads
    }

    /// Returns the blocks of the first launch.
    #[must_use]
    pub fn blocks(&self) -> u32 {
        self.blocks
    }

    /// Returns the elements per tile. The tree determines it, not the plan.
    #[must_use]
    pub fn tile_len(&self) -> u64 {
        self.tile_len
    }

    /// Returns the number of tiles. The tree determines it, not the plan.
    #[must_use]
    pub fn tiles(&self) -> u64 {
        self.tiles
    }

    /// Returns the partial results of the first launch: one for each span of tiles that a block folds at once, at most
    /// 4096.
    #[must_use]
    pub fn partials(&self) -> u64 {
        self.tiles.div_ceil(u64::from(self.threads) / tree::THREADS as u64)
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { n, threads, blocks, tile_len, tiles, .. } = self;
        write!(f, "{n} elements in {tiles} tiles of {tile_len}: ")?;
        match self.passes {
            Passes::Block => write!(f, "one block of {threads} threads"),
            Passes::Grid => {
                write!(f, "one launch of {blocks} blocks of {threads} threads, the last one finishes")
            }
            Passes::Recursive { fan_in } => {
                write!(f, "{blocks} blocks of {threads} threads, then passes of {fan_in} to one")
            }
        }
    }
}

/// Most tiles that one block folds, all at once. At 2^15 elements one block is as fast as several, below it is faster
/// (docs/tuning/gpu.md).
const ONE_BLOCK_TILES: u64 = 4;

/// Returns whether blocks of 512 threads are faster; they leave half as many partial results. They are faster if all
/// blocks of 256 are resident at once and there are not many fewer tiles. For kernels with fewer resident blocks, they are
/// faster up to some more tiles (docs/tuning/gpu.md).
fn is_by_pairs(tiles: u64, slots: u64, resident: u32) -> bool {
    let most = if resident < RESIDENT { 4 * slots } else { slots };
    slots / 2 < tiles && tiles <= most
}

/// Blocks of 256 threads on a multiprocessor at once, if the kernel's registers allow as many. This is the best of 3 to
/// 8 from 2^22 to 2^26 elements (docs/tuning/gpu.md).
const RESIDENT: u32 = 4;

/// Returns the blocks per multiprocessor for long inputs: later blocks even out differences between the first. The gain is
/// small. With 2 resident, 3 leave half of the places empty in the end (docs/tuning/gpu.md).
const fn of_long(resident: u32) -> u32 {
    if resident.is_multiple_of(2) { 2 * resident } else { 2 * resident - 1 }
}

/// Inputs of more bytes are long. Inputs of exactly so many bytes are long if fewer blocks are resident.
///
/// Two passes instead of one launch were tried from 12 MiB on, and in graphs from 4 to 16 MiB. They are faster for some pairs and slower
/// for others (docs/tuning/gpu.md). The example `tune` finds what is faster on a machine.
const LONG_BYTES: u64 = 256 << 20;

/// Most bytes that one launch reads, so that none runs long enough for a display's watchdog: 0.7 s at 100 GB/s.
pub(crate) const MAX_LAUNCH_BYTES: u64 = 64 << 30;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_hold_up_to_2_to_the_40() {
        for shift in 0..=40 {
            for n in [(1u64 << shift) - 1, 1 << shift, (1 << shift) + 1] {
                for multiprocessors in [0, 1, 30, 132, 1000] {
                    let plan = Plan::new::<f32>(n, multiprocessors);
                    assert!(plan.blocks() >= 1 && i32::try_from(plan.blocks()).is_ok(), "{plan}");
                    assert!(plan.partials() <= MAX_FAN_IN, "{plan}");
                    assert!(plan.tiles() * plan.tile_len() >= n, "{plan}");
                    let same = Plan::with_config::<f32>(n, plan.passes(), plan.threads(), plan.blocks());
                    assert_eq!(same.ok(), Some(plan));
                }
            }
        }
    }

    /// The least and the greatest length of each kind of plan.
    #[test]
    fn plans_change_where_the_comments_say() {
        let plan = |n, multiprocessors, resident| Plan::for_residents::<f32>(n, multiprocessors, resident);
        let is = |n, passes, threads, blocks| {
            let expected = Plan::with_config::<f32>(n, passes, threads, blocks);
            assert_eq!(expected.ok(), Some(plan(n, 132, 4)), "{n}");
        };
        for (n, threads) in
            [(0, 256), (1, 256), (4096, 256), (4097, 1024), (8192, 1024), (8193, 1024), (16_384, 1024)]
        {
            is(n, Passes::Block, threads, 1);
        }
        assert_eq!(Plan::new::<i64>(2048, 132).threads(), 512);
        let recursive = Passes::Recursive { fan_in: 4096 };
        for (n, passes, blocks) in [
            (16_385, Passes::Grid, 5),
            (1 << 20, Passes::Grid, 256),
            (1 << 26, Passes::Grid, 528),
            ((1 << 26) + 1, Passes::Grid, 1025),
            (1 << 27, Passes::Grid, 1056),
            (1 << 34, Passes::Grid, 1056),
            ((1 << 34) + 1, recursive, 1056),
            (u64::MAX, recursive, 1056),
        ] {
            is(n, passes, 256, blocks);
        }
        for (n, resident, threads, blocks) in [
            (264 * 4096, 4, 256, 264),
            (264 * 4096 + 1, 4, 512, 133),
            (528 * 4096, 4, 512, 264),
            (528 * 4096 + 1, 4, 256, 528),
            (198 * 4096, 3, 256, 198),
            (199 * 4096, 3, 512, 100),
            (4 * 396 * 4096, 3, 512, 132),
            (4 * 396 * 4096 + 1, 3, 256, 396),
            (132 * 4096, 1, 256, 132),
            ((1 << 26) - 1, 3, 256, 396),
            (1 << 26, 3, 256, 660),
            (1 << 27, 3, 256, 660),
            (1 << 27, 2, 256, 528),
            (1 << 27, 1, 256, 132),
        ] {
            let expected = Plan::with_config::<f32>(n, Passes::Grid, threads, blocks);
            assert_eq!(expected.ok(), Some(plan(n, 132, resident)), "{n}");
        }
        // At least one multiprocessor and one block there, at most 4.
        for (multiprocessors, resident, blocks) in
            [(0, 0, 1), (10, 3, 30), (10, 4, 40), (10, 5, 40), (10, 0, 10)]
        {
            assert_eq!(plan(1 << 24, multiprocessors, resident).blocks(), blocks);
        }
        let [short, long] =
            [0, 1].map(|more| Plan::with_config::<f32>(16 * 4096 + more, Passes::Block, 1024, 1));
        assert!(short.is_ok() && long.is_err());
        assert!(Plan::with_config::<f32>(1, Passes::Grid, 256, i32::MAX as u32).is_ok());
        assert!(Plan::with_config::<f32>(1, Passes::Grid, 256, 1 << 31).is_err());
    }

    #[test]
    fn plans_say_what_they_are() {
        let said = |n, passes, threads, blocks| {
            let plan = Plan::with_config::<f32>(n, passes, threads, blocks).unwrap();
            assert_eq!((plan.len(), plan.is_empty()), (n, n == 0));
            (plan.partials(), plan.to_string())
        };
        let (partials, text) = said(0, Passes::Block, 256, 1);
        assert_eq!((partials, &text[..]), (0, "0 elements in 0 tiles of 4096: one block of 256 threads"));
        let (partials, text) = said(20_481, Passes::Grid, 512, 7);
        let expected =
            "20481 elements in 6 tiles of 4096: one launch of 7 blocks of 512 threads, the last one finishes";
        assert_eq!((partials, &text[..]), (3, expected));
        let (partials, text) = said(4096 * 9, Passes::Recursive { fan_in: 2 }, 1024, 1);
        let expected = "36864 elements in 9 tiles of 4096: 1 blocks of 1024 threads, then passes of 2 to one";
        assert_eq!((partials, &text[..]), (3, expected));
    }

    /// If blocks have fewer threads, there are more of them in proportion, as long as each has
    /// tiles.
    #[test]
    fn limited_plans_have_as_many_threads() {
        let limited = |n, passes, blocks, most| {
            let plan = Plan::with_config::<f32>(n, passes, 1024, blocks).unwrap().limited_to(most);
            (plan.threads(), plan.blocks())
        };
        assert_eq!(limited(1 << 24, Passes::Grid, 100, 1024), (1024, 100));
        assert_eq!(limited(1 << 24, Passes::Grid, 100, 1023), (512, 200));
        assert_eq!(limited(1 << 24, Passes::Grid, 100, 511), (256, 400));
        assert_eq!(limited(1 << 24, Passes::Grid, 100, 0), (256, 400));
        assert_eq!(limited(4096 * 7, Passes::Grid, 2, 300), (256, 7));
        assert_eq!(limited(0, Passes::Grid, 2, 300), (256, 1));
        assert_eq!(limited(10_000, Passes::Block, 1, 300), (256, 1));
    }

    #[test]
    fn limited_plans_are_plans() {
        for n in [0, 1, 5000, 16_384, 1 << 20, 1 << 30] {
            for threads in BLOCK_THREADS {
                let Ok(plan) = Plan::with_config::<f32>(n, Passes::Grid, threads, 132) else { continue };
                for most in [0, 255, 256, 600, 768, 1024] {
                    let limited = plan.limited_to(most);
                    assert!(limited.threads() <= most.max(256) && limited.threads() <= threads);
                    let same =
                        Plan::with_config::<f32>(n, limited.passes(), limited.threads(), limited.blocks());
                    assert_eq!(same.ok(), Some(limited));
                }
            }
        }
    }

    #[test]
    fn impossible_configs_are_refused() {
        let grid = Passes::Grid;
        for (n, passes, threads, blocks) in [
            (1, grid, 128, 1),
            (1, grid, 2048, 1),
            (1, grid, 256, 0),
            (1, grid, 256, u32::MAX),
            (1, Passes::Block, 256, 2),
            (16 * 4096 + 1, Passes::Block, 1024, 1),
            (1, Passes::Recursive { fan_in: 3 }, 256, 1),
            (1, Passes::Recursive { fan_in: 1 }, 256, 1),
            (1, Passes::Recursive { fan_in: 8192 }, 256, 1),
        ] {
            assert!(
                Plan::with_config::<f32>(n, passes, threads, blocks).is_err(),
                "{passes:?} {threads} {blocks}"
            );
        }
    }
}
