//! The operators over formulas that have kernels, each with a mark in the place of the formula.

/// Expands `$stamp! { entry: Operator, element; ... }` with one line for each operator over a formula from an element to a result of the
/// same type, and for counts by a formula. Integers have fewer of them, to keep the package small.
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
        }
    };
}
