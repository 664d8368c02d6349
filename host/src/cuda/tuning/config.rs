//! Launch configurations for inputs of any length: plans without a length and a device.

use std::fmt;

use gpu_kernels::shapes::{BLOCK_THREADS, MAX_FAN_IN};
use gpu_kernels::{Element, tree};

use crate::error::Error;
use crate::plan::{Passes, Plan};

/// How blocks are launched, for any number of elements: what a [`Tuning`](super::Tuning) keeps. Like a [`Plan`], a
/// configuration changes the time of a reduction, but never its result.
///
/// ```
/// use warpfold::plans::{LaunchConfig, Passes};
///
/// let config = LaunchConfig::new(Passes::Grid, 512, 2)?;
/// let plan = config.plan::<f32>(1 << 24, 132)?;
/// assert_eq!((plan.threads(), plan.blocks()), (512, 264));
/// # Ok::<(), warpfold::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchConfig {
    passes: Passes,
    threads: u32,
    blocks_per_multiprocessor: u32,
}

/// Most blocks per multiprocessor: twice what any device holds at once.
const MOST_BLOCKS: u32 = 64;

impl LaunchConfig {
    /// Creates a configuration from its kernels, `threads` per block (256, 512 or 1024) and 1 to 64 blocks for each
    /// multiprocessor (1 for [`Passes::Block`], which has one block in all).
    ///
    /// # Errors
    /// [`Error::Plan`] for other numbers, and for a fan-in that is not a power of two from 2 to 4096.
    ///
    /// ```
    /// use warpfold::plans::{LaunchConfig, Passes};
    ///
    /// assert!(LaunchConfig::new(Passes::Grid, 512, 2).is_ok());
    /// assert!(LaunchConfig::new(Passes::Grid, 100, 2).is_err());
    /// ```
    pub fn new(passes: Passes, threads: u32, blocks_per_multiprocessor: u32) -> Result<Self, Error> {
        let refuse = |why| Err(Error::Plan { why });
        if !BLOCK_THREADS.contains(&threads) {
            return refuse("a block has 256, 512 or 1024 threads");
        }
        if !(1..=MOST_BLOCKS).contains(&blocks_per_multiprocessor) {
            return refuse("a launch configuration has 1 to 64 blocks per multiprocessor");
        }
        match passes {
            Passes::Block if blocks_per_multiprocessor != 1 => refuse("one block is one block"),
            Passes::Recursive { fan_in }
                if !fan_in.is_power_of_two() || !(2..=MAX_FAN_IN).contains(&fan_in.into()) =>
            {
                refuse("the fan-in of a pass is a power of two from 2 to 4096")
            }
            _ => Ok(Self { passes, threads, blocks_per_multiprocessor }),
        }
    }

    /// Returns the plan of this configuration for `n` elements on a device with `multiprocessors`. It has no more blocks than
    /// there is work for.
    ///
    /// # Errors
    /// [`Error::Plan`] for more than 16 of the smallest tiles in one block.
    ///
    /// ```
    /// use warpfold::plans::{LaunchConfig, Passes};
    ///
    /// let plan = LaunchConfig::new(Passes::Grid, 512, 2)?.plan::<f32>(1 << 24, 132)?;
    /// assert_eq!((plan.threads(), plan.blocks()), (512, 264));
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn plan<T: Element>(self, n: u64, multiprocessors: u32) -> Result<Plan, Error> {
        let Self { passes, threads, blocks_per_multiprocessor } = self;
        let spans = tree::tiles::<T>(n).div_ceil(u64::from(threads) / tree::THREADS as u64).max(1);
        let blocks = match passes {
            Passes::Block => 1,
            _ => spans.min(u64::from(multiprocessors.max(1)) * u64::from(blocks_per_multiprocessor)),
        };
        // There are at most 4096 spans.
        Plan::with_config::<T>(n, passes, threads, blocks as u32)
    }

    /// Returns the kernels that the configuration launches.
    #[must_use]
    pub fn passes(self) -> Passes {
        self.passes
    }

    /// Returns the threads per block of the first launch.
    #[must_use]
    pub fn threads(self) -> u32 {
        self.threads
    }

    /// Returns the blocks of the first launch for each multiprocessor.
    #[must_use]
    pub fn blocks_per_multiprocessor(self) -> u32 {
        self.blocks_per_multiprocessor
    }
}

impl fmt::Display for LaunchConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { passes, threads, blocks_per_multiprocessor } = self;
        match passes {
            Passes::Block => write!(f, "block of {threads}"),
            Passes::Grid => write!(f, "grid of {blocks_per_multiprocessor} x {threads}"),
            Passes::Recursive { fan_in } => {
                write!(f, "{blocks_per_multiprocessor} x {threads}, then {fan_in} to one")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_configs_are_refused() {
        for (passes, threads, blocks) in [
            (Passes::Grid, 128, 1),
            (Passes::Grid, 2048, 1),
            (Passes::Grid, 256, 0),
            (Passes::Grid, 256, 65),
            (Passes::Block, 256, 2),
            (Passes::Recursive { fan_in: 3 }, 256, 1),
            (Passes::Recursive { fan_in: 1 }, 256, 1),
            (Passes::Recursive { fan_in: 8192 }, 256, 1),
        ] {
            assert!(LaunchConfig::new(passes, threads, blocks).is_err(), "{passes:?} {threads} {blocks}");
        }
    }

    #[test]
    fn plans_have_the_configuration_and_no_idle_blocks() {
        for shift in 0..=40 {
            for n in [0, (1u64 << shift) - 1, 1 << shift, (1 << shift) + 1] {
                for threads in BLOCK_THREADS {
                    for multiprocessors in [0, 1, 132, u32::MAX] {
                        let config =
                            LaunchConfig::new(Passes::Grid, threads, 3).expect("a launch configuration");
                        let plan = config.plan::<f32>(n, multiprocessors).expect("a plan");
                        assert_eq!((plan.passes(), plan.threads(), plan.len()), (Passes::Grid, threads, n));
                        assert!(u64::from(plan.blocks()) <= plan.partials().max(1), "{plan}");
                    }
                }
            }
        }
        let block = LaunchConfig::new(Passes::Block, 1024, 1).expect("a launch configuration");
        assert!(block.plan::<f32>(16 * 4096, 132).is_ok());
        assert!(block.plan::<f32>(16 * 4096 + 1, 132).is_err());
    }
}
