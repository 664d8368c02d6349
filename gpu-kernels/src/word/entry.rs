//! The entry points of the kernels over words: for each line of a list of `catalogue/words.rs` a module of the entry's name, with a
//! function for each kernel of the family (`families/words.rs`).
//!
//! They are stamped as [`entry`](crate::entry) stamps the entry points of operators. This module adds nothing of its
//! own.

/// Stamps a family's entry points for each word of a list.
macro_rules! stamp_words {
    ($family:ident of $each:ident) => {
        stamp_words! { ($) $family of $each }
    };
    (($d:tt) $family:ident of $each:ident) => {
        macro_rules! stamp {
            ($d($d entry:ident: $d word:ty $d(, $d ranking:ident)?;)*) => { $d(
                crate::$family! { [crate::stamp_family!]
                    ($d entry: W = $d word $d(, Order = crate::compact::entry::$d ranking)?)
                }
            )* };
        }
        crate::$each!(stamp);
    };
}
stamp_words!(move_kernels of for_each_move_kernel);
stamp_words!(ranked_kernels of for_each_ranked_kernel);
stamp_words!(select_kernels of for_each_select_kernel);
stamp_words!(radix_kernels of for_each_radix_kernel);
stamp_words!(leaf_kernels of for_each_leaf_kernel);

/// The kernels of levels, whose rows have the names of some leaves.
#[doc(hidden)]
pub mod levels {
    stamp_words!(level_kernels of for_each_level_kernel);
}

/// Stamps the entry points that are for words of every size.
macro_rules! stamp_sizeless {
    ($($(#[$about:meta])* $constant:ident $name:ident: $arguments:ty = $body:path;)*) => {
        crate::entry::kernel! { $(
            $(#[$about])*
            ///
            /// # Safety
            #[doc = concat!("The contract of `", stringify!($body), "`.")]
            pub unsafe fn $name => $body: $arguments;
        )* }
    };
}
crate::sizeless_kernels!(stamp_sizeless);
