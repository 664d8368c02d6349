//! The configurations to try, likely ones first: there may not be time for all.

use warpfold::Element;
use warpfold::plans::{LaunchConfig, Passes, Plan};

const THREADS: [u32; 3] = [256, 512, 1024];
const BLOCKS: [u32; 9] = [1, 2, 3, 4, 5, 6, 8, 12, 16];
/// Each pass costs a launch, so only few passes can be worthwhile.
const BLOCKS_OF_PASSES: [u32; 3] = [2, 4, 8];
const FAN_INS: [u32; 2] = [4096, 64];

/// Blocks of 256 threads per multiprocessor that are resident at once with the kernels' registers,
/// approximately: configurations far from it are less likely to be fast.
const LIKELY: f64 = 4.0;

/// The distinct plans for `n` elements, except `usual`, with their configurations.
pub(crate) fn plans<T: Element>(n: u64, multiprocessors: u32, usual: &Plan) -> Vec<(LaunchConfig, Plan)> {
    let mut configs = Vec::new();
    for threads in THREADS {
        configs.push((0.0, Passes::Block, threads, 1));
        let far = |blocks: u32| (f64::from(blocks * threads) / 256.0 / LIKELY).log2().abs();
        configs.extend(BLOCKS.map(|blocks| (far(blocks), Passes::Grid, threads, blocks)));
        for fan_in in FAN_INS {
            let passes = Passes::Recursive { fan_in };
            configs.extend(BLOCKS_OF_PASSES.map(|blocks| (1.0 + far(blocks), passes, threads, blocks)));
        }
    }
    configs.sort_by(|(one, ..), (other, ..)| one.total_cmp(other));
    let mut plans: Vec<(LaunchConfig, Plan)> = Vec::new();
    for (_, passes, threads, blocks) in configs {
        let Ok(config) = LaunchConfig::new(passes, threads, blocks) else { continue };
        // A single block takes only small inputs.
        let Ok(plan) = config.plan::<T>(n, multiprocessors) else { continue };
        if plan != *usual && plans.iter().all(|(_, other)| *other != plan) {
            plans.push((config, plan));
        }
    }
    plans
}
