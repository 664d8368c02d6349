//! The families of a word. `W` is the word. `P` is a word that is passed by value.

/// The kernels that move words unchanged.
#[doc(hidden)]
#[macro_export]
macro_rules! move_kernels {
    ([$($then:tt)*] $with:tt) => {
        $($then)* { $with
            {
                type Flags = <W as $crate::word::Word>::Flags;
                const K: usize = $crate::pack::boxes::words_per_thread(size_of::<W>());
                const BOX: usize = $crate::pack::boxes::BOX_BYTES / size_of::<<W as $crate::word::Word>::Shared>();
                use $crate::groups::shapes::{scatter_items, scatter_tile, scatter_warps};
                const B: usize = size_of::<W>();
                const N: usize = $crate::groups::shapes::run_items(size_of::<W>());
                const V: usize = $crate::compact::shapes::compact_vector(size_of::<W>());
                const R: usize = $crate::compact::shapes::compact_rows(size_of::<W>());
                const TILE: usize = $crate::compact::shapes::compact_tile(size_of::<W>());
            }
            /// Copies a strided view to row-major memory.
            pack: $crate::arguments::Pack<W> = "_pack", $crate::pack::entry::raw::pack::<W, K, BOX>;
            /// Moves elements to the order of one byte of their groups' ids.
            scatter: $crate::arguments::Scatter<W> = "_scatter",
                $crate::groups::entry::raw::scatter::<W, { scatter_items(B, false) }, { scatter_warps(B, false) }, { scatter_tile(B, false) as usize }>;
            /// Moves the elements of a short array to the same order.
            scatter_short: $crate::arguments::Scatter<W> = "_scatter_short",
                $crate::groups::entry::raw::scatter::<W, { scatter_items(B, true) }, { scatter_warps(B, true) }, { scatter_tile(B, true) as usize }>;
            /// Copies the elements at given positions.
            gather: $crate::arguments::Gather<W> = "_gather", $crate::groups::entry::raw::gather::<W>;
            /// Counts runs of equal keys.
            count_runs: $crate::arguments::CountRuns<W> = "_count_runs", $crate::groups::entry::raw::count_runs::<W, N>;
            /// Writes the starts of runs, and their keys.
            write_runs: $crate::arguments::WriteRuns<W> = "_write_runs", $crate::groups::entry::raw::write_runs::<W, N>;
            /// Compacts the words whose flags are set.
            compact_by_flags: $crate::arguments::CompactByFlags<W> = "_compact_by_flags",
                $crate::compact::entry::raw::compact_by_flags::<W, Flags, V, R, TILE>;
            /// Compacts the first words of runs.
            unique: $crate::arguments::Unique<W> = "_unique", $crate::compact::entry::raw::unique::<W, V, R, TILE>;
        }
    };
}

/// The kernel that compacts words by their ranks. `Order` is the ranking.
#[doc(hidden)]
#[macro_export]
macro_rules! ranked_kernels {
    ([$($then:tt)*] $with:tt) => {
        $($then)* { $with
            {
                type P = W;
                const V: usize = $crate::compact::shapes::compact_vector(size_of::<W>());
                const R: usize = $crate::compact::shapes::compact_rows(size_of::<W>());
                const TILE: usize = $crate::compact::shapes::compact_tile(size_of::<W>());
            }
            /// Compacts the words whose ranks are between two bounds.
            compact: $crate::arguments::Compact<P> = "_compact", $crate::compact::entry::raw::compact::<W, Order, V, R, TILE>;
        }
    };
}

/// The kernel that compacts words for which a formula holds.
#[doc(hidden)]
#[macro_export]
macro_rules! satisfying_kernels {
    ([$($then:tt)*] $with:tt) => {
        $($then)* { $with
            {
                const V: usize = $crate::compact::shapes::compact_vector(size_of::<W>());
                const R: usize = $crate::compact::shapes::compact_rows(size_of::<W>());
                const TILE: usize = $crate::compact::shapes::compact_tile(size_of::<W>());
            }
            /// Compacts the words for which a formula holds.
            compact: $crate::arguments::CompactByFormula<W> = "_compact",
                $crate::compact::entry::raw::compact_by_formula::<W, V, R, TILE>;
        }
    };
}

/// The kernels that select or count by rank, which is an argument.
#[doc(hidden)]
#[macro_export]
macro_rules! select_kernels {
    ([$($then:tt)*] $with:tt) => {
        $($then)* { $with
            {
                const V: usize = $crate::select::shapes::select_vector(size_of::<W>());
                const R: usize = $crate::select::shapes::select_rows(size_of::<W>());
                const WR: usize = $crate::select::parts::shapes::warp_rows(size_of::<W>());
            }
            /// Finds the first elements of parts, a lane for each.
            first_by_lanes: $crate::arguments::FirstOfParts<W> = "_first_by_lanes",
                $crate::select::parts::entry::by_lanes::<W>;
            /// Finds the first elements of parts, a warp for each.
            first_by_warps: $crate::arguments::FirstOfParts<W> = "_first_by_warps",
                $crate::select::parts::entry::by_warps::<W, V, WR, { V * WR }>;
            /// Finds the first elements of parts or slices, a block for each.
            first_by_blocks: $crate::arguments::FirstOfParts<W> = "_first_by_blocks",
                $crate::select::parts::entry::by_blocks::<W, V, R, { V * R }>;
            /// Finds the first elements of parts among the first of their slices.
            first_of_slices: $crate::arguments::FirstOfSlices<W> = "_first_of_slices",
                $crate::select::parts::entry::of_slices::<W, 4>;
            /// Compacts the elements within a range of the order.
            filter: $crate::arguments::Filter<W> = "_filter", $crate::select::entry::raw::filter::<W, V, R>;
            /// Counts elements by a digit.
            digits: $crate::arguments::Digits<W> = "_digits", $crate::select::entry::raw::digits::<W, V, R>;
            /// Counts elements in few bins.
            histogram: $crate::arguments::Bins<W> = "_histogram", $crate::histogram::entry::raw::few::<W, V, R>;
            /// Counts elements in more bins, with counters of two bytes.
            histogram_halves: $crate::arguments::Bins<W> = "_histogram_halves", $crate::histogram::entry::raw::halves::<W, V, R>;
            /// Counts elements in any number of bins.
            histogram_wide: $crate::arguments::Bins<W> = "_histogram_wide", $crate::histogram::entry::raw::wide::<W, V, R>;
            /// Writes the place of each element: its bin, or one beside the bins.
            histogram_places: $crate::arguments::Bins<W> = "_histogram_places", $crate::histogram::entry::raw::places::<W, V, R>;
        }
    };
}

/// The kernels that sort keys by digits. `V0`, `V4` and `V8` are values of as many bytes.
#[doc(hidden)]
#[macro_export]
macro_rules! radix_kernels {
    ([$($then:tt)*] $with:tt) => {
        $($then)* { $with
            {
                use $crate::radix::shapes::{count_at_once, pass_items, pass_tile, pass_warps};
                type V0 = $crate::radix::NoValue;
                type V4 = u32;
                type V8 = u64;
                const B: usize = size_of::<W>();
            }
            /// Counts the keys by each digit.
            digits: $crate::arguments::RadixDigits<W> = "_digits",
                $crate::radix::entry::raw::digits::<W, { count_at_once(B) }>;
            /// Moves keys by a digit.
            pass: $crate::arguments::RadixPass<W, V0> = "_pass",
                $crate::radix::entry::raw::pass::<W, V0, { pass_items(B, 0) }, { pass_warps(B, 0) }, { pass_tile(B, 0) as usize }>;
            /// Moves keys by a digit, with values of 4 bytes.
            pass_4: $crate::arguments::RadixPass<W, V4> = "_pass_4",
                $crate::radix::entry::raw::pass::<W, V4, { pass_items(B, 4) }, { pass_warps(B, 4) }, { pass_tile(B, 4) as usize }>;
            /// Moves keys by a digit, with values of 8 bytes.
            pass_8: $crate::arguments::RadixPass<W, V8> = "_pass_8",
                $crate::radix::entry::raw::pass::<W, V8, { pass_items(B, 8) }, { pass_warps(B, 8) }, { pass_tile(B, 8) as usize }>;
        }
    };
}

/// The kernels with which a block sorts few keys.
#[doc(hidden)]
#[macro_export]
macro_rules! leaf_kernels {
    ([$($then:tt)*] $with:tt) => {
        $($then)* { $with
            {
                const I: usize = $crate::sort::shapes::sort_items(size_of::<W>());
                const PLACES: usize = I * $crate::sort::shapes::SORT_THREADS as usize;
                const PADDED: usize = PLACES / 32 * 33;
            }
            /// Sorts the keys of a leaf.
            leaf: $crate::arguments::SortLeaf<W> = "_leaf", $crate::sort::entry::raw::leaf::<W, I, PLACES>;
            /// Sorts the keys of short parts.
            short: $crate::arguments::SortShort<W> = "_short", $crate::sort::entry::parts::short::<W, I, PADDED>;
            /// Sorts the keys of parts of a few keys.
            lanes: $crate::arguments::SortShort<W> = "_lanes", $crate::sort::entry::parts::lanes::<W, I, { 2 * I }>;
        }
    };
}

/// The kernels that sort keys level by level.
#[doc(hidden)]
#[macro_export]
macro_rules! level_kernels {
    ([$($then:tt)*] $with:tt) => {
        $($then)* { $with
            {
                const I: usize = $crate::sort::shapes::sort_items(size_of::<W>());
                const PLACES: usize = I * $crate::sort::shapes::SORT_THREADS as usize;
            }
            /// Finds the bounds of the buckets.
            pivots: $crate::arguments::SortPivots<W> = "_pivots", $crate::sort::entry::raw::pivots::<W, I, PLACES>;
            /// Counts the keys of each bucket.
            count: $crate::arguments::SortCount<W> = "_count", $crate::sort::entry::raw::count::<W, I>;
            /// Moves keys to their buckets.
            scatter: $crate::arguments::SortScatter<W> = "_scatter", $crate::sort::entry::raw::scatter::<W, I, PLACES>;
        }
    };
}

/// The kernels that are for words of every size: lines `CONSTANT entry: Arguments = body;`.
#[doc(hidden)]
#[macro_export]
macro_rules! sizeless_kernels {
    ($then:ident) => {
        $then! {
            /// Counts elements by a digit of their groups' ids.
            HISTOGRAM group_histogram: $crate::arguments::Histogram = $crate::groups::entry::raw::histogram;
            /// Writes the accumulators of groups that were folded by atomics.
            ACCUMULATORS group_accumulators: $crate::arguments::GroupAccumulators = $crate::groups::entry::raw::group_accumulators;
            /// Writes positions: 0, 1 and so on.
            POSITIONS group_places: $crate::arguments::Places = $crate::groups::entry::raw::places;
            /// Sums the integers of each block.
            SCAN_TOTALS scan_totals: $crate::arguments::Totals = $crate::groups::entry::raw::scan_totals;
            /// Computes the sum of all integers before each.
            SCAN scan: $crate::arguments::Sums = $crate::groups::entry::raw::scan;
            /// Finds the first element of each group of a sample.
            SELECT_SAMPLE select_sample: $crate::arguments::Sample = $crate::select::entry::raw::sample;
            /// Finds the pair at a given position in the order, and sorts the pairs before it.
            SELECT_PICK select_pick: $crate::arguments::Pick = $crate::select::entry::raw::pick;
            /// Lists the next steps for the buckets of a sort.
            SORT_LISTS sort_lists: $crate::arguments::SortLists = $crate::sort::entry::raw::lists;
            /// Lists the parts of an array to be sorted.
            SORT_PARTS sort_parts: $crate::arguments::SortParts = $crate::sort::entry::parts::list;
            /// Sums the counts of digits up.
            RADIX_STARTS radix_starts: $crate::arguments::RadixStarts = $crate::radix::entry::raw::starts;
        }
    };
}
