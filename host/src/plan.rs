//! How a GPU folds `n` elements: which kernels, in which shape. A plan never changes a bit of the result.

use std::fmt;

use gpu_kernels::shape::{BLOCK_THREADS, BLOCK_TILES, MAX_FAN_IN};
use gpu_kernels::{Element, tree};

use crate::error::Error;

/// A plan for folding `n` elements of one type on one device: a value, which prints itself.
///
/// ```
/// use warpfold::Plan;
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
    span: u32,
    tile_len: u64,
    tiles: u64,
}

/// The kernels that a plan launches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Passes {
    /// One block folds everything: small inputs.
    Block,
    /// One launch; the block that ends last folds the partial results.
    Grid,
    /// One launch for the tiles, then one per pass over the partial results, each pass folding `fan_in` of
    /// them to one.
    Recursive {
        /// A power of two from 2 to 4096.
        fan_in: u32,
    },
}

impl Plan {
    /// The plan for `n` elements on a device with `multiprocessors`, for a kernel of which 4 blocks of 256 threads are
    /// resident on each at once.
    #[must_use]
    pub fn new<T: Element>(n: u64, multiprocessors: u32) -> Self {
        Self::for_residents::<T>(n, multiprocessors, RESIDENT)
    }

    /// As [`new`](Self::new), for a kernel of which `resident` blocks of 256 threads are.
    pub(crate) fn for_residents<T: Element>(n: u64, multiprocessors: u32, resident: u32) -> Self {
        let tiles = tree::tiles::<T>(n);
        if tiles <= ONE_BLOCK_TILES {
            let groups = tiles.next_power_of_two().clamp(1, 4) as u32;
            return Self::shaped::<T>(n, Passes::Block, groups * tree::THREADS as u32, 1, groups);
        }
        let bytes = n.saturating_mul(size_of::<T>() as u64);
        let waves = if bytes > LONG_BYTES { LONG_WAVES } else { 1 };
        let (slots, span) = spread(tiles, multiprocessors.max(1), resident.max(1), waves);
        let passes = if bytes > MAX_LAUNCH_BYTES {
            Passes::Recursive { fan_in: MAX_FAN_IN as u32 }
        } else {
            Passes::Grid
        };
        let blocks = tiles.div_ceil(span.into()).min(slots) as u32;
        Self::shaped::<T>(n, passes, tree::THREADS as u32, blocks, span)
    }

    /// A plan of a given shape: `threads` per block (256, 512 or 1024) and `blocks` in the first launch, each of which
    /// folds a tile per 256 threads at a time.
    ///
    /// # Errors
    /// [`Error::Plan`] for another number of threads, no blocks or more than 2^31 - 1, a fan-in that is not a
    /// power of two from 2 to 4096, or more than 16 of the smallest tiles for one block.
    pub fn with_shape<T: Element>(n: u64, passes: Passes, threads: u32, blocks: u32) -> Result<Self, Error> {
        let refuse = |why| Err(Error::Plan { why });
        if !BLOCK_THREADS.contains(&threads) {
            return refuse("a block has 256, 512 or 1024 threads");
        }
        if blocks == 0 || blocks > i32::MAX as u32 {
            return refuse("a launch has 1 to 2^31 - 1 blocks");
        }
        match passes {
            Passes::Block if blocks != 1 => refuse("one block is one block"),
            Passes::Block
                if tree::tiles::<T>(n) > BLOCK_TILES || tree::tile_len::<T>(n) > tree::tile_len::<T>(0) =>
            {
                refuse("one block folds at most 16 of the smallest tiles")
            }
            Passes::Recursive { fan_in }
                if !fan_in.is_power_of_two() || !(2..=MAX_FAN_IN).contains(&fan_in.into()) =>
            {
                refuse("the fan-in of a pass is a power of two from 2 to 4096")
            }
            _ => Ok(Self::shaped::<T>(n, passes, threads, blocks, threads / tree::THREADS as u32)),
        }
    }

    /// The same plan with `span` neighbouring tiles to each partial result.
    ///
    /// # Errors
    /// [`Error::Plan`] unless `span` is a power of two, at least one tile for each 256 threads of a block, and at most
    /// 16.
    pub fn with_span(self, span: u32) -> Result<Self, Error> {
        let fits = (self.groups()..=BLOCK_TILES as u32).contains(&span);
        if !span.is_power_of_two() || !fits {
            return Err(Error::Plan {
                why: "a span is 1, 2, 4, 8 or 16 tiles, at least one for each 256 threads of a block",
            });
        }
        Ok(Self { span, ..self })
    }

    /// The same plan with at most `most` threads per block, or 256 if that is more.
    #[cfg_attr(not(feature = "cuda"), allow(dead_code, reason = "kernels have registers only on a GPU"))]
    pub(crate) fn limited_to(self, most: u32) -> Self {
        let fits = |&threads: &u32| threads <= most.min(self.threads);
        let threads = BLOCK_THREADS.into_iter().rev().find(fits).unwrap_or(tree::THREADS as u32);
        let resident = u64::from(self.blocks) * u64::from(self.threads / threads);
        match self.passes {
            Passes::Block => Self { threads, ..self },
            _ => Self { threads, blocks: self.partials().min(resident).max(1) as u32, ..self },
        }
    }

    fn shaped<T: Element>(n: u64, passes: Passes, threads: u32, blocks: u32, span: u32) -> Self {
        let (tile_len, tiles) = (tree::tile_len::<T>(n), tree::tiles::<T>(n));
        Self { n, passes, threads, blocks, span, tile_len, tiles }
    }

    /// Groups of 256 threads in a block.
    fn groups(&self) -> u32 {
        self.threads / tree::THREADS as u32
    }

    /// Number of elements that the plan is for.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.n
    }

    /// Whether the plan is for no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.n == 0
    }

    /// The kernels that it launches.
    #[must_use]
    pub fn passes(&self) -> Passes {
        self.passes
    }

    /// Threads per block of the first launch.
    #[must_use]
    pub fn threads(&self) -> u32 {
        self.threads
    }

    /// Blocks of the first launch.
    #[must_use]
    pub fn blocks(&self) -> u32 {
        self.blocks
    }

    /// Elements per tile. The tree's, not the plan's, choice.
    #[must_use]
    pub fn tile_len(&self) -> u64 {
        self.tile_len
    }

    /// Number of tiles. The tree's, not the plan's, choice.
    #[must_use]
    pub fn tiles(&self) -> u64 {
        self.tiles
    }

    /// Neighbouring tiles that a block folds to one partial result: at least one for each 256 of its threads.
    #[must_use]
    pub fn span(&self) -> u32 {
        self.span
    }

    /// Partial results of the first launch: one per span of tiles, at most 4096.
    #[must_use]
    pub fn partials(&self) -> u64 {
        self.tiles.div_ceil(self.span.into())
    }

    /// Binary logarithm of the tiles that each 256 threads of a block fold to one partial result.
    #[cfg_attr(not(feature = "cuda"), allow(dead_code, reason = "kernels are told only on a GPU"))]
    pub(crate) fn log2_run(&self) -> u32 {
        (self.span / self.groups()).ilog2()
    }
}

/// How many blocks of 256 threads to launch at most, and how many tiles to give each at a time: so that the
/// multiprocessor with the most tiles has as few as can be; then with the most blocks; then with the longest spans,
/// which hand over least often.
fn spread(tiles: u64, multiprocessors: u32, resident: u32, waves: u32) -> (u64, u32) {
    let mut best = (u64::MAX, 0, 1);
    for resident in (1..=resident.min(RESIDENT)).rev() {
        for span in [16u32, 8, 4, 2, 1] {
            let slots = u64::from(multiprocessors) * u64::from(resident * waves);
            let spans = tiles.div_ceil(span.into());
            let most = spans.div_ceil(slots) * u64::from(span * resident * waves);
            if most < best.0 {
                best = (most, slots, span);
            }
        }
    }
    (best.1, best.2)
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { n, threads, blocks, span, tile_len, tiles, .. } = self;
        write!(f, "{n} elements in {tiles} tiles of {tile_len}: ")?;
        match self.passes {
            Passes::Block => write!(f, "one block of {threads} threads"),
            Passes::Grid => {
                write!(
                    f,
                    "one launch of {blocks} blocks of {threads} threads by spans of {span} tiles, the last one finishes"
                )
            }
            Passes::Recursive { fan_in } => {
                write!(
                    f,
                    "{blocks} blocks of {threads} threads by spans of {span} tiles, then passes of {fan_in} to one"
                )
            }
        }
    }
}

/// Up to this many tiles are folded by one block, at once.
///
/// [H200, f32 Sum, graph replay: 2^14 elements in one block of 1024 threads 1.85 us, in 4 blocks of 256 2.3 us; 2^15
/// 2.37 us either way.]
const ONE_BLOCK_TILES: u64 = 4;

/// Blocks of 256 threads that are resident on a multiprocessor at once, at most: more would not read faster.
const RESIDENT: u32 = 4;

/// Blocks per resident one for long inputs: those that come later even out what the first took.
///
/// [H200, f32 Sum, graph replay, 1 and 2 waves of 4 blocks per multiprocessor: 2^28 240.7, 238.7 us; 2^30 949.6, 944.6 us.]
const LONG_WAVES: u32 = 2;

/// Inputs of more bytes are long.
const LONG_BYTES: u64 = 256 << 20;

/// Bytes that one launch reads at most, so that none runs long enough for a display's watchdog: 0.7 s at
/// 100 GB/s.
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
                    let same = Plan::with_shape::<f32>(n, plan.passes(), plan.threads(), plan.blocks());
                    assert_eq!(same.and_then(|same| same.with_span(plan.span())).ok(), Some(plan));
                }
            }
        }
    }

    #[test]
    fn limited_plans_are_plans() {
        for n in [0, 1, 5000, 16_384, 1 << 20, 1 << 30] {
            for threads in BLOCK_THREADS {
                let Ok(plan) = Plan::with_shape::<f32>(n, Passes::Grid, threads, 132) else { continue };
                for most in [0, 255, 256, 600, 768, 1024] {
                    let limited = plan.limited_to(most);
                    assert!(limited.threads() <= most.max(256) && limited.threads() <= threads);
                    let same =
                        Plan::with_shape::<f32>(n, limited.passes(), limited.threads(), limited.blocks());
                    assert_eq!(same.and_then(|same| same.with_span(limited.span())).ok(), Some(limited));
                }
            }
        }
    }

    #[test]
    fn spans_spread_tiles_evenly() {
        for (tiles, resident, blocks_and_span) in [
            (5, 4, (528, 1)),
            (256, 4, (528, 1)),
            (1024, 4, (528, 2)),
            (2048, 4, (528, 4)),
            // 3 blocks would have up to 6 tiles each, 18 in all.
            (2048, 3, (264, 8)),
            (1100, 4, (528, 1)),
        ] {
            assert_eq!(spread(tiles, 132, resident, 1), blocks_and_span, "{tiles} {resident}");
        }
        assert_eq!(spread(4096, 132, 4, 2), (1056, 4));
        for tiles in 1..=4096u64 {
            let (slots, span) = spread(tiles, 132, 4, 1);
            let most = tiles.div_ceil(span.into()).div_ceil(slots) * u64::from(span);
            assert!(most <= tiles.div_ceil(528), "{tiles}: {most} tiles for one block");
        }
    }

    #[test]
    fn impossible_shapes_are_refused() {
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
                Plan::with_shape::<f32>(n, passes, threads, blocks).is_err(),
                "{passes:?} {threads} {blocks}"
            );
        }
        for (threads, span) in [(256, 0), (256, 3), (256, 32), (512, 1), (1024, 2)] {
            let plan = Plan::with_shape::<f32>(1 << 20, grid, threads, 7).expect("a plan");
            assert!(plan.with_span(span).is_err(), "{threads} {span}");
        }
    }
}
