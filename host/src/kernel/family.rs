//! Families of kernels: what is shipped for one operator and element, by name.
//!
//! A list below is the only place that names a family's kernels. From it follow the struct with an entry for each, the entries
//! of a row that is shipped, what is loaded at once, and what tests go through.

use gpu_kernels::addresses::Two;
use gpu_kernels::arguments::{
    Block, Columns, ColumnsOfFew, Finish, Grid, Partials, RowsByParts, Scan, ScanSegments, ScanShortSegments,
    Segments, ShortSegments, WholeRows,
};
use gpu_kernels::{Element, Op, Storable};

use crate::Entry;

/// The kernels that reduce to one value: `field: arguments = "suffix";`.
#[doc(hidden)]
#[macro_export]
macro_rules! fold_kernels {
    ($then:ident! $with:tt) => {
        $crate::$then! { $with
            /// Folds a few tiles in one block.
            block: Block<I, T, O> = "_block";
            /// Folds any number of tiles in one launch.
            grid: Grid<I, T, O> = "_grid";
            /// Folds partial results in passes.
            partials: Partials<T, O> = "_partials";
        }
    };
}

/// The kernels over many rows, columns and segments.
#[doc(hidden)]
#[macro_export]
macro_rules! rows_kernels {
    ($then:ident! $with:tt) => {
        $crate::$then! { $with
            /// Folds each row by some lanes of a warp, with vector loads.
            by_lanes: WholeRows<T, O> = "_rows_by_lanes";
            /// Folds as `by_lanes`, for rows that cannot be loaded by vectors.
            by_lanes_unaligned: WholeRows<T, O> = "_rows_by_lanes_unaligned";
            /// Folds rows of any length, or parts of them, by a warp each, with vector loads.
            by_warp: RowsByParts<T, O> = "_rows_by_warp";
            /// Folds as `by_warp`, for rows that cannot be loaded by vectors.
            by_warp_unaligned: RowsByParts<T, O> = "_rows_by_warp_unaligned";
            /// Folds rows of at most one tile, at any address, by a warp each. It is empty for operators of which
            /// [warps do not fold rows](gpu_kernels::launch::do_warps_fold_rows) in this way.
            by_tile: WholeRows<T, O> = "_rows_by_tile";
            /// Folds as `by_tile`, for rows of up to 32 tiles.
            by_tiles: WholeRows<T, O> = "_rows_by_tiles";
            /// Folds rows of any length, or parts of them, by a block each.
            by_block: RowsByParts<T, O> = "_rows_by_block";
            /// Folds columns of any length, or parts of them, with vector loads.
            columns: Columns<T, O> = "_columns";
            /// Folds as `columns`, for columns that cannot be loaded by vectors.
            columns_unaligned: Columns<T, O> = "_columns_unaligned";
            /// Folds columns of few rows, in one part.
            columns_of_few: ColumnsOfFew<T, O> = "_columns_of_few";
            /// Folds as `columns_of_few`, for columns that cannot be loaded by vectors.
            columns_of_few_unaligned: ColumnsOfFew<T, O> = "_columns_of_few_unaligned";
            /// Folds the tiles of long segments.
            segments: Segments<T, O> = "_segments";
            /// Folds short segments, and joins the tiles of long ones that have several.
            short_segments: ShortSegments<T, O> = "_short_segments";
            /// Computes results from accumulators.
            finish: Finish<T, O> = "_finish";
        }
    };
}

/// The kernels that scan.
#[doc(hidden)]
#[macro_export]
macro_rules! scan_kernels {
    ($then:ident! $with:tt) => {
        $crate::$then! { $with
            /// Scans one array.
            array: Scan<T, O> = "_scan";
            /// Scans the tiles of segments with several tiles.
            segments: ScanSegments<T, O> = "_scan_segments";
            /// Scans segments of at most one tile.
            short_segments: ScanShortSegments<T, O> = "_scan_short_segments";
        }
    };
}

/// The entries of a family for the row `$row` of the catalogue, each found among `$texts`.
#[doc(hidden)]
#[macro_export]
macro_rules! entries_of {
    (($family:ident, $texts:ident, $row:ident, $stamp:literal)
        $($(#[$about:meta])* $field:ident: $arguments:ty = $suffix:literal;)*) => {
        $crate::$family { $($field: $crate::ship_kernels!(@entry $texts, $row, $suffix, $stamp)),* }
    };
}

/// Declares a family's struct.
#[doc(hidden)]
#[macro_export]
macro_rules! declare_entries {
    (($(#[$doc:meta])* $family:ident<$($of:ident),*> [$($bounds:tt)*], cast to <$($to:ident),*> [$($to_bounds:tt)*])
        $($(#[$about:meta])* $field:ident: $arguments:ty = $suffix:literal;)*) => {
        $(#[$doc])*
        pub struct $family<$($bounds)*> {
            $($(#[$about])* pub $field: Entry<$arguments>),*
        }

        impl<$($bounds)*> Clone for $family<$($of),*> {
            fn clone(&self) -> Self {
                *self
            }
        }
        impl<$($bounds)*> Copy for $family<$($of),*> {}

        impl<$($bounds)*> std::fmt::Debug for $family<$($of),*> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_struct(stringify!($family))$(.field(stringify!($field), &self.$field))*.finish()
            }
        }

        impl<$($bounds)*> $family<$($of),*> {
            /// Returns all entries without their arguments, for loading and comparing.
            #[must_use]
            pub const fn untyped(self) -> [Entry; { let all: &[&str] = &[$($suffix),*]; all.len() }] {
                [$(self.$field.untyped()),*]
            }

            /// Returns the same kernels with other arguments, which the caller knows to have the same layout.
            #[allow(dead_code, reason = "some families are never cast")]
            pub(crate) const fn cast<$($to_bounds)*>(self) -> $family<$($to),*> {
                $family { $($field: self.$field.cast()),* }
            }
        }
    };
}

fold_kernels!(declare_entries! (
    /// The kernels of operator `O` over elements `T`, which they address by `I`.
    FoldEntries<I, T, O> [I: Copy, T: Element, O: Op<T>], cast to <J, U, P> [J: Copy, U: Element, P: Op<U>]
));
rows_kernels!(declare_entries! (
    /// The kernels of operator `O` over many rows, columns and segments of elements `T`.
    RowsEntries<T, O> [T: Element, O: Op<T, Out: Storable>], cast to <U, P> [U: Element, P: Op<U, Out: Storable>]
));
scan_kernels!(declare_entries! (
    /// The kernels that scan elements `T` with operator `O`.
    ScanEntries<T, O> [T: Element, O: Op<T, Out: Storable>], cast to <U, P> [U: Element, P: Op<U, Out: Storable>]
));

/// The kernels of operator `O` over the pairs of two arrays of `T`.
pub type ZipEntries<T, O> = FoldEntries<Two<T>, [T; 2], O>;
