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
                $crate::forward::entry::raw::by_lanes::<T, $crate::arguments::Softmax<T>, V, K>;
            /// Softmax of rows that a warp holds.
            softmax_by_warp: $crate::arguments::Softmax<T> = "_softmax_by_warp",
                $crate::forward::entry::raw::by_warp::<T, $crate::arguments::Softmax<T>, V, W>;
            /// Softmax of rows that a block holds.
            softmax_by_tile: $crate::arguments::Softmax<T> = "_softmax_by_tile",
                $crate::forward::entry::raw::by_tile::<T, $crate::arguments::Softmax<T>, V, M>;
            /// Softmax of long rows.
            softmax_by_block: $crate::arguments::Softmax<T> = "_softmax_by_block",
                $crate::forward::entry::raw::by_block::<T, $crate::arguments::Softmax<T>, V>;
            /// Logarithms of softmax, sums of exponentials, and cross-entropies, of short rows.
            logarithms_by_lanes: $crate::arguments::Logarithms<T> = "_logarithms_by_lanes",
                $crate::forward::entry::raw::by_lanes::<T, $crate::arguments::Logarithms<T>, V, K>;
            /// Logarithms of softmax, sums of exponentials, and cross-entropies, of rows that a warp holds.
            logarithms_by_warp: $crate::arguments::Logarithms<T> = "_logarithms_by_warp",
                $crate::forward::entry::raw::by_warp::<T, $crate::arguments::Logarithms<T>, V, W>;
            /// Logarithms of softmax, sums of exponentials, and cross-entropies, of rows that a block holds.
            logarithms_by_tile: $crate::arguments::Logarithms<T> = "_logarithms_by_tile",
                $crate::forward::entry::raw::by_tile::<T, $crate::arguments::Logarithms<T>, V, M>;
            /// Logarithms of softmax, sums of exponentials, and cross-entropies, of long rows.
            logarithms_by_block: $crate::arguments::Logarithms<T> = "_logarithms_by_block",
                $crate::forward::entry::raw::by_block::<T, $crate::arguments::Logarithms<T>, V>;
            /// Norms of short rows.
            norm_by_lanes: $crate::arguments::Norm<T> = "_norm_by_lanes",
                $crate::forward::entry::raw::by_lanes::<T, $crate::arguments::Norm<T>, V, K>;
            /// Norms of rows that a warp holds.
            norm_by_warp: $crate::arguments::Norm<T> = "_norm_by_warp",
                $crate::forward::entry::raw::by_warp::<T, $crate::arguments::Norm<T>, V, W>;
            /// Norms of rows that a block holds.
            norm_by_tile: $crate::arguments::Norm<T> = "_norm_by_tile",
                $crate::forward::entry::raw::by_tile::<T, $crate::arguments::Norm<T>, V, M>;
            /// Norms of long rows.
            norm_by_block: $crate::arguments::Norm<T> = "_norm_by_block",
                $crate::forward::entry::raw::by_block::<T, $crate::arguments::Norm<T>, V>;
            /// Gradients of softmax, or of its logarithm, of short rows.
            softmax_gradient_by_lanes: $crate::arguments::SoftmaxGradient<T> = "_softmax_gradient_by_lanes",
                $crate::forward::entry::raw::by_lanes::<T, $crate::arguments::SoftmaxGradient<T>, V, K>;
            /// Gradients of softmax, or of its logarithm, of rows that a warp holds.
            softmax_gradient_by_warp: $crate::arguments::SoftmaxGradient<T> = "_softmax_gradient_by_warp",
                $crate::forward::entry::raw::by_warp::<T, $crate::arguments::SoftmaxGradient<T>, V, W>;
            /// Gradients of softmax, or of its logarithm, of rows that a block holds.
            softmax_gradient_by_tile: $crate::arguments::SoftmaxGradient<T> = "_softmax_gradient_by_tile",
                $crate::forward::entry::raw::by_tile::<T, $crate::arguments::SoftmaxGradient<T>, V, M>;
            /// Gradients of softmax, or of its logarithm, of long rows.
            softmax_gradient_by_block: $crate::arguments::SoftmaxGradient<T> = "_softmax_gradient_by_block",
                $crate::forward::entry::raw::by_block::<T, $crate::arguments::SoftmaxGradient<T>, V>;
            /// Gradients of norms of short rows.
            norm_gradient_by_lanes: $crate::arguments::NormGradient<T> = "_norm_gradient_by_lanes",
                $crate::forward::entry::raw::by_lanes::<T, $crate::arguments::NormGradient<T>, V, K>;
            /// Gradients of norms of rows that a warp holds.
            norm_gradient_by_warp: $crate::arguments::NormGradient<T> = "_norm_gradient_by_warp",
                $crate::forward::entry::raw::by_warp::<T, $crate::arguments::NormGradient<T>, V, W>;
            /// Gradients of norms of rows that a block holds.
            norm_gradient_by_tile: $crate::arguments::NormGradient<T> = "_norm_gradient_by_tile",
                $crate::forward::entry::raw::by_tile::<T, $crate::arguments::NormGradient<T>, V, M>;
            /// Gradients of norms of long rows.
            norm_gradient_by_block: $crate::arguments::NormGradient<T> = "_norm_gradient_by_block",
                $crate::forward::entry::raw::by_block::<T, $crate::arguments::NormGradient<T>, V>;
            /// Gradients of cross-entropies of short rows.
            cross_entropy_gradient_by_lanes: $crate::arguments::CrossEntropyGradient<T> = "_cross_entropy_gradient_by_lanes",
                $crate::forward::entry::raw::by_lanes::<T, $crate::arguments::CrossEntropyGradient<T>, V, K>;
            /// Gradients of cross-entropies of rows that a warp holds.
            cross_entropy_gradient_by_warp: $crate::arguments::CrossEntropyGradient<T> = "_cross_entropy_gradient_by_warp",
                $crate::forward::entry::raw::by_warp::<T, $crate::arguments::CrossEntropyGradient<T>, V, W>;
            /// Gradients of cross-entropies of rows that a block holds.
            cross_entropy_gradient_by_tile: $crate::arguments::CrossEntropyGradient<T> = "_cross_entropy_gradient_by_tile",
                $crate::forward::entry::raw::by_tile::<T, $crate::arguments::CrossEntropyGradient<T>, V, M>;
            /// Gradients of cross-entropies of long rows.
            cross_entropy_gradient_by_block: $crate::arguments::CrossEntropyGradient<T> = "_cross_entropy_gradient_by_block",
                $crate::forward::entry::raw::by_block::<T, $crate::arguments::CrossEntropyGradient<T>, V>;
        }
    };
}
