//! The entry points of the partition, the scan and the runs: raw arguments become handles, then one call.
//!
//! One of each kind per row of [`for_each_move_kernel!`](crate::for_each_move_kernel): `<row>_scatter`, `<row>_gather`,
//! `<row>_count_runs` and `<row>_write_runs`; and for integers `group_histogram`, `group_places`, `scan_totals` and `scan`.

mod gather;
mod partition;
mod runs;
mod scan;

/// The generic bodies that the stamps call.
pub mod raw {
    pub use super::gather::{gather, places};
    pub use super::partition::{histogram, scatter};
    pub use super::runs::{count_runs, write_runs};
    pub use super::scan::{scan, scan_totals};
}

/// Stamps the entry points of rows `entry: word;`, each row a module of the entry's name.
#[cfg(feature = "moves")]
macro_rules! stamp_group_kernels {
    ($($entry:ident: $word:ty;)*) => { $(
        #[doc = concat!("The kernels over groups and runs of words of `", stringify!($word), "`.")]
        #[doc(hidden)]
        pub mod $entry {
            use super::raw;
            use crate::groups::shapes::{SCATTER_THREADS, run_items, scatter_items};

            type W = $word;
            const I: usize = scatter_items(size_of::<W>());
            const N: usize = run_items(size_of::<W>());
            const PLACES: usize = I * SCATTER_THREADS as usize;

            cuda_std::kernel! {
                /// Moves elements in the order of a digit of their groups' ids.
                ///
                /// # Safety
                /// The contract of [`raw::scatter`].
                pub unsafe fn scatter as concat!(stringify!($entry), "_scatter") =>
                    raw::scatter::<W, I, PLACES>: crate::arguments::Scatter<W>;

                /// Copies the elements at some places.
                ///
                /// # Safety
                /// The contract of [`raw::gather`].
                pub unsafe fn gather as concat!(stringify!($entry), "_gather") =>
                    raw::gather::<W>: crate::arguments::Gather<W>;

                /// Counts the runs of equal keys.
                ///
                /// # Safety
                /// The contract of [`raw::count_runs`].
                pub unsafe fn count_runs as concat!(stringify!($entry), "_count_runs") =>
                    raw::count_runs::<W, N>: crate::arguments::CountRuns<W>;

                /// Writes where the runs begin, and their keys.
                ///
                /// # Safety
                /// The contract of [`raw::write_runs`].
                pub unsafe fn write_runs as concat!(stringify!($entry), "_write_runs") =>
                    raw::write_runs::<W, N>: crate::arguments::WriteRuns<W>;
            }
        }
    )* };
}
#[cfg(feature = "moves")]
crate::for_each_move_kernel!(stamp_group_kernels);

#[cfg(feature = "moves")]
cuda_std::kernel! {
    /// Counts elements by each digit of their groups' ids.
    ///
    /// # Safety
    /// The contract of [`raw::histogram`].
    pub unsafe fn group_histogram => raw::histogram: crate::arguments::Histogram;

    /// Numbers places.
    ///
    /// # Safety
    /// The contract of [`raw::places`].
    pub unsafe fn group_places => raw::places: crate::arguments::Places;

    /// Sums the integers of each block.
    ///
    /// # Safety
    /// The contract of [`raw::scan_totals`].
    pub unsafe fn scan_totals => raw::scan_totals: crate::arguments::Totals;

    /// Sums all integers before each.
    ///
    /// # Safety
    /// The contract of [`raw::scan`].
    pub unsafe fn scan => raw::scan: crate::arguments::Sums;
}
