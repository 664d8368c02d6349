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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_plan_is_tried_once_and_the_usual_one_not_again() {
        for shift in [10, 12, 14, 16, 18, 20, 24, 28] {
            for n in [1 << shift, (1 << shift) + 1] {
                let usual = Plan::new::<f32>(n, 132);
                let found = plans::<f32>(n, 132, &usual);
                assert!(!found.is_empty(), "{n}");
                for (at, (config, plan)) in found.iter().enumerate() {
                    assert_eq!(config.plan::<f32>(n, 132).as_ref().ok(), Some(plan));
                    assert!(
                        *plan != usual && found.iter().take(at).all(|(_, other)| other != plan),
                        "{plan}"
                    );
                }
            }
        }
    }

    #[test]
    fn large_inputs_have_every_kind() {
        let found = plans::<f32>(1 << 28, 132, &Plan::new::<f32>(1 << 28, 132));
        let kinds = |wanted: Passes| found.iter().filter(|(config, _)| config.passes() == wanted).count();
        assert_eq!(kinds(Passes::Block), 0);
        assert!(kinds(Passes::Grid) >= 15, "{}", kinds(Passes::Grid));
        assert!(kinds(Passes::Recursive { fan_in: 64 }) >= 6);
    }
}
