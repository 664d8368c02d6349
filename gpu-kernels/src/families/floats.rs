//! The family of a float. `T` is the element.

/// The kernels of exponentials, softmax and norms of rows.
#[doc(hidden)]
#[macro_export]
macro_rules! forward_kernels {
    ([$($then:tt)*] $with:tt) => {
        $($then)* { $with
            {
                const V: usize = $crate::tree::vector_len::<T>();
                const K: usize = $crate::forward::shapes::lane_vectors::<T>();
                const W: usize = $crate::forward::shapes::warp_vectors::<T>();
                const M: usize = $crate::forward::shapes::tile_vectors::<T>();
            }
            /// Softmax of short rows.
            softmax_by_lanes: $crate::arguments::Softmax<T> = "_softmax_by_lanes",
                $crate::forward::entry::raw::softmax_by_lanes::<T, V, K>;
            /// Softmax of rows that a warp holds.
            softmax_by_warp: $crate::arguments::Softmax<T> = "_softmax_by_warp",
                $crate::forward::entry::raw::softmax_by_warp::<T, V, W>;
            /// Softmax of rows that a block holds.
            softmax_by_tile: $crate::arguments::Softmax<T> = "_softmax_by_tile",
                $crate::forward::entry::raw::softmax_by_tile::<T, V, M>;
            /// Softmax of long rows.
            softmax_by_block: $crate::arguments::Softmax<T> = "_softmax_by_block",
                $crate::forward::entry::raw::softmax_by_block::<T, V>;
            /// Logarithms of softmax, and sums of exponentials, of short rows.
            logarithms_by_lanes: $crate::arguments::Logarithms<T> = "_logarithms_by_lanes",
                $crate::forward::entry::raw::logarithms_by_lanes::<T, V, K>;
            /// Logarithms of softmax, and sums of exponentials, of rows that a warp holds.
            logarithms_by_warp: $crate::arguments::Logarithms<T> = "_logarithms_by_warp",
                $crate::forward::entry::raw::logarithms_by_warp::<T, V, W>;
            /// Logarithms of softmax, and sums of exponentials, of rows that a block holds.
            logarithms_by_tile: $crate::arguments::Logarithms<T> = "_logarithms_by_tile",
                $crate::forward::entry::raw::logarithms_by_tile::<T, V, M>;
            /// Logarithms of softmax, and sums of exponentials, of long rows.
            logarithms_by_block: $crate::arguments::Logarithms<T> = "_logarithms_by_block",
                $crate::forward::entry::raw::logarithms_by_block::<T, V>;
            /// Norms of short rows.
            norm_by_lanes: $crate::arguments::Norm<T> = "_norm_by_lanes",
                $crate::forward::entry::raw::norm_by_lanes::<T, V, K>;
            /// Norms of rows that a warp holds.
            norm_by_warp: $crate::arguments::Norm<T> = "_norm_by_warp",
                $crate::forward::entry::raw::norm_by_warp::<T, V, W>;
            /// Norms of rows that a block holds.
            norm_by_tile: $crate::arguments::Norm<T> = "_norm_by_tile",
                $crate::forward::entry::raw::norm_by_tile::<T, V, M>;
            /// Norms of long rows.
            norm_by_block: $crate::arguments::Norm<T> = "_norm_by_block",
                $crate::forward::entry::raw::norm_by_block::<T, V>;
        }
    };
}
