//! The kernels that move words, shipped by this crate: one of each kind for each size of a word.
//!
//! The lists of gpu-kernels (`families/words.rs`) name them. From these follow a struct for each family with an entry for each
//! kernel, and the structs of all sizes.

use crate::kernel::entry::{Entry, emulated};
use crate::kernel::ship::{FORMULA_KERNELS, MOVE_KERNELS as KERNELS};

/// Stands for words of any size. The arguments of kernels over different words differ only in the type behind their
/// addresses.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Word {}

/// The word of all families.
type W = Word;
/// A word that is passed by value. Kernels read as many of its first bytes as their own word has.
type P = u64;
/// Values of no, 4 and 8 bytes.
type V0 = Word;
type V4 = Word;
type V8 = Word;

macro_rules! sizeless {
    ($($(#[$doc:meta])* $name:ident $entry:ident: $arguments:ty = $body:path;)*) => {
        $(
            $(#[$doc])*
            pub(crate) const $name: Entry<$arguments> =
                emulated!(crate::ship_kernels!(@entry KERNELS, $entry, "", "sizeless_kernels"), $body);
        )*

        /// The kernels that are for words of every size.
        #[cfg(test)]
        const SIZELESS: &[Entry] = &[$($name.untyped()),*];
    };
}
gpu_kernels::sizeless_kernels!(sizeless);

/// Declares a family's struct.
macro_rules! declare_words {
    (($(#[$doc:meta])* $family:ident) { $($constants:item)* }
        $($(#[$about:meta])* $field:ident: $arguments:ty = $suffix:literal, $body:path;)*) => {
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
    };
}

/// The entries of a family for the word `$row`, each found among `$texts`.
macro_rules! words_of {
    (($family:ident, $texts:ident, $each:ident, $row:ident: $word:ty, $ranking:ty) { $($constants:item)* }
        $($(#[$about:meta])* $field:ident: $arguments:ty = $suffix:literal, $body:path;)*) => {{
        #[cfg(feature = "emulator")]
        type W = $word;
        #[cfg(feature = "emulator")]
        #[allow(dead_code, reason = "most families have no ranking")]
        type Order = $ranking;
        $(
            #[cfg(feature = "emulator")]
            $constants
        )*
        $family {
            bytes: size_of::<$word>(),
            $($field: emulated!(crate::ship_kernels!(@entry $texts, $row, $suffix, stringify!($each)), $body)),*
        }
    }};
}

/// Declares a family, and lists it for all sizes, smallest first, as `for_each_*!` of gpu-kernels has them.
macro_rules! by_size {
    ($($(#[$doc:meta])* $list:ident: $family:ident = $kernels:ident of $each:ident from $texts:ident;)*) => { $(
        gpu_kernels::$kernels!([declare_words!] ($(#[$doc])* $family));
        by_size! { ($) $list: $family = $kernels of $each from $texts }
    )* };
    (($d:tt) $list:ident: $family:ident = $kernels:ident of $each:ident from $texts:ident) => {
        macro_rules! stamp {
            ($d($d row:ident: $d word:ty;)*) => {
                #[doc = concat!("[`", stringify!($family), "`] for each size.")]
                pub(crate) const $list: &[$family] =
                    &[$d(gpu_kernels::$kernels!([words_of!] ($family, $texts, $each, $d row: $d word, ()))),*];
            };
        }
        gpu_kernels::$each!(stamp);
    };
}
by_size! {
    /// The kernels for words of one size.
    MOVES: Moves = move_kernels of for_each_move_kernel from KERNELS;
    /// The kernels that select among words of one size by their ranks.
    SELECT: Select = select_kernels of for_each_select_kernel from KERNELS;
    /// The kernels that sort keys of one size by digits.
    RADIX: Radix = radix_kernels of for_each_radix_kernel from KERNELS;
    /// The kernel that sorts few keys of one size in one block.
    LEAVES: Leaf = leaf_kernels of for_each_leaf_kernel from KERNELS;
    /// The kernels that sort keys of one size level by level.
    LEVELS: Levels = level_kernels of for_each_level_kernel from KERNELS;
    /// The kernel that compacts words of one size by a formula.
    SATISFYING: Satisfying = satisfying_kernels of for_each_satisfying_kernel from FORMULA_KERNELS;
}

gpu_kernels::ranked_kernels!([declare_words!] (
    /// The kernel that compacts words of one size by their ranks.
    Ranked
));

macro_rules! stamp_ranked {
    ($($row:ident: $word:ty, $ranking:ident;)*) => {
        /// Kernels by the ranking and the size of a word.
        pub(crate) const RANKED: &[(Ranking, Ranked)] = &[$((
            Ranking::$ranking,
            gpu_kernels::ranked_kernels!([words_of!]
                (Ranked, KERNELS, for_each_ranked_kernel, $row: $word, gpu_kernels::compact::entry::$ranking)),
        )),*];
    };
}
gpu_kernels::for_each_ranked_kernel!(stamp_ranked);

/// How words are ranked by the kernels that compact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ranking {
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
        SATISFYING.iter().flat_map(Satisfying::untyped).collect(),
        RANKED.iter().flat_map(|(_, ranked)| ranked.untyped()).collect(),
    ];
    by_size.into_iter().flatten().chain(SIZELESS.iter().copied())
}
