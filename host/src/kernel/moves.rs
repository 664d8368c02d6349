//! The kernels that move words, shipped by this crate: one of each kind for each size of a word.

use gpu_kernels::arguments::{
    Compact, CompactByFlags, CountRuns, Digits, Filter, Gather, Histogram, Pack, Pick, Places, RadixDigits,
    RadixPass, RadixStarts, Sample, Scatter, SortCount, SortLeaf, SortLists, SortPivots, SortScatter, Sums,
    Totals, Unique, WriteRuns,
};

use crate::kernel::entry::emulated;
use crate::kernel::texts::library_texts;
use crate::{Entry, Texts};

/// Stands for words of any size. The arguments of kernels over different words differ only in the type behind their
/// addresses.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Word {}

/// Kernels that `cargo xtask ptx` compiled from the same pairs.
const KERNELS: Texts = library_texts!(MOVES);

macro_rules! alone {
    ($($(#[$doc:meta])* $name:ident: $arguments:ty = $entry:ident of $($module:ident)::+;)*) => { $(
        $(#[$doc])*
        pub(crate) const $name: Entry<$arguments> = emulated!(
            crate::ship_kernels!(@entry KERNELS, $entry, "", "for_each_move_kernel"),
            gpu_kernels::$($module)::+::$entry
        );
    )*
        /// Those that are for words of every size.
        #[cfg(test)]
        const ALONE: &[Entry] = &[$($name.untyped()),*];
    };
}
alone! {
    /// Counts elements by a digit of their groups' ids.
    HISTOGRAM: Histogram = group_histogram of groups::entry;
    /// Writes positions: 0, 1 and so on.
    POSITIONS: Places = group_places of groups::entry;
    /// Sums the integers of each block.
    SCAN_TOTALS: Totals = scan_totals of groups::entry;
    /// Computes the sum of all integers before each.
    SCAN: Sums = scan of groups::entry;
    /// Finds the first element of each group of a sample.
    SELECT_SAMPLE: Sample = select_sample of select::entry;
    /// Finds the pair at a given position in the order, and sorts the pairs before it.
    SELECT_PICK: Pick = select_pick of select::entry;
    /// Lists the next steps for the buckets of a sort.
    SORT_LISTS: SortLists = sort_lists of sort::entry;
    /// Sums the counts of digits up.
    RADIX_STARTS: RadixStarts = radix_starts of radix::entry;
}

/// Declares the kernels for words or keys of one size, and lists them for all sizes, smallest first, as `for_each_*!` of
/// gpu-kernels has them.
macro_rules! by_size {
    ($($(#[$doc:meta])* $list:ident: $family:ident of $each:ident {
        $($(#[$about:meta])* $field:ident: $arguments:ty = $suffix:literal of $($module:ident)::+;)*
    })*) => { $(
        by_size! { ($) $(#[$doc])* $list: $family of $each { $($(#[$about])* $field: $arguments = $suffix of $($module)::+;)* } }
    )* };
    (($d:tt) $(#[$doc:meta])* $list:ident: $family:ident of $each:ident {
        $($(#[$about:meta])* $field:ident: $arguments:ty = $suffix:literal of $($module:ident)::+;)*
    }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub(crate) struct $family {
            /// Bytes of a word, which are also its alignment.
            pub(crate) bytes: usize,
            $($(#[$about])* pub(crate) $field: Entry<$arguments>),*
        }

        impl $family {
            /// Returns all entries without their arguments.
            #[cfg(test)]
            fn untyped(&self) -> Vec<Entry> {
                vec![$(self.$field.untyped()),*]
            }
        }

        macro_rules! stamp {
            ($d($d row:ident: $d word:ty;)*) => {
                #[doc = concat!("[`", stringify!($family), "`] for each size.")]
                pub(crate) const $list: &[$family] = &[$d($family {
                    bytes: size_of::<$d word>(),
                    $($field: emulated!(
                        crate::ship_kernels!(@entry KERNELS, $d row, $suffix, stringify!($each)),
                        gpu_kernels::$($module)::+::$d row::$field
                    )),*
                }),*];
            };
        }
        gpu_kernels::$each!(stamp);
    };
}
by_size! {
    /// The kernels for words of one size.
    MOVES: Moves of for_each_move_kernel {
        /// Copies a strided view to row-major memory.
        pack: Pack<Word> = "_pack" of pack::entry;
        /// Moves elements to the order of one digit of their groups' ids.
        scatter: Scatter<Word> = "_scatter" of groups::entry;
        /// Copies the elements at given positions.
        gather: Gather<Word> = "_gather" of groups::entry;
        /// Counts runs of equal keys.
        count_runs: CountRuns<Word> = "_count_runs" of groups::entry;
        /// Writes the starts of runs, and their keys.
        write_runs: WriteRuns<Word> = "_write_runs" of groups::entry;
        /// Compacts the words whose flags are set.
        compact_by_flags: CompactByFlags<Word> = "_compact_by_flags" of compact::entry;
        /// Compacts the first words of runs.
        unique: Unique<Word> = "_unique" of compact::entry;
    }

    /// The kernels that select among words of one size by their ranks.
    SELECT: Select of for_each_select_kernel {
        /// Compacts the elements within a range of the order.
        filter: Filter<Word> = "_filter" of select::entry;
        /// Counts elements by a digit.
        digits: Digits<Word> = "_digits" of select::entry;
    }

    /// The kernels that sort keys of one size by digits.
    RADIX: Radix of for_each_radix_kernel {
        /// Counts the keys by each digit.
        digits: RadixDigits<Word> = "_digits" of radix::entry;
        /// Moves keys by a digit.
        pass: RadixPass<Word, Word> = "_pass" of radix::entry;
        /// Moves keys by a digit, with values of 4 bytes.
        pass_4: RadixPass<Word, Word> = "_pass_4" of radix::entry;
        /// Moves keys by a digit, with values of 8 bytes.
        pass_8: RadixPass<Word, Word> = "_pass_8" of radix::entry;
    }

    /// The kernel that sorts few keys of one size in one block.
    LEAVES: Leaf of for_each_leaf_kernel {
        /// Sorts the keys of a leaf.
        leaf: SortLeaf<Word> = "_leaf" of sort::entry;
    }

    /// The kernels that sort keys of one size level by level.
    LEVELS: Levels of for_each_level_kernel {
        /// Finds the bounds of the buckets.
        pivots: SortPivots<Word> = "_pivots" of sort::entry::levels;
        /// Counts the keys of each bucket.
        count: SortCount<Word> = "_count" of sort::entry::levels;
        /// Moves keys to their buckets.
        scatter: SortScatter<Word> = "_scatter" of sort::entry::levels;
    }
}

/// The kernel that compacts words of one size by their ranks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ranked {
    /// Bytes of a word.
    pub(crate) bytes: usize,
    /// Whether words are ranked as floats.
    pub(crate) is_float: bool,
    /// The kernel. It reads one word each of the least rank and the span.
    pub(crate) compact: Entry<Compact<u64>>,
}

macro_rules! stamp_ranked {
    ($($name:ident: $word:ty, $ranking:ident;)*) => {
        /// Kernels by the size of a word and its ranking.
        pub(crate) const RANKED: &[Ranked] = &[$(Ranked {
            bytes: size_of::<$word>(),
            is_float: matches!(Ranking::$ranking, Ranking::Floats),
            compact: emulated!(
                crate::ship_kernels!(@entry KERNELS, $name, "_compact", "for_each_ranked_kernel"),
                gpu_kernels::compact::entry::$name::compact
            ),
        },)*];
    };
}
gpu_kernels::for_each_ranked_kernel!(stamp_ranked);

/// Rankings in the list of kernels that compact.
enum Ranking {
    Integers,
    Floats,
}

/// Returns all entries that this crate ships to move data.
#[cfg(test)]
pub(crate) fn shipped() -> impl Iterator<Item = Entry> {
    let by_size = [
        MOVES.iter().flat_map(Moves::untyped).collect::<Vec<_>>(),
        SELECT.iter().flat_map(Select::untyped).collect(),
        RADIX.iter().flat_map(Radix::untyped).collect(),
        LEAVES.iter().flat_map(Leaf::untyped).collect(),
        LEVELS.iter().flat_map(Levels::untyped).collect(),
        RANKED.iter().map(|ranked| ranked.compact.untyped()).collect(),
    ];
    by_size.into_iter().flatten().chain(ALONE.iter().copied())
}
