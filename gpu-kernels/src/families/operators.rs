//! The families of an operator and an element. `T`, `O` and `I` are the element, the operator and the form of addresses.

/// The kernels that reduce to one value.
#[doc(hidden)]
#[macro_export]
macro_rules! fold_kernels {
    ([$($then:tt)*] $with:tt) => {
        $($then)* { $with
            {
                const V: usize = $crate::tree::vector_len::<T>();
            }
            /// Folds a few tiles in one block.
            block: $crate::arguments::Block<I, T, O> = "_block", $crate::entry::raw::block::<T, O, I, V>;
            /// Folds any number of tiles in one launch.
            grid: $crate::arguments::Grid<I, T, O> = "_grid", $crate::entry::raw::grid::<T, O, I, V>;
            /// Folds partial results in passes.
            partials: $crate::arguments::Partials<T, O> = "_partials", $crate::entry::raw::partials::<T, O>;
        }
    };
}

/// The kernels over many rows, columns and segments.
#[doc(hidden)]
#[macro_export]
macro_rules! rows_kernels {
    ([$($then:tt)*] $with:tt) => {
        $($then)* { $with
            {
                const V: usize = $crate::tree::vector_len::<T>();
                const L: usize = $crate::shapes::loads_of_item::<T, O>();
                const K: usize = $crate::shapes::lanes_row_values::<T, O>(true);
                const H: usize = $crate::shapes::lanes_row_values::<T, O>(false);
                const W: usize = $crate::shapes::columns_at_once::<T, O>(true);
                const S: usize = $crate::shapes::columns_at_once::<T, O>(false);
                const N: usize = $crate::shapes::column_rows_at_once::<T, O>();
                const LANES: usize = $crate::shapes::column_lanes_at_once::<T, O>();
            }
            /// Folds each row by some lanes of a warp, with vector loads.
            by_lanes: $crate::arguments::WholeRows<T, O> = "_rows_by_lanes",
                $crate::entry::raw::rows_by_lanes::<T, O, V, L, K>;
            /// Folds as `by_lanes`, for rows that cannot be loaded by vectors.
            by_lanes_unaligned: $crate::arguments::WholeRows<T, O> = "_rows_by_lanes_unaligned",
                $crate::entry::raw::rows_by_lanes_unaligned::<T, O, V, L, H>;
            /// Folds rows of any length, or parts of them, by a warp each, with vector loads.
            by_warp: $crate::arguments::RowsByParts<T, O> = "_rows_by_warp", $crate::entry::raw::rows_by_warp::<T, O, V>;
            /// Folds as `by_warp`, for rows that cannot be loaded by vectors.
            by_warp_unaligned: $crate::arguments::RowsByParts<T, O> = "_rows_by_warp_unaligned",
                $crate::entry::raw::rows_by_warp_unaligned::<T, O, V>;
            /// Folds rows of at most one tile, at any address, by a warp each. It is empty for operators of which
            #[doc = concat!("[warps do not fold rows](", stringify!($crate), "::shapes::do_warps_fold_rows) in this way.")]
            by_tile: $crate::arguments::WholeRows<T, O> = "_rows_by_tile", $crate::entry::raw::rows_by_tiles::<T, O, V, 1>;
            /// Folds as `by_tile`, for rows of up to 32 tiles.
            by_tiles: $crate::arguments::WholeRows<T, O> = "_rows_by_tiles",
                $crate::entry::raw::rows_by_tiles::<T, O, V, { $crate::shapes::MAX_BATCH }>;
            /// Folds rows of any length, or parts of them, by a block each.
            by_block: $crate::arguments::RowsByParts<T, O> = "_rows_by_block", $crate::entry::raw::rows_by_block::<T, O, V>;
            /// Folds columns of any length, or parts of them, with vector loads.
            columns: $crate::arguments::Columns<T, O> = "_columns", $crate::entry::raw::columns::<T, O, W, N, LANES>;
            /// Folds as `columns`, for columns that cannot be loaded by vectors.
            columns_unaligned: $crate::arguments::Columns<T, O> = "_columns_unaligned",
                $crate::entry::raw::columns_unaligned::<T, O, S, N, LANES>;
            /// Folds columns of few rows, in one part.
            columns_of_few: $crate::arguments::ColumnsOfFew<T, O> = "_columns_of_few",
                $crate::entry::raw::columns_of_few::<T, O, W, N, LANES>;
            /// Folds as `columns_of_few`, for columns that cannot be loaded by vectors.
            columns_of_few_unaligned: $crate::arguments::ColumnsOfFew<T, O> = "_columns_of_few_unaligned",
                $crate::entry::raw::columns_of_few_unaligned::<T, O, S, N, LANES>;
            /// Folds the tiles of long segments.
            segments: $crate::arguments::Segments<T, O> = "_segments", $crate::entry::raw::segments::<T, O, V>;
            /// Folds short segments, and joins the tiles of long ones that have several.
            short_segments: $crate::arguments::ShortSegments<T, O> = "_short_segments",
                $crate::entry::raw::short_segments::<T, O, V, L, H>;
            /// Computes results from accumulators.
            finish: $crate::arguments::Finish<T, O> = "_finish", $crate::entry::raw::finish::<T, O>;
        }
    };
}

/// The kernel over groups of an operator with an atomic instruction.
#[doc(hidden)]
#[macro_export]
macro_rules! atomic_kernels {
    ([$($then:tt)*] $with:tt) => {
        $($then)* { $with
            {}
            /// Folds each element into its group's accumulator.
            groups: $crate::arguments::GroupsByAtomics<T, O> = "_groups",
                $crate::groups::entry::raw::groups_by_atomics::<T, O>;
        }
    };
}

/// The kernels that scan.
#[doc(hidden)]
#[macro_export]
macro_rules! scan_kernels {
    ([$($then:tt)*] $with:tt) => {
        $($then)* { $with
            {
                type Stored = $crate::StoredOf<T, O>;
                const R: usize = $crate::scan::tree::run_len::<T>();
                const Q: usize = $crate::scan::tree::quad_len::<T>();
                const N: usize = $crate::scan::tree::run_quads::<T>();
                const U: usize = match $crate::scan::shapes::run_vectors::<T>() { Some(vectors) => vectors, None => 1 };
                const K: usize = $crate::scan::shapes::piece_len::<T, Stored>();
                const W: usize =
                    match $crate::scan::shapes::piece_vectors::<T, Stored>() { Some(vectors) => vectors, None => 1 };
                const S: usize = 1 << $crate::scan::segments::shapes::log2_lane_segments::<T, Stored>();
            }
            /// Scans one array.
            array: $crate::arguments::Scan<T, O> = "_scan", $crate::entry::raw::scan::<T, O, R, Q, N, U, K, W>;
            /// Scans the tiles of segments with several tiles.
            segments: $crate::arguments::ScanSegments<T, O> = "_scan_segments",
                $crate::entry::raw::scan_segments::<T, O, R, Q, N, U, K, W>;
            /// Scans segments of at most one tile.
            short_segments: $crate::arguments::ScanShortSegments<T, O> = "_scan_short_segments",
                $crate::entry::raw::scan_short_segments::<T, O, R, Q, N, K, S>;
        }
    };
}
