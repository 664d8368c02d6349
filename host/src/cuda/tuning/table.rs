//! A tuning as a lookup table, used without locks, allocations or comparisons of texts.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use super::{LaunchConfig, Tuning, class, stamp};
use gpu_kernels::Element;

use crate::error::Error;
use crate::kernel::entry::Entry;
use crate::plan::{Passes, Plan};

/// A configuration for each class.
type Configs = [Option<LaunchConfig>; class::GREATEST as usize + 1];

/// The configurations of a tuning, by the hash of their entry.
#[derive(Debug, Default)]
pub(crate) struct Table {
    /// In ascending order of keys.
    slots: Box<[Slot]>,
}

/// The rows of one entry.
#[derive(Debug)]
struct Slot {
    key: u64,
    /// Class, configuration and stamp.
    rows: Vec<(u32, LaunchConfig, u64)>,
    /// The usable configurations of `rows`, found by the first lookup.
    usable: OnceLock<Configs>,
}

impl Table {
    /// Returns the table of a tuning. Checks nothing yet, because a kernel's PTX is known only where it is used.
    pub(crate) fn new(tuning: &Tuning) -> Self {
        let mut slots = BTreeMap::<u64, Vec<(u32, LaunchConfig, u64)>>::new();
        for ((name, class), row) in &tuning.rows {
            slots.entry(stamp::key(name)).or_default().push((*class, row.config, row.stamp));
        }
        let slot = |(key, rows)| Slot { key, rows, usable: OnceLock::new() };
        Self { slots: slots.into_iter().map(slot).collect() }
    }

    /// Returns the plan for `n` elements by a row for these kernels, if there is one that can fold that many. The first
    /// call for an operator checks whether its rows are stale, and calls `most_threads` if a row has more threads than
    /// the least.
    pub(crate) fn plan<T: Element>(
        &self,
        entries: &[Entry; 3],
        n: u64,
        multiprocessors: u32,
        most_threads: impl Fn(Entry) -> Result<u32, Error>,
    ) -> Result<Option<Plan>, Error> {
        if self.slots.is_empty() {
            return Ok(None);
        }
        let [_, grid, _] = entries;
        let key = stamp::key(grid.name);
        let Ok(at) = self.slots.binary_search_by_key(&key, |slot| slot.key) else { return Ok(None) };
        let (Some(slot), Some(class)) = (self.slots.get(at), class::of::<T>(n)) else { return Ok(None) };
        let configs = match slot.usable.get() {
            Some(configs) => configs,
            None => {
                let found = slot.usable_of::<T>(entries, most_threads)?;
                slot.usable.get_or_init(|| found)
            }
        };
        let config = configs.get(class as usize).copied().flatten();
        // A block takes 16 tiles at most, which inputs in the upper part of its class may exceed.
        Ok(config.and_then(|config| config.plan::<T>(n, multiprocessors).ok()))
    }
}

impl Slot {
    /// Returns the configurations whose rows are for exactly these kernels, and which the kernels can be launched with.
    fn usable_of<T: Element>(
        &self,
        entries: &[Entry; 3],
        most_threads: impl Fn(Entry) -> Result<u32, Error>,
    ) -> Result<Configs, Error> {
        let kernels = stamp::of_kernels(entries);
        let mut configs = [None; class::GREATEST as usize + 1];
        for &(class, config, stamp) in &self.rows {
            if stamp != stamp::of_row::<T>(kernels, class) {
                continue;
            }
            let is_block = config.passes() == Passes::Block;
            let &[block, grid, _] = entries;
            let entry = if is_block { block } else { grid };
            // Every kernel can be launched with the least number.
            if config.threads() > gpu_kernels::tree::THREADS as u32 && config.threads() > most_threads(entry)?
            {
                continue;
            }
            if let Some(slot) = configs.get_mut(class as usize) {
                *slot = Some(config);
            }
        }
        Ok(configs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gpu_kernels::{Max, Sum};

    use crate::kernel::Kernel;

    const MULTIPROCESSORS: u32 = 132;

    /// Returns the plan for `n` elements on a device whose kernels can have `most` threads.
    fn plan<T: Element, O: Kernel<T>>(table: &Table, n: u64, most: u32) -> Option<Plan> {
        table
            .plan::<T>(&<O as Kernel<T>>::FOLD.untyped(), n, MULTIPROCESSORS, |_| Ok(most))
            .expect("no kernel is loaded")
    }

    fn config(passes: Passes, threads: u32, blocks: u32) -> LaunchConfig {
        LaunchConfig::new(passes, threads, blocks).expect("a launch configuration")
    }

    #[test]
    fn a_row_serves_its_operator_type_and_class_alone() {
        let mut tuning = Tuning::empty();
        tuning.set::<f32, Sum>(1 << 20, config(Passes::Grid, 512, 3), (4000, 3000));
        let table = Table::new(&tuning);
        let found = plan::<f32, Sum>(&table, 1 << 20, 1024).expect("a plan");
        assert_eq!((found.passes(), found.threads(), found.blocks()), (Passes::Grid, 512, 128));
        for n in [750_000, 1_000_001, 1_480_000] {
            assert_eq!(plan::<f32, Sum>(&table, n, 1024).map(|plan| plan.threads()), Some(512), "{n}");
        }
        for n in [0, 1, 740_000, 1_490_000, 1 << 30, u64::MAX] {
            assert_eq!(plan::<f32, Sum>(&table, n, 1024), None, "{n}");
        }
        assert_eq!(plan::<f32, Max>(&table, 1 << 20, 1024), None);
        assert_eq!(plan::<u32, Sum>(&table, 1 << 20, 1024), None);
        assert_eq!(plan::<f32, Sum>(&Table::default(), 1 << 20, 1024), None);
    }

    /// Plans fit at every length. The upper part of a class has none where its tiles are too many for one block.
    #[test]
    fn plans_are_for_every_length_of_a_class() {
        let mut tuning = Tuning::empty();
        for class in 0..=class::GREATEST {
            let (wide, narrow) = (class::middle::<f64>(class), class::middle::<f32>(class));
            tuning.set::<f64, Sum>(wide, config(Passes::Block, 1024, 1), (2, 1));
            tuning.set::<f32, Max>(narrow, config(Passes::Recursive { fan_in: 2 }, 1024, 16), (2, 1));
        }
        let table = Table::new(&tuning);
        let most = 16 * gpu_kernels::tree::tile_len::<f64>(0);
        for shift in 0..40 {
            for n in [(1 << shift) - 1, 1 << shift, (1 << shift) + 1, 3 << shift, most, most + 1] {
                let block = plan::<f64, Sum>(&table, n, 1024);
                assert_eq!(block.is_some(), (1..=most).contains(&n), "{n}");
                assert!(block.is_none_or(|plan| plan.len() == n));
                let recursive = plan::<f32, Max>(&table, n, 1024);
                assert_eq!(recursive.is_some(), n > 0 && n * 4 <= crate::plan::MAX_LAUNCH_BYTES, "{n}");
            }
        }
    }

    #[test]
    fn what_the_registers_leave_no_room_for_is_not_used() {
        let mut tuning = Tuning::empty();
        tuning.set::<f32, Sum>(1 << 20, config(Passes::Grid, 1024, 1), (2, 1));
        tuning.set::<f32, Sum>(1 << 22, config(Passes::Grid, 512, 1), (2, 1));
        let table = Table::new(&tuning);
        assert_eq!(plan::<f32, Sum>(&table, 1 << 20, 768), None);
        assert_eq!(plan::<f32, Sum>(&table, 1 << 22, 768).map(|plan| plan.threads()), Some(512));
    }

    #[test]
    fn rows_for_other_kernels_are_stale() {
        let mut tuning = Tuning::empty();
        tuning.set::<f32, Sum>(1 << 20, config(Passes::Grid, 256, 1), (2, 1));
        tuning.set::<f32, Sum>(1 << 22, config(Passes::Grid, 256, 1), (2, 1));
        let stale = |tuning: &Tuning, n| tuning.get::<f32, Sum>(n).map(|tuned| tuned.stale);
        assert_eq!(stale(&tuning, 1 << 20), Some(false));
        for ((_, class), row) in &mut tuning.rows {
            row.stamp ^= u64::from(*class == 22);
        }
        assert_eq!((stale(&tuning, 1 << 20), stale(&tuning, 1 << 22)), (Some(true), Some(false)));
        let table = Table::new(&tuning);
        assert_eq!(plan::<f32, Sum>(&table, 1 << 20, 1024), None);
        assert!(plan::<f32, Sum>(&table, 1 << 22, 1024).is_some());
    }
}
