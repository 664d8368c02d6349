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
            use crate::moves::groups::launch::{SCATTER_THREADS, run_items, scatter_items};

            type W = $word;
            const I: usize = scatter_items(size_of::<W>());
            const N: usize = run_items(size_of::<W>());
            const PLACES: usize = I * SCATTER_THREADS as usize;

            cuda_std::kernel! {
                /// Moves elements in the order of a digit of their groups' ids.
                ///
                /// # Safety
                /// The contract of [`raw::scatter`].
                #[allow(clippy::too_many_arguments, reason = "a kernel's parameters are all of its arguments")]
                pub unsafe fn scatter as concat!(stringify!($entry), "_scatter") =>
                    (ids: *const u8, id_bytes: u32, elements: *const W, len: u64, shift: u32, bits: u32,
                     starts: *const u64, excess: u64, next_starts: *mut u64, states: *mut u32, ids_out: *mut u8, id_out_bytes: u32, out: *mut W, out_len: u64, sizes: *mut u64, groups: u64):
                    crate::arguments::Scatter<W> = raw::scatter::<W, I, PLACES>;

                /// Copies the elements at some places.
                ///
                /// # Safety
                /// The contract of [`raw::gather`].
                pub unsafe fn gather as concat!(stringify!($entry), "_gather") =>
                    (input: *const W, len: u64, places: *const u8, place_bytes: u32, count: u64, words: u32,
                     out: *mut W):
                    crate::arguments::Gather<W> = raw::gather::<W>;

                /// Counts the runs of equal keys.
                ///
                /// # Safety
                /// The contract of [`raw::count_runs`].
                pub unsafe fn count_runs as concat!(stringify!($entry), "_count_runs") =>
                    (keys: *const W, len: u64, portion: u64, counts: *mut u64):
                    crate::arguments::CountRuns<W> = raw::count_runs::<W, N>;

                /// Writes where the runs begin, and their keys.
                ///
                /// # Safety
                /// The contract of [`raw::write_runs`].
                pub unsafe fn write_runs as concat!(stringify!($entry), "_write_runs") =>
                    (keys: *const W, len: u64, portion: u64, before: *const u64, offsets: *mut u64, of_runs: *mut W,
                     count: u64):
                    crate::arguments::WriteRuns<W> = raw::write_runs::<W, N>;
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
    #[allow(clippy::too_many_arguments, reason = "a kernel's parameters are all of its arguments")]
    pub unsafe fn group_histogram(
        ids: *const u8,
        id_bytes: u32,
        len: u64,
        portion: u64,
        passes: u32,
        bits: u32,
        groups: u64,
        first_bad: *mut u64,
        copy: *mut u8,
        copy_bytes: u32,
        out: *mut u64,
    ):
        crate::arguments::Histogram = raw::histogram;

    /// Numbers places.
    ///
    /// # Safety
    /// The contract of [`raw::places`].
    pub unsafe fn group_places(out: *mut u8, bytes: u32, len: u64):
        crate::arguments::Places = raw::places;

    /// Sums the integers of each block.
    ///
    /// # Safety
    /// The contract of [`raw::scan_totals`].
    pub unsafe fn scan_totals(input: *const u64, len: u64, portion: u64, totals: *mut u64):
        crate::arguments::Totals = raw::scan_totals;

    /// Sums all integers before each.
    ///
    /// # Safety
    /// The contract of [`raw::scan`].
    pub unsafe fn scan(cells: *mut u64, len: u64, portion: u64, before: *const u64):
        crate::arguments::Sums = raw::scan;
}
