//! The operators over formulas that have kernels, each with a mark in the place of the formula.

/// Expands `$stamp! { entry: Operator, element; ... }` with one line for each operator over a formula from an element to a result of the
/// same type, or to an `Option` of it, for sums and means in f64 of f32, and for counts by a formula. Integers have fewer of them, and sums of
/// squares are sums of a formula that multiplies where there may be no result, to keep the package small.
#[macro_export]
macro_rules! for_each_formula_kernel {
    ($stamp:ident) => {
        $stamp! {
            formula_sum_i32: $crate::formula::Mapped<$crate::Sum, $crate::formula::Mark<i32, i32>>, i32;
            formula_sum_u32: $crate::formula::Mapped<$crate::Sum, $crate::formula::Mark<u32, u32>>, u32;
            formula_sum_i64: $crate::formula::Mapped<$crate::Sum, $crate::formula::Mark<i64, i64>>, i64;
            formula_sum_u64: $crate::formula::Mapped<$crate::Sum, $crate::formula::Mark<u64, u64>>, u64;
            formula_sum_f32: $crate::formula::Mapped<$crate::Sum, $crate::formula::Mark<f32, f32>>, f32;
            formula_sum_f64: $crate::formula::Mapped<$crate::Sum, $crate::formula::Mark<f64, f64>>, f64;
            formula_sum_f32_in_f64: $crate::formula::Mapped<$crate::Sum, $crate::formula::Mark<f32, f64>>, f32;
            formula_min_i32: $crate::formula::Mapped<$crate::Min, $crate::formula::Mark<i32, i32>>, i32;
            formula_min_u32: $crate::formula::Mapped<$crate::Min, $crate::formula::Mark<u32, u32>>, u32;
            formula_min_f32: $crate::formula::Mapped<$crate::Min, $crate::formula::Mark<f32, f32>>, f32;
            formula_min_f64: $crate::formula::Mapped<$crate::Min, $crate::formula::Mark<f64, f64>>, f64;
            formula_max_i32: $crate::formula::Mapped<$crate::Max, $crate::formula::Mark<i32, i32>>, i32;
            formula_max_u32: $crate::formula::Mapped<$crate::Max, $crate::formula::Mark<u32, u32>>, u32;
            formula_max_f32: $crate::formula::Mapped<$crate::Max, $crate::formula::Mark<f32, f32>>, f32;
            formula_max_f64: $crate::formula::Mapped<$crate::Max, $crate::formula::Mark<f64, f64>>, f64;
            formula_mean_i32: $crate::formula::Mapped<$crate::Mean, $crate::formula::Mark<i32, i32>>, i32;
            formula_mean_u32: $crate::formula::Mapped<$crate::Mean, $crate::formula::Mark<u32, u32>>, u32;
            formula_mean_f32: $crate::formula::Mapped<$crate::Mean, $crate::formula::Mark<f32, f32>>, f32;
            formula_mean_f64: $crate::formula::Mapped<$crate::Mean, $crate::formula::Mark<f64, f64>>, f64;
            formula_mean_f32_in_f64: $crate::formula::Mapped<$crate::Mean, $crate::formula::Mark<f32, f64>>, f32;
            formula_variance_f32: $crate::formula::Mapped<$crate::Variance, $crate::formula::Mark<f32, f32>>, f32;
            formula_variance_f64: $crate::formula::Mapped<$crate::Variance, $crate::formula::Mark<f64, f64>>, f64;
            formula_sum_of_squares_f32: $crate::formula::Mapped<$crate::SumOfSquares, $crate::formula::Mark<f32, f32>>, f32;
            formula_sum_of_squares_f64: $crate::formula::Mapped<$crate::SumOfSquares, $crate::formula::Mark<f64, f64>>, f64;
            formula_argmin_f32: $crate::formula::Mapped<$crate::ArgMin, $crate::formula::Mark<f32, f32>>, f32;
            formula_argmin_f64: $crate::formula::Mapped<$crate::ArgMin, $crate::formula::Mark<f64, f64>>, f64;
            formula_argmax_f32: $crate::formula::Mapped<$crate::ArgMax, $crate::formula::Mark<f32, f32>>, f32;
            formula_argmax_f64: $crate::formula::Mapped<$crate::ArgMax, $crate::formula::Mark<f64, f64>>, f64;
            formula_count_i32: $crate::Count<$crate::formula::Mark<i32, bool>>, i32;
            formula_count_u32: $crate::Count<$crate::formula::Mark<u32, bool>>, u32;
            formula_count_i64: $crate::Count<$crate::formula::Mark<i64, bool>>, i64;
            formula_count_u64: $crate::Count<$crate::formula::Mark<u64, bool>>, u64;
            formula_count_f32: $crate::Count<$crate::formula::Mark<f32, bool>>, f32;
            formula_count_f64: $crate::Count<$crate::formula::Mark<f64, bool>>, f64;
            formula_sum_i32_some: $crate::formula::Mapped<$crate::Sum, $crate::formula::Mark<i32, Option<i32>>>, i32;
            formula_sum_u32_some: $crate::formula::Mapped<$crate::Sum, $crate::formula::Mark<u32, Option<u32>>>, u32;
            formula_sum_i64_some: $crate::formula::Mapped<$crate::Sum, $crate::formula::Mark<i64, Option<i64>>>, i64;
            formula_sum_u64_some: $crate::formula::Mapped<$crate::Sum, $crate::formula::Mark<u64, Option<u64>>>, u64;
            formula_sum_f32_some: $crate::formula::Mapped<$crate::Sum, $crate::formula::Mark<f32, Option<f32>>>, f32;
            formula_sum_f64_some: $crate::formula::Mapped<$crate::Sum, $crate::formula::Mark<f64, Option<f64>>>, f64;
            formula_min_i32_some: $crate::formula::Mapped<$crate::Min, $crate::formula::Mark<i32, Option<i32>>>, i32;
            formula_min_u32_some: $crate::formula::Mapped<$crate::Min, $crate::formula::Mark<u32, Option<u32>>>, u32;
            formula_min_f32_some: $crate::formula::Mapped<$crate::Min, $crate::formula::Mark<f32, Option<f32>>>, f32;
            formula_min_f64_some: $crate::formula::Mapped<$crate::Min, $crate::formula::Mark<f64, Option<f64>>>, f64;
            formula_max_i32_some: $crate::formula::Mapped<$crate::Max, $crate::formula::Mark<i32, Option<i32>>>, i32;
            formula_max_u32_some: $crate::formula::Mapped<$crate::Max, $crate::formula::Mark<u32, Option<u32>>>, u32;
            formula_max_f32_some: $crate::formula::Mapped<$crate::Max, $crate::formula::Mark<f32, Option<f32>>>, f32;
            formula_max_f64_some: $crate::formula::Mapped<$crate::Max, $crate::formula::Mark<f64, Option<f64>>>, f64;
            formula_mean_i32_some: $crate::formula::Mapped<$crate::Mean, $crate::formula::Mark<i32, Option<i32>>>, i32;
            formula_mean_u32_some: $crate::formula::Mapped<$crate::Mean, $crate::formula::Mark<u32, Option<u32>>>, u32;
            formula_mean_f32_some: $crate::formula::Mapped<$crate::Mean, $crate::formula::Mark<f32, Option<f32>>>, f32;
            formula_mean_f64_some: $crate::formula::Mapped<$crate::Mean, $crate::formula::Mark<f64, Option<f64>>>, f64;
            formula_variance_f32_some: $crate::formula::Mapped<$crate::Variance, $crate::formula::Mark<f32, Option<f32>>>, f32;
            formula_variance_f64_some: $crate::formula::Mapped<$crate::Variance, $crate::formula::Mark<f64, Option<f64>>>, f64;
            formula_argmin_f32_some: $crate::formula::Mapped<$crate::ArgMin, $crate::formula::Mark<f32, Option<f32>>>, f32;
            formula_argmin_f64_some: $crate::formula::Mapped<$crate::ArgMin, $crate::formula::Mark<f64, Option<f64>>>, f64;
            formula_argmax_f32_some: $crate::formula::Mapped<$crate::ArgMax, $crate::formula::Mark<f32, Option<f32>>>, f32;
            formula_argmax_f64_some: $crate::formula::Mapped<$crate::ArgMax, $crate::formula::Mark<f64, Option<f64>>>, f64;
        }
    };
}

/// [`for_each_formula_kernel!`](crate::for_each_formula_kernel) for formulas of the elements of two arrays: `entry: Operator, element;` with
/// the element of each array. The least and greatest of integers and their means are left out.
#[macro_export]
macro_rules! for_each_formula_zip_kernel {
    ($stamp:ident) => {
        $stamp! {
            formula_sum_i32_pairs: $crate::formula::Mapped<$crate::Sum, $crate::formula::Mark<[i32; 2], i32>>, i32;
            formula_sum_u32_pairs: $crate::formula::Mapped<$crate::Sum, $crate::formula::Mark<[u32; 2], u32>>, u32;
            formula_sum_i64_pairs: $crate::formula::Mapped<$crate::Sum, $crate::formula::Mark<[i64; 2], i64>>, i64;
            formula_sum_u64_pairs: $crate::formula::Mapped<$crate::Sum, $crate::formula::Mark<[u64; 2], u64>>, u64;
            formula_sum_f32_pairs: $crate::formula::Mapped<$crate::Sum, $crate::formula::Mark<[f32; 2], f32>>, f32;
            formula_sum_f64_pairs: $crate::formula::Mapped<$crate::Sum, $crate::formula::Mark<[f64; 2], f64>>, f64;
            formula_min_f32_pairs: $crate::formula::Mapped<$crate::Min, $crate::formula::Mark<[f32; 2], f32>>, f32;
            formula_min_f64_pairs: $crate::formula::Mapped<$crate::Min, $crate::formula::Mark<[f64; 2], f64>>, f64;
            formula_max_f32_pairs: $crate::formula::Mapped<$crate::Max, $crate::formula::Mark<[f32; 2], f32>>, f32;
            formula_max_f64_pairs: $crate::formula::Mapped<$crate::Max, $crate::formula::Mark<[f64; 2], f64>>, f64;
            formula_mean_f32_pairs: $crate::formula::Mapped<$crate::Mean, $crate::formula::Mark<[f32; 2], f32>>, f32;
            formula_mean_f64_pairs: $crate::formula::Mapped<$crate::Mean, $crate::formula::Mark<[f64; 2], f64>>, f64;
            formula_variance_f32_pairs: $crate::formula::Mapped<$crate::Variance, $crate::formula::Mark<[f32; 2], f32>>, f32;
            formula_variance_f64_pairs: $crate::formula::Mapped<$crate::Variance, $crate::formula::Mark<[f64; 2], f64>>, f64;
            formula_argmin_f32_pairs: $crate::formula::Mapped<$crate::ArgMin, $crate::formula::Mark<[f32; 2], f32>>, f32;
            formula_argmin_f64_pairs: $crate::formula::Mapped<$crate::ArgMin, $crate::formula::Mark<[f64; 2], f64>>, f64;
            formula_argmax_f32_pairs: $crate::formula::Mapped<$crate::ArgMax, $crate::formula::Mark<[f32; 2], f32>>, f32;
            formula_argmax_f64_pairs: $crate::formula::Mapped<$crate::ArgMax, $crate::formula::Mark<[f64; 2], f64>>, f64;
            formula_count_i32_pairs: $crate::Count<$crate::formula::Mark<[i32; 2], bool>>, i32;
            formula_count_u32_pairs: $crate::Count<$crate::formula::Mark<[u32; 2], bool>>, u32;
            formula_count_i64_pairs: $crate::Count<$crate::formula::Mark<[i64; 2], bool>>, i64;
            formula_count_u64_pairs: $crate::Count<$crate::formula::Mark<[u64; 2], bool>>, u64;
            formula_count_f32_pairs: $crate::Count<$crate::formula::Mark<[f32; 2], bool>>, f32;
            formula_count_f64_pairs: $crate::Count<$crate::formula::Mark<[f64; 2], bool>>, f64;
            formula_sum_i32_pairs_some: $crate::formula::Mapped<$crate::Sum, $crate::formula::Mark<[i32; 2], Option<i32>>>, i32;
            formula_sum_u32_pairs_some: $crate::formula::Mapped<$crate::Sum, $crate::formula::Mark<[u32; 2], Option<u32>>>, u32;
            formula_sum_i64_pairs_some: $crate::formula::Mapped<$crate::Sum, $crate::formula::Mark<[i64; 2], Option<i64>>>, i64;
            formula_sum_u64_pairs_some: $crate::formula::Mapped<$crate::Sum, $crate::formula::Mark<[u64; 2], Option<u64>>>, u64;
            formula_sum_f32_pairs_some: $crate::formula::Mapped<$crate::Sum, $crate::formula::Mark<[f32; 2], Option<f32>>>, f32;
            formula_sum_f64_pairs_some: $crate::formula::Mapped<$crate::Sum, $crate::formula::Mark<[f64; 2], Option<f64>>>, f64;
            formula_min_f32_pairs_some: $crate::formula::Mapped<$crate::Min, $crate::formula::Mark<[f32; 2], Option<f32>>>, f32;
            formula_min_f64_pairs_some: $crate::formula::Mapped<$crate::Min, $crate::formula::Mark<[f64; 2], Option<f64>>>, f64;
            formula_max_f32_pairs_some: $crate::formula::Mapped<$crate::Max, $crate::formula::Mark<[f32; 2], Option<f32>>>, f32;
            formula_max_f64_pairs_some: $crate::formula::Mapped<$crate::Max, $crate::formula::Mark<[f64; 2], Option<f64>>>, f64;
            formula_mean_f32_pairs_some: $crate::formula::Mapped<$crate::Mean, $crate::formula::Mark<[f32; 2], Option<f32>>>, f32;
            formula_mean_f64_pairs_some: $crate::formula::Mapped<$crate::Mean, $crate::formula::Mark<[f64; 2], Option<f64>>>, f64;
            formula_variance_f32_pairs_some: $crate::formula::Mapped<$crate::Variance, $crate::formula::Mark<[f32; 2], Option<f32>>>, f32;
            formula_variance_f64_pairs_some: $crate::formula::Mapped<$crate::Variance, $crate::formula::Mark<[f64; 2], Option<f64>>>, f64;
            formula_argmin_f32_pairs_some: $crate::formula::Mapped<$crate::ArgMin, $crate::formula::Mark<[f32; 2], Option<f32>>>, f32;
            formula_argmin_f64_pairs_some: $crate::formula::Mapped<$crate::ArgMin, $crate::formula::Mark<[f64; 2], Option<f64>>>, f64;
            formula_argmax_f32_pairs_some: $crate::formula::Mapped<$crate::ArgMax, $crate::formula::Mark<[f32; 2], Option<f32>>>, f32;
            formula_argmax_f64_pairs_some: $crate::formula::Mapped<$crate::ArgMax, $crate::formula::Mark<[f64; 2], Option<f64>>>, f64;
        }
    };
}
