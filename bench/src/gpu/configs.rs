//! `--plans`: a set of launch configurations to try, as `threads=256|512,blocks_per_sm=2|4|8,kind=block|grid`.

use std::str::FromStr;

use clap::ValueEnum;
use warpfold::plans::{Passes, Plan};
use warpfold::{Element, tree};

/// Every combination of these is a configuration. The default of each list is the widest choice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Configs {
    threads: Vec<u32>,
    blocks_per_sm: Vec<u32>,
    kinds: Vec<Kind>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Kind {
    Block,
    Grid,
    Recursive,
}

impl Configs {
    /// The distinct plans of these configurations for `n` elements on a device with `multiprocessors`, with short
    /// names. Configurations that cannot fold `n` elements are left out.
    pub(super) fn plans<T: Element>(&self, n: u64, multiprocessors: u32) -> Vec<(String, Plan)> {
        let mut plans: Vec<(String, Plan)> = Vec::new();
        for &kind in &self.kinds {
            for &threads in &self.threads {
                // Each 256 threads of a block fold a tile: more blocks than that would be idle.
                let spans =
                    tree::tiles::<T>(n).div_ceil(u64::from(threads).div_ceil(tree::THREADS as u64)).max(1);
                for &blocks_per_sm in &self.blocks_per_sm {
                    let blocks = (u64::from(multiprocessors) * u64::from(blocks_per_sm)).min(spans);
                    let (passes, blocks, name) = match kind {
                        Kind::Block => (Passes::Block, 1, "block"),
                        Kind::Grid => (Passes::Grid, blocks, "grid"),
                        Kind::Recursive => (Passes::Recursive { fan_in: 2048 }, blocks, "recursive"),
                    };
                    let blocks = u32::try_from(blocks).unwrap_or(u32::MAX);
                    let Ok(plan) = Plan::with_config::<T>(n, passes, threads, blocks) else { continue };
                    if plans.iter().all(|(_, other)| *other != plan) {
                        plans.push((format!("{name} {blocks} x {threads}"), plan));
                    }
                }
            }
        }
        plans
    }
}

impl FromStr for Configs {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut configs = Self {
            threads: vec![256, 512, 1024],
            blocks_per_sm: vec![1, 2, 4, 6, 8],
            kinds: vec![Kind::Block, Kind::Grid],
        };
        for part in text.split(',').filter(|part| !part.is_empty() && *part != "all") {
            let (name, values) =
                part.split_once('=').ok_or_else(|| format!("{part:?} is not NAME=VALUE|VALUE"))?;
            let numbers = || -> Result<Vec<u32>, String> {
                let number = |value: &str| value.parse().ok().filter(|&number| number > 0);
                values.split('|').map(|v| number(v).ok_or_else(|| format!("{v:?} is no number"))).collect()
            };
            match name {
                "threads" => configs.threads = numbers()?,
                "blocks_per_sm" => configs.blocks_per_sm = numbers()?,
                "kind" => {
                    configs.kinds =
                        values.split('|').map(|kind| Kind::from_str(kind, false)).collect::<Result<_, _>>()?
                }
                _ => return Err(format!("{name:?} is none of threads, blocks_per_sm, kind")),
            }
        }
        Ok(configs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(configs: &str, n: u64) -> Vec<String> {
        configs.parse::<Configs>().unwrap().plans::<f32>(n, 132).into_iter().map(|(name, _)| name).collect()
    }

    #[test]
    fn lists_are_combined() {
        let configs = "threads=256|1024,blocks_per_sm=2|4,kind=grid";
        assert_eq!(
            names(configs, 1 << 28),
            ["grid 264 x 256", "grid 528 x 256", "grid 264 x 1024", "grid 512 x 1024"]
        );
        assert_eq!(names("all", 1 << 28), names("", 1 << 28));
    }

    #[test]
    fn equal_and_impossible_configurations_are_left_out() {
        // 4 tiles: for any number of blocks per multiprocessor there are 4 blocks of 256 threads or 1 of 1024.
        assert_eq!(
            names("threads=256|1024,blocks_per_sm=1|8,kind=grid", 1 << 14),
            ["grid 4 x 256", "grid 1 x 1024"]
        );
        assert_eq!(names("threads=256,kind=block|recursive", 1 << 24).len(), 5);
        assert_eq!(names("kind=block", 1 << 24), Vec::<String>::new());
        assert_eq!(names("kind=block", 1 << 12), ["block 1 x 256", "block 1 x 512", "block 1 x 1024"]);
    }

    #[test]
    fn mistakes_are_named() {
        for (text, mistake) in [
            ("threads", "NAME=VALUE"),
            ("threads=x", "no number"),
            ("threads=0", "no number"),
            ("warps=4", "none of threads"),
            ("kind=warp", "invalid variant: warp"),
        ] {
            let error = text.parse::<Configs>().unwrap_err();
            assert!(error.contains(mistake), "{text}: {error}");
        }
    }
}
