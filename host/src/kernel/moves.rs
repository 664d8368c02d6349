//! The kernels that move words, shipped by this crate: one of each kind for each size of a word.

use gpu_kernels::arguments::{
    Compact, CompactByFlags, CountRuns, Digits, Filter, Gather, Histogram, Pack, Pick, Places, RadixDigits,
    RadixPass, RadixStarts, Sample, Scatter, SortCount, SortLeaf, SortLists, SortPivots, SortScatter, Sums,
    Totals, Unique, WriteRuns,
};

use crate::kernel::texts::library_texts;
use crate::{Entry, Texts};

/// Stands for words of any size. The arguments of kernels over different words differ only in the type behind their
/// addresses.
#[cfg_attr(not(feature = "cuda"), allow(dead_code, reason = "data is moved on GPUs"))]
#[derive(Clone, Copy, Debug)]
pub(crate) enum Word {}

/// The kernels for words of one size.
#[cfg_attr(not(feature = "cuda"), allow(dead_code, reason = "data is moved on GPUs"))]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moves {
    /// Bytes of a word, which are also its alignment.
    pub(crate) bytes: usize,
    /// Copies a strided view to row-major memory.
    pub(crate) pack: Entry<Pack<Word>>,
    /// Moves elements to the order of one digit of their groups' ids.
    pub(crate) scatter: Entry<Scatter<Word>>,
    /// Copies the elements at given positions.
    pub(crate) gather: Entry<Gather<Word>>,
    /// Counts runs of equal keys.
    pub(crate) count_runs: Entry<CountRuns<Word>>,
    /// Writes the starts of runs, and their keys.
    pub(crate) write_runs: Entry<WriteRuns<Word>>,
    /// Compacts the words whose flags are set.
    pub(crate) compact_by_flags: Entry<CompactByFlags<Word>>,
    /// Compacts the first words of runs.
    pub(crate) unique: Entry<Unique<Word>>,
}

/// The kernel that compacts words of one size by their ranks.
#[cfg_attr(not(feature = "cuda"), allow(dead_code, reason = "data is moved on GPUs"))]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ranked {
    /// Bytes of a word.
    pub(crate) bytes: usize,
    /// Whether words are ranked as floats.
    pub(crate) is_float: bool,
    /// The kernel. It reads one word each of the least rank and the span.
    pub(crate) compact: Entry<Compact<u64>>,
}

/// The kernels that select among words of one size by their ranks.
#[cfg_attr(not(feature = "cuda"), allow(dead_code, reason = "data is moved on GPUs"))]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Select {
    /// Bytes of a word.
    pub(crate) bytes: usize,
    /// Compacts the elements within a range of the order.
    pub(crate) filter: Entry<Filter<Word>>,
    /// Counts elements by a digit.
    pub(crate) digits: Entry<Digits<Word>>,
}

/// The kernels that sort keys of one size by digits.
#[cfg_attr(not(feature = "cuda"), allow(dead_code, reason = "data is moved on GPUs"))]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Radix {
    /// Bytes of a key.
    pub(crate) bytes: usize,
    /// Counts the keys by each digit.
    pub(crate) digits: Entry<RadixDigits<Word>>,
    /// Moves keys by a digit: keys alone, with values of 4 bytes, and of 8.
    pub(crate) passes: [Entry<RadixPass<Word, Word>>; 3],
}

/// The kernel that sorts few keys of one size in one block.
#[cfg_attr(not(feature = "cuda"), allow(dead_code, reason = "data is moved on GPUs"))]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Leaf {
    /// Bytes of a key.
    pub(crate) bytes: usize,
    /// Sorts the keys of a leaf.
    pub(crate) leaf: Entry<SortLeaf<Word>>,
}

/// The kernels that sort keys of one size level by level.
#[cfg_attr(not(feature = "cuda"), allow(dead_code, reason = "data is moved on GPUs"))]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Levels {
    /// Bytes of a key.
    pub(crate) bytes: usize,
    /// Finds the bounds of the buckets.
    pub(crate) pivots: Entry<SortPivots<Word>>,
    /// Counts the keys of each bucket.
    pub(crate) count: Entry<SortCount<Word>>,
    /// Moves keys to their buckets.
    pub(crate) scatter: Entry<SortScatter<Word>>,
}

/// Kernels that `cargo xtask ptx` compiled from the same pairs.
const KERNELS: Texts = library_texts!(MOVES);

macro_rules! alone {
    ($($(#[$doc:meta])* $name:ident: $arguments:ty = $entry:ident;)*) => { $(
        $(#[$doc])*
        pub(crate) const $name: Entry<$arguments> = crate::ship_kernels!(@entry KERNELS, $entry, "", "for_each_move_kernel");
    )* };
}
alone! {
    /// Counts elements by a digit of their groups' ids.
    HISTOGRAM: Histogram = group_histogram;
    /// Writes positions: 0, 1 and so on.
    POSITIONS: Places = group_places;
    /// Sums the integers of each block.
    SCAN_TOTALS: Totals = scan_totals;
    /// Computes the sum of all integers before each.
    SCAN: Sums = scan;
    /// Finds the first element of each group of a sample.
    SELECT_SAMPLE: Sample = select_sample;
    /// Finds the pair at a given position in the order, and sorts the pairs before it.
    SELECT_PICK: Pick = select_pick;
    /// Lists the next steps for the buckets of a sort.
    SORT_LISTS: SortLists = sort_lists;
    /// Sums the counts of digits up.
    RADIX_STARTS: RadixStarts = radix_starts;
}

macro_rules! stamp_moves {
    ($($name:ident: $word:ty;)*) => {
        /// Kernels by the size of a word, smallest first.
        #[cfg_attr(not(feature = "cuda"), allow(dead_code, reason = "data is moved on GPUs"))]
        pub(crate) const MOVES: &[Moves] = &[$(Moves {
            bytes: size_of::<$word>(),
            pack: crate::ship_kernels!(@entry KERNELS, $name, "_pack", "for_each_move_kernel"),
            scatter: crate::ship_kernels!(@entry KERNELS, $name, "_scatter", "for_each_move_kernel"),
            gather: crate::ship_kernels!(@entry KERNELS, $name, "_gather", "for_each_move_kernel"),
            count_runs: crate::ship_kernels!(@entry KERNELS, $name, "_count_runs", "for_each_move_kernel"),
            write_runs: crate::ship_kernels!(@entry KERNELS, $name, "_write_runs", "for_each_move_kernel"),
            compact_by_flags: crate::ship_kernels!(
                @entry KERNELS, $name, "_compact_by_flags", "for_each_move_kernel"
            ),
            unique: crate::ship_kernels!(@entry KERNELS, $name, "_unique", "for_each_move_kernel"),
        },)*];

        /// All entries that this crate ships to move words.
        #[doc(hidden)]
        pub const SHIPPED_FOR_MOVES: &[Entry] = &[
            $(crate::ship_kernels!(@entry KERNELS, $name, "_compact_by_flags", "for_each_move_kernel"),
              crate::ship_kernels!(@entry KERNELS, $name, "_unique", "for_each_move_kernel"),
              crate::ship_kernels!(@entry KERNELS, $name, "_pack", "for_each_move_kernel"),
              crate::ship_kernels!(@entry KERNELS, $name, "_scatter", "for_each_move_kernel"),
              crate::ship_kernels!(@entry KERNELS, $name, "_gather", "for_each_move_kernel"),
              crate::ship_kernels!(@entry KERNELS, $name, "_count_runs", "for_each_move_kernel"),
              crate::ship_kernels!(@entry KERNELS, $name, "_write_runs", "for_each_move_kernel"),)*
            HISTOGRAM.untyped(), POSITIONS.untyped(), SCAN_TOTALS.untyped(), SCAN.untyped(),
        ];
    };
}
gpu_kernels::for_each_move_kernel!(stamp_moves);

macro_rules! stamp_ranked {
    ($($name:ident: $word:ty, $ranking:ident;)*) => {
        /// Kernels by the size of a word and its ranking.
        #[cfg_attr(not(feature = "cuda"), allow(dead_code, reason = "data is moved on GPUs"))]
        pub(crate) const RANKED: &[Ranked] = &[$(Ranked {
            bytes: size_of::<$word>(),
            is_float: matches!(Ranking::$ranking, Ranking::Floats),
            compact: crate::ship_kernels!(@entry KERNELS, $name, "_compact", "for_each_ranked_kernel"),
        },)*];

        /// All entries that this crate ships to compact words by rank.
        #[doc(hidden)]
        pub const SHIPPED_BY_RANK: &[Entry] =
            &[$(crate::ship_kernels!(@entry KERNELS, $name, "_compact", "for_each_ranked_kernel"),)*];
    };
}
gpu_kernels::for_each_ranked_kernel!(stamp_ranked);

macro_rules! stamp_select {
    ($($name:ident: $word:ty;)*) => {
        /// Kernels by the size of a word.
        #[cfg_attr(not(feature = "cuda"), allow(dead_code, reason = "data is moved on GPUs"))]
        pub(crate) const SELECT: &[Select] = &[$(Select {
            bytes: size_of::<$word>(),
            filter: crate::ship_kernels!(@entry KERNELS, $name, "_filter", "for_each_select_kernel"),
            digits: crate::ship_kernels!(@entry KERNELS, $name, "_digits", "for_each_select_kernel"),
        },)*];

        /// All entries that this crate ships to select by rank.
        #[doc(hidden)]
        pub const SHIPPED_TO_SELECT: &[Entry] = &[
            $(crate::ship_kernels!(@entry KERNELS, $name, "_filter", "for_each_select_kernel"),
              crate::ship_kernels!(@entry KERNELS, $name, "_digits", "for_each_select_kernel"),)*
            SELECT_SAMPLE.untyped(), SELECT_PICK.untyped(),
        ];
    };
}
gpu_kernels::for_each_select_kernel!(stamp_select);

macro_rules! stamp_radix {
    ($($name:ident: $key:ty;)*) => {
        /// Kernels by the size of a key.
        #[cfg_attr(not(feature = "cuda"), allow(dead_code, reason = "data is moved on GPUs"))]
        pub(crate) const RADIX: &[Radix] = &[$(Radix {
            bytes: size_of::<$key>(),
            digits: crate::ship_kernels!(@entry KERNELS, $name, "_digits", "for_each_radix_kernel"),
            passes: [
                crate::ship_kernels!(@entry KERNELS, $name, "_pass", "for_each_radix_kernel"),
                crate::ship_kernels!(@entry KERNELS, $name, "_pass_4", "for_each_radix_kernel"),
                crate::ship_kernels!(@entry KERNELS, $name, "_pass_8", "for_each_radix_kernel"),
            ],
        },)*];

        /// All entries that this crate ships to sort by digits.
        #[doc(hidden)]
        pub const SHIPPED_FOR_RADIX: &[Entry] = &[
            $(crate::ship_kernels!(@entry KERNELS, $name, "_digits", "for_each_radix_kernel"),
              crate::ship_kernels!(@entry KERNELS, $name, "_pass", "for_each_radix_kernel"),
              crate::ship_kernels!(@entry KERNELS, $name, "_pass_4", "for_each_radix_kernel"),
              crate::ship_kernels!(@entry KERNELS, $name, "_pass_8", "for_each_radix_kernel"),)*
            RADIX_STARTS.untyped(),
        ];
    };
}
gpu_kernels::for_each_radix_kernel!(stamp_radix);

macro_rules! stamp_leaves {
    ($($name:ident: $key:ty;)*) => {
        /// Kernels by the size of a key.
        #[cfg_attr(not(feature = "cuda"), allow(dead_code, reason = "data is moved on GPUs"))]
        pub(crate) const LEAVES: &[Leaf] = &[$(Leaf {
            bytes: size_of::<$key>(),
            leaf: crate::ship_kernels!(@entry KERNELS, $name, "_leaf", "for_each_leaf_kernel"),
        },)*];

        /// All entries that this crate ships to sort few keys.
        #[doc(hidden)]
        pub const SHIPPED_FOR_LEAVES: &[Entry] =
            &[$(crate::ship_kernels!(@entry KERNELS, $name, "_leaf", "for_each_leaf_kernel"),)*];
    };
}
gpu_kernels::for_each_leaf_kernel!(stamp_leaves);

macro_rules! stamp_levels {
    ($($name:ident: $key:ty;)*) => {
        /// Kernels by the size of a key.
        #[cfg_attr(not(feature = "cuda"), allow(dead_code, reason = "data is moved on GPUs"))]
        pub(crate) const LEVELS: &[Levels] = &[$(Levels {
            bytes: size_of::<$key>(),
            pivots: crate::ship_kernels!(@entry KERNELS, $name, "_pivots", "for_each_level_kernel"),
            count: crate::ship_kernels!(@entry KERNELS, $name, "_count", "for_each_level_kernel"),
            scatter: crate::ship_kernels!(@entry KERNELS, $name, "_scatter", "for_each_level_kernel"),
        },)*];

        /// All entries that this crate ships to sort level by level.
        #[doc(hidden)]
        pub const SHIPPED_FOR_LEVELS: &[Entry] = &[
            $(crate::ship_kernels!(@entry KERNELS, $name, "_pivots", "for_each_level_kernel"),
              crate::ship_kernels!(@entry KERNELS, $name, "_count", "for_each_level_kernel"),
              crate::ship_kernels!(@entry KERNELS, $name, "_scatter", "for_each_level_kernel"),)*
            SORT_LISTS.untyped(),
        ];
    };
}
gpu_kernels::for_each_level_kernel!(stamp_levels);

/// Rankings in the list of kernels that compact.
enum Ranking {
    Integers,
    Floats,
}
