//! Every (entry, operator, element) for which kernels are shipped, in a list by the operations that have kernels for it. The lines
//! are written from `matrix.txt`: `cargo run -p warpfold-tests --features write --bin write-operators`.
//!
//! Each is in one of three lists: with kernels for every operation, scans included; with all but scans; with kernels that fold
//! one array alone. An operation takes the lists that have kernels for it. docs/operators.md says which pairs have none, and
//! why.

/// Expands `$stamp! { entry: Operator, element; ... }` with one line per pair that folds one array.
///
/// gpu-kernels stamps the entry points from it, and the host library the types that run on a GPU.
#[macro_export]
macro_rules! for_each_kernel {
    ($stamp:ident) => {
        $crate::scanned_pairs! { [many_pairs flat_pairs] $stamp }
    };
}

/// [`for_each_kernel!`](crate::for_each_kernel) for the pairs that also have kernels over many results at once: rows, columns,
/// axes, segments, groups.
#[macro_export]
macro_rules! for_each_rows_kernel {
    ($stamp:ident) => {
        $crate::scanned_pairs! { [many_pairs] $stamp }
    };
}

/// [`for_each_rows_kernel!`](crate::for_each_rows_kernel) for the pairs that also have kernels which scan: operators whose
/// running results are useful.
#[macro_export]
macro_rules! for_each_scan_kernel {
    ($stamp:ident) => {
        $crate::scanned_pairs! { [] $stamp }
    };
}

/// [`for_each_rows_kernel!`](crate::for_each_rows_kernel) for the pairs whose operator has an [atomic instruction](crate::Op::ATOMIC),
/// which have a kernel over groups.
#[macro_export]
macro_rules! for_each_atomic_kernel {
    ($stamp:ident) => {
        $stamp! {
            reduce_sum_bool: $crate::Sum, bool;
            reduce_sum_i8: $crate::Sum, i8;
            reduce_sum_u8: $crate::Sum, u8;
            reduce_sum_i16: $crate::Sum, i16;
            reduce_sum_u16: $crate::Sum, u16;
            reduce_sum_i32: $crate::Sum, i32;
            reduce_sum_u32: $crate::Sum, u32;
            reduce_sum_i64: $crate::Sum, i64;
            reduce_sum_u64: $crate::Sum, u64;
            reduce_sum_i32_in_i32: $crate::SumIn<i32>, i32;
            reduce_min_i8: $crate::Min, i8;
            reduce_min_u8: $crate::Min, u8;
            reduce_min_i16: $crate::Min, i16;
            reduce_min_u16: $crate::Min, u16;
            reduce_min_i32: $crate::Min, i32;
            reduce_min_u32: $crate::Min, u32;
            reduce_min_i64: $crate::Min, i64;
            reduce_min_u64: $crate::Min, u64;
            reduce_min_f16: $crate::Min, $crate::f16;
            reduce_min_bf16: $crate::Min, $crate::bf16;
            reduce_min_f32: $crate::Min, f32;
            reduce_min_f64: $crate::Min, f64;
            reduce_max_i8: $crate::Max, i8;
            reduce_max_u8: $crate::Max, u8;
            reduce_max_i16: $crate::Max, i16;
            reduce_max_u16: $crate::Max, u16;
            reduce_max_i32: $crate::Max, i32;
            reduce_max_u32: $crate::Max, u32;
            reduce_max_i64: $crate::Max, i64;
            reduce_max_u64: $crate::Max, u64;
            reduce_max_f16: $crate::Max, $crate::f16;
            reduce_max_bf16: $crate::Max, $crate::bf16;
            reduce_max_f32: $crate::Max, f32;
            reduce_max_f64: $crate::Max, f64;
            reduce_minimum_i8: $crate::Minimum, i8;
            reduce_minimum_u8: $crate::Minimum, u8;
            reduce_minimum_i16: $crate::Minimum, i16;
            reduce_minimum_u16: $crate::Minimum, u16;
            reduce_minimum_i32: $crate::Minimum, i32;
            reduce_minimum_u32: $crate::Minimum, u32;
            reduce_minimum_i64: $crate::Minimum, i64;
            reduce_minimum_u64: $crate::Minimum, u64;
            reduce_minimum_f16: $crate::Minimum, $crate::f16;
            reduce_minimum_bf16: $crate::Minimum, $crate::bf16;
            reduce_minimum_f32: $crate::Minimum, f32;
            reduce_minimum_f64: $crate::Minimum, f64;
            reduce_maximum_i8: $crate::Maximum, i8;
            reduce_maximum_u8: $crate::Maximum, u8;
            reduce_maximum_i16: $crate::Maximum, i16;
            reduce_maximum_u16: $crate::Maximum, u16;
            reduce_maximum_i32: $crate::Maximum, i32;
            reduce_maximum_u32: $crate::Maximum, u32;
            reduce_maximum_i64: $crate::Maximum, i64;
            reduce_maximum_u64: $crate::Maximum, u64;
            reduce_maximum_f16: $crate::Maximum, $crate::f16;
            reduce_maximum_bf16: $crate::Maximum, $crate::bf16;
            reduce_maximum_f32: $crate::Maximum, f32;
            reduce_maximum_f64: $crate::Maximum, f64;
            reduce_bitand_bool: $crate::BitAnd, bool;
            reduce_bitand_i8: $crate::BitAnd, i8;
            reduce_bitand_u8: $crate::BitAnd, u8;
            reduce_bitand_i16: $crate::BitAnd, i16;
            reduce_bitand_u16: $crate::BitAnd, u16;
            reduce_bitand_i32: $crate::BitAnd, i32;
            reduce_bitand_u32: $crate::BitAnd, u32;
            reduce_bitand_i64: $crate::BitAnd, i64;
            reduce_bitand_u64: $crate::BitAnd, u64;
            reduce_bitor_bool: $crate::BitOr, bool;
            reduce_bitor_i8: $crate::BitOr, i8;
            reduce_bitor_u8: $crate::BitOr, u8;
            reduce_bitor_i16: $crate::BitOr, i16;
            reduce_bitor_u16: $crate::BitOr, u16;
            reduce_bitor_i32: $crate::BitOr, i32;
            reduce_bitor_u32: $crate::BitOr, u32;
            reduce_bitor_i64: $crate::BitOr, i64;
            reduce_bitor_u64: $crate::BitOr, u64;
            reduce_bitxor_bool: $crate::BitXor, bool;
            reduce_bitxor_i8: $crate::BitXor, i8;
            reduce_bitxor_u8: $crate::BitXor, u8;
            reduce_bitxor_i16: $crate::BitXor, i16;
            reduce_bitxor_u16: $crate::BitXor, u16;
            reduce_bitxor_i32: $crate::BitXor, i32;
            reduce_bitxor_u32: $crate::BitXor, u32;
            reduce_bitxor_i64: $crate::BitXor, i64;
            reduce_bitxor_u64: $crate::BitXor, u64;
            reduce_all_bool: $crate::All, bool;
            reduce_all_i8: $crate::All, i8;
            reduce_all_u8: $crate::All, u8;
            reduce_all_i16: $crate::All, i16;
            reduce_all_u16: $crate::All, u16;
            reduce_all_i32: $crate::All, i32;
            reduce_all_u32: $crate::All, u32;
            reduce_all_i64: $crate::All, i64;
            reduce_all_u64: $crate::All, u64;
            reduce_all_f16: $crate::All, $crate::f16;
            reduce_all_bf16: $crate::All, $crate::bf16;
            reduce_all_f32: $crate::All, f32;
            reduce_all_f64: $crate::All, f64;
            reduce_any_bool: $crate::Any, bool;
            reduce_any_i8: $crate::Any, i8;
            reduce_any_u8: $crate::Any, u8;
            reduce_any_i16: $crate::Any, i16;
            reduce_any_u16: $crate::Any, u16;
            reduce_any_i32: $crate::Any, i32;
            reduce_any_u32: $crate::Any, u32;
            reduce_any_i64: $crate::Any, i64;
            reduce_any_u64: $crate::Any, u64;
            reduce_any_f16: $crate::Any, $crate::f16;
            reduce_any_bf16: $crate::Any, $crate::bf16;
            reduce_any_f32: $crate::Any, f32;
            reduce_any_f64: $crate::Any, f64;
            reduce_count_nonzero_bool: $crate::Count<$crate::NonZero>, bool;
            reduce_count_nonzero_i8: $crate::Count<$crate::NonZero>, i8;
            reduce_count_nonzero_u8: $crate::Count<$crate::NonZero>, u8;
            reduce_count_nonzero_i16: $crate::Count<$crate::NonZero>, i16;
            reduce_count_nonzero_u16: $crate::Count<$crate::NonZero>, u16;
            reduce_count_nonzero_i32: $crate::Count<$crate::NonZero>, i32;
            reduce_count_nonzero_u32: $crate::Count<$crate::NonZero>, u32;
            reduce_count_nonzero_i64: $crate::Count<$crate::NonZero>, i64;
            reduce_count_nonzero_u64: $crate::Count<$crate::NonZero>, u64;
            reduce_count_nonzero_f16: $crate::Count<$crate::NonZero>, $crate::f16;
            reduce_count_nonzero_bf16: $crate::Count<$crate::NonZero>, $crate::bf16;
            reduce_count_nonzero_f32: $crate::Count<$crate::NonZero>, f32;
            reduce_count_nonzero_f64: $crate::Count<$crate::NonZero>, f64;
            reduce_count_nan_f16: $crate::Count<$crate::IsNan>, $crate::f16;
            reduce_count_nan_bf16: $crate::Count<$crate::IsNan>, $crate::bf16;
            reduce_count_nan_f32: $crate::Count<$crate::IsNan>, f32;
            reduce_count_nan_f64: $crate::Count<$crate::IsNan>, f64;
            reduce_count_above_f32: $crate::Count<$crate::Above<f32>>, f32;
            reduce_count_above_f64: $crate::Count<$crate::Above<f64>>, f64;
            reduce_count_below_f32: $crate::Count<$crate::Below<f32>>, f32;
            reduce_count_below_f64: $crate::Count<$crate::Below<f64>>, f64;
            reduce_count_within_f32: $crate::Count<$crate::Within<f32>>, f32;
            reduce_count_within_f64: $crate::Count<$crate::Within<f64>>, f64;
        }
    };
}

/// [`for_each_kernel!`](crate::for_each_kernel) for operators over two arrays: `entry: Operator, element;` with the element of
/// each array.
#[macro_export]
macro_rules! for_each_zip_kernel {
    ($stamp:ident) => {
        $stamp! {
            reduce_dot_i32: $crate::Dot, i32;
            reduce_dot_u32: $crate::Dot, u32;
            reduce_dot_i64: $crate::Dot, i64;
            reduce_dot_u64: $crate::Dot, u64;
            reduce_dot_f32: $crate::Dot, f32;
            reduce_dot_f64: $crate::Dot, f64;
            reduce_accurate_dot_f32: $crate::AccurateDot, f32;
            reduce_accurate_dot_f64: $crate::AccurateDot, f64;
            reduce_squared_distance_f32: $crate::SquaredDistance, f32;
            reduce_squared_distance_f64: $crate::SquaredDistance, f64;
            reduce_weighted_mean_f32: $crate::WeightedMean, f32;
            reduce_weighted_mean_f64: $crate::WeightedMean, f64;
        }
    };
}

/// The pairs that have kernels for every operation, then those of the named lists in turn.
#[doc(hidden)]
#[macro_export]
macro_rules! scanned_pairs {
    ([$next:ident $($then:ident)*] $stamp:ident $($rows:tt)*) => {
        $crate::scanned_pairs! { @rows [[$($then)*] $stamp $($rows)*] $crate::$next }
    };
    ([] $stamp:ident $($rows:tt)*) => {
        $crate::scanned_pairs! { @rows [$($rows)*] $stamp }
    };
    (@rows [$($before:tt)*] $($stamp:tt)*) => {
        $($stamp)*! {
            $($before)*
            reduce_sum_bool: $crate::Sum, bool;
            reduce_sum_i8: $crate::Sum, i8;
            reduce_sum_u8: $crate::Sum, u8;
            reduce_sum_i16: $crate::Sum, i16;
            reduce_sum_u16: $crate::Sum, u16;
            reduce_sum_i32: $crate::Sum, i32;
            reduce_sum_u32: $crate::Sum, u32;
            reduce_sum_i64: $crate::Sum, i64;
            reduce_sum_u64: $crate::Sum, u64;
            reduce_sum_f16: $crate::Sum, $crate::f16;
            reduce_sum_bf16: $crate::Sum, $crate::bf16;
            reduce_sum_f32: $crate::Sum, f32;
            reduce_sum_f64: $crate::Sum, f64;
            reduce_sum_c32: $crate::Sum, $crate::Complex<f32>;
            reduce_sum_c64: $crate::Sum, $crate::Complex<f64>;
            reduce_sum_i32_in_i32: $crate::SumIn<i32>, i32;
            reduce_sum_f32_in_f64: $crate::SumIn<f64>, f32;
            reduce_product_i32: $crate::Product, i32;
            reduce_product_u32: $crate::Product, u32;
            reduce_product_i64: $crate::Product, i64;
            reduce_product_u64: $crate::Product, u64;
            reduce_product_f16: $crate::Product, $crate::f16;
            reduce_product_bf16: $crate::Product, $crate::bf16;
            reduce_product_f32: $crate::Product, f32;
            reduce_product_f64: $crate::Product, f64;
            reduce_min_i8: $crate::Min, i8;
            reduce_min_u8: $crate::Min, u8;
            reduce_min_i16: $crate::Min, i16;
            reduce_min_u16: $crate::Min, u16;
            reduce_min_i32: $crate::Min, i32;
            reduce_min_u32: $crate::Min, u32;
            reduce_min_i64: $crate::Min, i64;
            reduce_min_u64: $crate::Min, u64;
            reduce_min_f16: $crate::Min, $crate::f16;
            reduce_min_bf16: $crate::Min, $crate::bf16;
            reduce_min_f32: $crate::Min, f32;
            reduce_min_f64: $crate::Min, f64;
            reduce_max_i8: $crate::Max, i8;
            reduce_max_u8: $crate::Max, u8;
            reduce_max_i16: $crate::Max, i16;
            reduce_max_u16: $crate::Max, u16;
            reduce_max_i32: $crate::Max, i32;
            reduce_max_u32: $crate::Max, u32;
            reduce_max_i64: $crate::Max, i64;
            reduce_max_u64: $crate::Max, u64;
            reduce_max_f16: $crate::Max, $crate::f16;
            reduce_max_bf16: $crate::Max, $crate::bf16;
            reduce_max_f32: $crate::Max, f32;
            reduce_max_f64: $crate::Max, f64;
            reduce_minimum_i8: $crate::Minimum, i8;
            reduce_minimum_u8: $crate::Minimum, u8;
            reduce_minimum_i16: $crate::Minimum, i16;
            reduce_minimum_u16: $crate::Minimum, u16;
            reduce_minimum_i32: $crate::Minimum, i32;
            reduce_minimum_u32: $crate::Minimum, u32;
            reduce_minimum_i64: $crate::Minimum, i64;
            reduce_minimum_u64: $crate::Minimum, u64;
            reduce_minimum_f16: $crate::Minimum, $crate::f16;
            reduce_minimum_bf16: $crate::Minimum, $crate::bf16;
            reduce_minimum_f32: $crate::Minimum, f32;
            reduce_minimum_f64: $crate::Minimum, f64;
            reduce_maximum_i8: $crate::Maximum, i8;
            reduce_maximum_u8: $crate::Maximum, u8;
            reduce_maximum_i16: $crate::Maximum, i16;
            reduce_maximum_u16: $crate::Maximum, u16;
            reduce_maximum_i32: $crate::Maximum, i32;
            reduce_maximum_u32: $crate::Maximum, u32;
            reduce_maximum_i64: $crate::Maximum, i64;
            reduce_maximum_u64: $crate::Maximum, u64;
            reduce_maximum_f16: $crate::Maximum, $crate::f16;
            reduce_maximum_bf16: $crate::Maximum, $crate::bf16;
            reduce_maximum_f32: $crate::Maximum, f32;
            reduce_maximum_f64: $crate::Maximum, f64;
            reduce_argmin_i32: $crate::ArgMin, i32;
            reduce_argmin_u32: $crate::ArgMin, u32;
            reduce_argmin_i64: $crate::ArgMin, i64;
            reduce_argmin_u64: $crate::ArgMin, u64;
            reduce_argmin_f32: $crate::ArgMin, f32;
            reduce_argmin_f64: $crate::ArgMin, f64;
            reduce_argmax_i32: $crate::ArgMax, i32;
            reduce_argmax_u32: $crate::ArgMax, u32;
            reduce_argmax_i64: $crate::ArgMax, i64;
            reduce_argmax_u64: $crate::ArgMax, u64;
            reduce_argmax_f32: $crate::ArgMax, f32;
            reduce_argmax_f64: $crate::ArgMax, f64;
            reduce_mean_i32: $crate::Mean, i32;
            reduce_mean_u32: $crate::Mean, u32;
            reduce_mean_i64: $crate::Mean, i64;
            reduce_mean_u64: $crate::Mean, u64;
            reduce_mean_f16: $crate::Mean, $crate::f16;
            reduce_mean_bf16: $crate::Mean, $crate::bf16;
            reduce_mean_f32: $crate::Mean, f32;
            reduce_mean_f64: $crate::Mean, f64;
            reduce_bitand_i32: $crate::BitAnd, i32;
            reduce_bitand_u32: $crate::BitAnd, u32;
            reduce_bitand_i64: $crate::BitAnd, i64;
            reduce_bitand_u64: $crate::BitAnd, u64;
            reduce_bitor_i32: $crate::BitOr, i32;
            reduce_bitor_u32: $crate::BitOr, u32;
            reduce_bitor_i64: $crate::BitOr, i64;
            reduce_bitor_u64: $crate::BitOr, u64;
            reduce_bitxor_i32: $crate::BitXor, i32;
            reduce_bitxor_u32: $crate::BitXor, u32;
            reduce_bitxor_i64: $crate::BitXor, i64;
            reduce_bitxor_u64: $crate::BitXor, u64;
            reduce_all_bool: $crate::All, bool;
            reduce_any_bool: $crate::Any, bool;
            reduce_count_nonzero_bool: $crate::Count<$crate::NonZero>, bool;
            reduce_count_nonzero_i8: $crate::Count<$crate::NonZero>, i8;
            reduce_count_nonzero_u8: $crate::Count<$crate::NonZero>, u8;
            reduce_count_nonzero_i16: $crate::Count<$crate::NonZero>, i16;
            reduce_count_nonzero_u16: $crate::Count<$crate::NonZero>, u16;
            reduce_count_nonzero_i32: $crate::Count<$crate::NonZero>, i32;
            reduce_count_nonzero_u32: $crate::Count<$crate::NonZero>, u32;
            reduce_count_nonzero_i64: $crate::Count<$crate::NonZero>, i64;
            reduce_count_nonzero_u64: $crate::Count<$crate::NonZero>, u64;
            reduce_count_nonzero_f16: $crate::Count<$crate::NonZero>, $crate::f16;
            reduce_count_nonzero_bf16: $crate::Count<$crate::NonZero>, $crate::bf16;
            reduce_count_nonzero_f32: $crate::Count<$crate::NonZero>, f32;
            reduce_count_nonzero_f64: $crate::Count<$crate::NonZero>, f64;
            reduce_count_above_f32: $crate::Count<$crate::Above<f32>>, f32;
            reduce_last_f32: $crate::Last, f32;
            reduce_compose_u64: $crate::Compose, $crate::Affine<u64>;
            reduce_matrix_product_u64: $crate::MatrixProduct, $crate::Matrix2<u64>;
            reduce_polynomial_hash_u8: $crate::PolynomialHash, u8;
        }
    };
}

/// The pairs that have kernels over many results at once, and do not scan.
#[doc(hidden)]
#[macro_export]
macro_rules! many_pairs {
    ([$next:ident $($then:ident)*] $stamp:ident $($rows:tt)*) => {
        $crate::many_pairs! { @rows [[$($then)*] $stamp $($rows)*] $crate::$next }
    };
    ([] $stamp:ident $($rows:tt)*) => {
        $crate::many_pairs! { @rows [$($rows)*] $stamp }
    };
    (@rows [$($before:tt)*] $($stamp:tt)*) => {
        $($stamp)*! {
            $($before)*
            reduce_exact_sum_f32: $crate::ExactSum, f32;
            reduce_sum_i64_in_i128: $crate::SumIn<i128>, i64;
            reduce_sum_f16_in_f32: $crate::SumIn<f32>, $crate::f16;
            reduce_sum_bf16_in_f32: $crate::SumIn<f32>, $crate::bf16;
            reduce_product_i8: $crate::Product, i8;
            reduce_product_u8: $crate::Product, u8;
            reduce_product_i16: $crate::Product, i16;
            reduce_product_u16: $crate::Product, u16;
            reduce_product_f32_in_f64: $crate::ProductIn<f64>, f32;
            reduce_argmin_i8: $crate::ArgMin, i8;
            reduce_argmin_u8: $crate::ArgMin, u8;
            reduce_argmin_i16: $crate::ArgMin, i16;
            reduce_argmin_u16: $crate::ArgMin, u16;
            reduce_argmin_f16: $crate::ArgMin, $crate::f16;
            reduce_argmin_bf16: $crate::ArgMin, $crate::bf16;
            reduce_argmax_i8: $crate::ArgMax, i8;
            reduce_argmax_u8: $crate::ArgMax, u8;
            reduce_argmax_i16: $crate::ArgMax, i16;
            reduce_argmax_u16: $crate::ArgMax, u16;
            reduce_argmax_f16: $crate::ArgMax, $crate::f16;
            reduce_argmax_bf16: $crate::ArgMax, $crate::bf16;
            reduce_sum_of_squares_i32: $crate::SumOfSquares, i32;
            reduce_sum_of_squares_u32: $crate::SumOfSquares, u32;
            reduce_sum_of_squares_i64: $crate::SumOfSquares, i64;
            reduce_sum_of_squares_u64: $crate::SumOfSquares, u64;
            reduce_sum_of_squares_f16: $crate::SumOfSquares, $crate::f16;
            reduce_sum_of_squares_bf16: $crate::SumOfSquares, $crate::bf16;
            reduce_sum_of_squares_f32: $crate::SumOfSquares, f32;
            reduce_sum_of_squares_f64: $crate::SumOfSquares, f64;
            reduce_norm1_i32: $crate::Norm1, i32;
            reduce_norm1_u32: $crate::Norm1, u32;
            reduce_norm1_i64: $crate::Norm1, i64;
            reduce_norm1_u64: $crate::Norm1, u64;
            reduce_norm1_f16: $crate::Norm1, $crate::f16;
            reduce_norm1_bf16: $crate::Norm1, $crate::bf16;
            reduce_norm1_f32: $crate::Norm1, f32;
            reduce_norm1_f64: $crate::Norm1, f64;
            reduce_norm2_i32: $crate::Norm2, i32;
            reduce_norm2_u32: $crate::Norm2, u32;
            reduce_norm2_i64: $crate::Norm2, i64;
            reduce_norm2_u64: $crate::Norm2, u64;
            reduce_norm2_f16: $crate::Norm2, $crate::f16;
            reduce_norm2_bf16: $crate::Norm2, $crate::bf16;
            reduce_norm2_f32: $crate::Norm2, f32;
            reduce_norm2_f64: $crate::Norm2, f64;
            reduce_norminf_i32: $crate::NormInf, i32;
            reduce_norminf_u32: $crate::NormInf, u32;
            reduce_norminf_i64: $crate::NormInf, i64;
            reduce_norminf_u64: $crate::NormInf, u64;
            reduce_norminf_f16: $crate::NormInf, $crate::f16;
            reduce_norminf_bf16: $crate::NormInf, $crate::bf16;
            reduce_norminf_f32: $crate::NormInf, f32;
            reduce_norminf_f64: $crate::NormInf, f64;
            reduce_centred_squares_f32: $crate::CentredSquares<f32>, f32;
            reduce_centred_squares_f64: $crate::CentredSquares<f64>, f64;
            reduce_mean_bool: $crate::Mean, bool;
            reduce_mean_i8: $crate::Mean, i8;
            reduce_mean_u8: $crate::Mean, u8;
            reduce_mean_i16: $crate::Mean, i16;
            reduce_mean_u16: $crate::Mean, u16;
            reduce_variance_i8: $crate::Variance, i8;
            reduce_variance_u8: $crate::Variance, u8;
            reduce_variance_i16: $crate::Variance, i16;
            reduce_variance_u16: $crate::Variance, u16;
            reduce_variance_i32: $crate::Variance, i32;
            reduce_variance_u32: $crate::Variance, u32;
            reduce_variance_i64: $crate::Variance, i64;
            reduce_variance_u64: $crate::Variance, u64;
            reduce_variance_f16: $crate::Variance, $crate::f16;
            reduce_variance_bf16: $crate::Variance, $crate::bf16;
            reduce_variance_f32: $crate::Variance, f32;
            reduce_variance_f64: $crate::Variance, f64;
            reduce_sample_variance_i8: $crate::SampleVariance, i8;
            reduce_sample_variance_u8: $crate::SampleVariance, u8;
            reduce_sample_variance_i16: $crate::SampleVariance, i16;
            reduce_sample_variance_u16: $crate::SampleVariance, u16;
            reduce_sample_variance_i32: $crate::SampleVariance, i32;
            reduce_sample_variance_u32: $crate::SampleVariance, u32;
            reduce_sample_variance_i64: $crate::SampleVariance, i64;
            reduce_sample_variance_u64: $crate::SampleVariance, u64;
            reduce_sample_variance_f16: $crate::SampleVariance, $crate::f16;
            reduce_sample_variance_bf16: $crate::SampleVariance, $crate::bf16;
            reduce_sample_variance_f32: $crate::SampleVariance, f32;
            reduce_sample_variance_f64: $crate::SampleVariance, f64;
            reduce_stddev_i8: $crate::StdDev, i8;
            reduce_stddev_u8: $crate::StdDev, u8;
            reduce_stddev_i16: $crate::StdDev, i16;
            reduce_stddev_u16: $crate::StdDev, u16;
            reduce_stddev_i32: $crate::StdDev, i32;
            reduce_stddev_u32: $crate::StdDev, u32;
            reduce_stddev_i64: $crate::StdDev, i64;
            reduce_stddev_u64: $crate::StdDev, u64;
            reduce_stddev_f16: $crate::StdDev, $crate::f16;
            reduce_stddev_bf16: $crate::StdDev, $crate::bf16;
            reduce_stddev_f32: $crate::StdDev, f32;
            reduce_stddev_f64: $crate::StdDev, f64;
            reduce_sample_stddev_i8: $crate::SampleStdDev, i8;
            reduce_sample_stddev_u8: $crate::SampleStdDev, u8;
            reduce_sample_stddev_i16: $crate::SampleStdDev, i16;
            reduce_sample_stddev_u16: $crate::SampleStdDev, u16;
            reduce_sample_stddev_i32: $crate::SampleStdDev, i32;
            reduce_sample_stddev_u32: $crate::SampleStdDev, u32;
            reduce_sample_stddev_i64: $crate::SampleStdDev, i64;
            reduce_sample_stddev_u64: $crate::SampleStdDev, u64;
            reduce_sample_stddev_f16: $crate::SampleStdDev, $crate::f16;
            reduce_sample_stddev_bf16: $crate::SampleStdDev, $crate::bf16;
            reduce_sample_stddev_f32: $crate::SampleStdDev, f32;
            reduce_sample_stddev_f64: $crate::SampleStdDev, f64;
            reduce_accurate_sum_f32: $crate::AccurateSum, f32;
            reduce_accurate_sum_f64: $crate::AccurateSum, f64;
            reduce_minmax_i8: $crate::MinMax, i8;
            reduce_minmax_u8: $crate::MinMax, u8;
            reduce_minmax_i16: $crate::MinMax, i16;
            reduce_minmax_u16: $crate::MinMax, u16;
            reduce_minmax_i32: $crate::MinMax, i32;
            reduce_minmax_u32: $crate::MinMax, u32;
            reduce_minmax_i64: $crate::MinMax, i64;
            reduce_minmax_u64: $crate::MinMax, u64;
            reduce_minmax_f16: $crate::MinMax, $crate::f16;
            reduce_minmax_bf16: $crate::MinMax, $crate::bf16;
            reduce_minmax_f32: $crate::MinMax, f32;
            reduce_minmax_f64: $crate::MinMax, f64;
            reduce_argminmax_i32: $crate::ArgMinMax, i32;
            reduce_argminmax_u32: $crate::ArgMinMax, u32;
            reduce_argminmax_i64: $crate::ArgMinMax, i64;
            reduce_argminmax_u64: $crate::ArgMinMax, u64;
            reduce_argminmax_f32: $crate::ArgMinMax, f32;
            reduce_argminmax_f64: $crate::ArgMinMax, f64;
            reduce_bitand_bool: $crate::BitAnd, bool;
            reduce_bitand_i8: $crate::BitAnd, i8;
            reduce_bitand_u8: $crate::BitAnd, u8;
            reduce_bitand_i16: $crate::BitAnd, i16;
            reduce_bitand_u16: $crate::BitAnd, u16;
            reduce_bitor_bool: $crate::BitOr, bool;
            reduce_bitor_i8: $crate::BitOr, i8;
            reduce_bitor_u8: $crate::BitOr, u8;
            reduce_bitor_i16: $crate::BitOr, i16;
            reduce_bitor_u16: $crate::BitOr, u16;
            reduce_bitxor_bool: $crate::BitXor, bool;
            reduce_bitxor_i8: $crate::BitXor, i8;
            reduce_bitxor_u8: $crate::BitXor, u8;
            reduce_bitxor_i16: $crate::BitXor, i16;
            reduce_bitxor_u16: $crate::BitXor, u16;
            reduce_all_i8: $crate::All, i8;
            reduce_all_u8: $crate::All, u8;
            reduce_all_i16: $crate::All, i16;
            reduce_all_u16: $crate::All, u16;
            reduce_all_i32: $crate::All, i32;
            reduce_all_u32: $crate::All, u32;
            reduce_all_i64: $crate::All, i64;
            reduce_all_u64: $crate::All, u64;
            reduce_all_f16: $crate::All, $crate::f16;
            reduce_all_bf16: $crate::All, $crate::bf16;
            reduce_all_f32: $crate::All, f32;
            reduce_all_f64: $crate::All, f64;
            reduce_any_i8: $crate::Any, i8;
            reduce_any_u8: $crate::Any, u8;
            reduce_any_i16: $crate::Any, i16;
            reduce_any_u16: $crate::Any, u16;
            reduce_any_i32: $crate::Any, i32;
            reduce_any_u32: $crate::Any, u32;
            reduce_any_i64: $crate::Any, i64;
            reduce_any_u64: $crate::Any, u64;
            reduce_any_f16: $crate::Any, $crate::f16;
            reduce_any_bf16: $crate::Any, $crate::bf16;
            reduce_any_f32: $crate::Any, f32;
            reduce_any_f64: $crate::Any, f64;
            reduce_count_nan_f16: $crate::Count<$crate::IsNan>, $crate::f16;
            reduce_count_nan_bf16: $crate::Count<$crate::IsNan>, $crate::bf16;
            reduce_count_nan_f32: $crate::Count<$crate::IsNan>, f32;
            reduce_count_nan_f64: $crate::Count<$crate::IsNan>, f64;
            reduce_count_above_f64: $crate::Count<$crate::Above<f64>>, f64;
            reduce_count_below_f32: $crate::Count<$crate::Below<f32>>, f32;
            reduce_count_below_f64: $crate::Count<$crate::Below<f64>>, f64;
            reduce_count_within_f32: $crate::Count<$crate::Within<f32>>, f32;
            reduce_count_within_f64: $crate::Count<$crate::Within<f64>>, f64;
            reduce_min_max_sum_i32: ($crate::Min, $crate::Max, $crate::Sum), i32;
            reduce_min_max_sum_u32: ($crate::Min, $crate::Max, $crate::Sum), u32;
            reduce_min_max_sum_i64: ($crate::Min, $crate::Max, $crate::Sum), i64;
            reduce_min_max_sum_u64: ($crate::Min, $crate::Max, $crate::Sum), u64;
            reduce_min_max_sum_f32: ($crate::Min, $crate::Max, $crate::Sum), f32;
            reduce_min_max_sum_f64: ($crate::Min, $crate::Max, $crate::Sum), f64;
            reduce_min_max_mean_i32: ($crate::Min, $crate::Max, $crate::Mean), i32;
            reduce_min_max_mean_u32: ($crate::Min, $crate::Max, $crate::Mean), u32;
            reduce_min_max_mean_i64: ($crate::Min, $crate::Max, $crate::Mean), i64;
            reduce_min_max_mean_u64: ($crate::Min, $crate::Max, $crate::Mean), u64;
            reduce_min_max_mean_f32: ($crate::Min, $crate::Max, $crate::Mean), f32;
            reduce_min_max_mean_f64: ($crate::Min, $crate::Max, $crate::Mean), f64;
            reduce_min_max_variance_f32: ($crate::Min, $crate::Max, $crate::Variance), f32;
            reduce_min_max_variance_f64: ($crate::Min, $crate::Max, $crate::Variance), f64;
            reduce_mean_variance_f32: ($crate::Mean, $crate::Variance), f32;
            reduce_mean_variance_f64: ($crate::Mean, $crate::Variance), f64;
            reduce_mean_stddev_f32: ($crate::Mean, $crate::StdDev), f32;
            reduce_mean_stddev_f64: ($crate::Mean, $crate::StdDev), f64;
            reduce_sum_and_squares_f32: ($crate::Sum, $crate::SumOfSquares), f32;
            reduce_sum_and_squares_f64: ($crate::Sum, $crate::SumOfSquares), f64;
            reduce_first_bool: $crate::First, bool;
            reduce_first_i8: $crate::First, i8;
            reduce_first_u8: $crate::First, u8;
            reduce_first_i16: $crate::First, i16;
            reduce_first_u16: $crate::First, u16;
            reduce_first_i32: $crate::First, i32;
            reduce_first_u32: $crate::First, u32;
            reduce_first_i64: $crate::First, i64;
            reduce_first_u64: $crate::First, u64;
            reduce_first_f16: $crate::First, $crate::f16;
            reduce_first_bf16: $crate::First, $crate::bf16;
            reduce_first_f32: $crate::First, f32;
            reduce_first_f64: $crate::First, f64;
            reduce_last_bool: $crate::Last, bool;
            reduce_last_i8: $crate::Last, i8;
            reduce_last_u8: $crate::Last, u8;
            reduce_last_i16: $crate::Last, i16;
            reduce_last_u16: $crate::Last, u16;
            reduce_last_i32: $crate::Last, i32;
            reduce_last_u32: $crate::Last, u32;
            reduce_last_i64: $crate::Last, i64;
            reduce_last_u64: $crate::Last, u64;
            reduce_last_f16: $crate::Last, $crate::f16;
            reduce_last_bf16: $crate::Last, $crate::bf16;
            reduce_last_f64: $crate::Last, f64;
            reduce_compose_u32: $crate::Compose, $crate::Affine<u32>;
            reduce_matrix_product_u32: $crate::MatrixProduct, $crate::Matrix2<u32>;
        }
    };
}

/// The pairs that fold one array only.
#[doc(hidden)]
#[macro_export]
macro_rules! flat_pairs {
    ([$next:ident $($then:ident)*] $stamp:ident $($rows:tt)*) => {
        $crate::flat_pairs! { @rows [[$($then)*] $stamp $($rows)*] $crate::$next }
    };
    ([] $stamp:ident $($rows:tt)*) => {
        $crate::flat_pairs! { @rows [$($rows)*] $stamp }
    };
    (@rows [$($before:tt)*] $($stamp:tt)*) => {
        $($stamp)*! {
            $($before)*
            reduce_sum_i128: $crate::Sum, i128;
            reduce_sum_u128: $crate::Sum, u128;
            reduce_product_c32: $crate::Product, $crate::Complex<f32>;
            reduce_product_c64: $crate::Product, $crate::Complex<f64>;
            reduce_min_i128: $crate::Min, i128;
            reduce_min_u128: $crate::Min, u128;
            reduce_max_i128: $crate::Max, i128;
            reduce_max_u128: $crate::Max, u128;
            reduce_minimum_i128: $crate::Minimum, i128;
            reduce_minimum_u128: $crate::Minimum, u128;
            reduce_maximum_i128: $crate::Maximum, i128;
            reduce_maximum_u128: $crate::Maximum, u128;
            reduce_sum_of_squares_i8: $crate::SumOfSquares, i8;
            reduce_sum_of_squares_u8: $crate::SumOfSquares, u8;
            reduce_sum_of_squares_i16: $crate::SumOfSquares, i16;
            reduce_sum_of_squares_u16: $crate::SumOfSquares, u16;
            reduce_norm1_i8: $crate::Norm1, i8;
            reduce_norm1_u8: $crate::Norm1, u8;
            reduce_norm1_i16: $crate::Norm1, i16;
            reduce_norm1_u16: $crate::Norm1, u16;
            reduce_norm2_i8: $crate::Norm2, i8;
            reduce_norm2_u8: $crate::Norm2, u8;
            reduce_norm2_i16: $crate::Norm2, i16;
            reduce_norm2_u16: $crate::Norm2, u16;
            reduce_norminf_i8: $crate::NormInf, i8;
            reduce_norminf_u8: $crate::NormInf, u8;
            reduce_norminf_i16: $crate::NormInf, i16;
            reduce_norminf_u16: $crate::NormInf, u16;
            reduce_count_above_i8: $crate::Count<$crate::Above<i8>>, i8;
            reduce_count_above_u8: $crate::Count<$crate::Above<u8>>, u8;
            reduce_count_above_i16: $crate::Count<$crate::Above<i16>>, i16;
            reduce_count_above_u16: $crate::Count<$crate::Above<u16>>, u16;
            reduce_count_above_i32: $crate::Count<$crate::Above<i32>>, i32;
            reduce_count_above_u32: $crate::Count<$crate::Above<u32>>, u32;
            reduce_count_above_i64: $crate::Count<$crate::Above<i64>>, i64;
            reduce_count_above_u64: $crate::Count<$crate::Above<u64>>, u64;
            reduce_count_above_f16: $crate::Count<$crate::Above<$crate::f16>>, $crate::f16;
            reduce_count_above_bf16: $crate::Count<$crate::Above<$crate::bf16>>, $crate::bf16;
            reduce_count_below_i8: $crate::Count<$crate::Below<i8>>, i8;
            reduce_count_below_u8: $crate::Count<$crate::Below<u8>>, u8;
            reduce_count_below_i16: $crate::Count<$crate::Below<i16>>, i16;
            reduce_count_below_u16: $crate::Count<$crate::Below<u16>>, u16;
            reduce_count_below_i32: $crate::Count<$crate::Below<i32>>, i32;
            reduce_count_below_u32: $crate::Count<$crate::Below<u32>>, u32;
            reduce_count_below_i64: $crate::Count<$crate::Below<i64>>, i64;
            reduce_count_below_u64: $crate::Count<$crate::Below<u64>>, u64;
            reduce_count_below_f16: $crate::Count<$crate::Below<$crate::f16>>, $crate::f16;
            reduce_count_below_bf16: $crate::Count<$crate::Below<$crate::bf16>>, $crate::bf16;
            reduce_count_within_i8: $crate::Count<$crate::Within<i8>>, i8;
            reduce_count_within_u8: $crate::Count<$crate::Within<u8>>, u8;
            reduce_count_within_i16: $crate::Count<$crate::Within<i16>>, i16;
            reduce_count_within_u16: $crate::Count<$crate::Within<u16>>, u16;
            reduce_count_within_i32: $crate::Count<$crate::Within<i32>>, i32;
            reduce_count_within_u32: $crate::Count<$crate::Within<u32>>, u32;
            reduce_count_within_i64: $crate::Count<$crate::Within<i64>>, i64;
            reduce_count_within_u64: $crate::Count<$crate::Within<u64>>, u64;
            reduce_count_within_f16: $crate::Count<$crate::Within<$crate::f16>>, $crate::f16;
            reduce_count_within_bf16: $crate::Count<$crate::Within<$crate::bf16>>, $crate::bf16;
        }
    };
}
