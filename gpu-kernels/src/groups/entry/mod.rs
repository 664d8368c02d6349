//! The entry points of the partition, the scan and the runs: raw arguments become handles, then one call.
//!
//! `<entry>_groups` are among [`atomic_kernels!`](crate::atomic_kernels).
//! `<row>_scatter`, `<row>_gather`, `<row>_count_runs` and `<row>_write_runs` are among [`move_kernels!`](crate::move_kernels);
//! `group_histogram`, `group_accumulators`, `group_places`, `scan_totals` and `scan` are among [`sizeless_kernels!`](crate::sizeless_kernels).

mod atomics;
mod gather;
mod partition;
mod runs;
mod scan;

/// The generic bodies that the stamps call.
pub mod raw {
    pub use super::atomics::{group_accumulators, groups_by_atomics};
    pub use super::gather::{gather, places};
    pub use super::partition::{histogram, scatter};
    pub use super::runs::{count_runs, write_runs};
    pub use super::scan::{scan, scan_totals};
}
