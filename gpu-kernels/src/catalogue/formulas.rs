//! The operators over formulas that have kernels, each with a mark in the place of the formula.

/// The operator of a row of the lists below, by the element.
#[doc(hidden)]
#[macro_export]
macro_rules! formula_operator {
    (Count all $element:ident) => { $crate::Count<$crate::formula::Mark<$element, bool>> };
    (Count pairs $element:ident) => { $crate::Count<$crate::formula::Mark<[$element; 2], bool>> };
    ($op:ident indexed $element:ident) => { $crate::formula::Mapped<$crate::$op, $crate::formula::Mark<($element, u64), $element>> };
    (Combined in_order $element:ident) => { $crate::formula::Combined<$crate::formula::Junction<$element>, false> };
    (Combined commuting $element:ident) => { $crate::formula::Combined<$crate::formula::Junction<$element>, true> };
    ($op:ident all $element:ident) => { $crate::formula::Mapped<$crate::$op, $crate::formula::Mark<$element, $element>> };
    ($op:ident in_f32 $element:ident) => { $crate::formula::Mapped<$crate::$op, $crate::formula::Mark<$crate::$element, f32>> };
    ($op:ident in_f64 $element:ident) => { $crate::formula::Mapped<$crate::$op, $crate::formula::Mark<$element, f64>> };
    ($op:ident some $element:ident) => { $crate::formula::Mapped<$crate::$op, $crate::formula::Mark<$element, Option<$element>>> };
    ($op:ident pairs $element:ident) => { $crate::formula::Mapped<$crate::$op, $crate::formula::Mark<[$element; 2], $element>> };
    ($op:ident some_pairs $element:ident) => { $crate::formula::Mapped<$crate::$op, $crate::formula::Mark<[$element; 2], Option<$element>>> };
}

/// The element of a name: a compiler for GPUs has an `f16` of its own.
#[doc(hidden)]
#[macro_export]
macro_rules! formula_element {
    (f16) => {
        $crate::f16
    };
    (bf16) => {
        $crate::bf16
    };
    ($element:ident) => {
        $element
    };
}

/// Expands `$stamp! { entry: Operator, element; ... }` with a line for each cell of some rows `Operator results: entry element, ..;`.
#[doc(hidden)]
#[macro_export]
macro_rules! formula_rows {
    ($stamp:ident: $($op:ident $results:ident: $($entry:ident $element:ident),*;)*) => {
        $crate::formula_rows! { @ $stamp: $([$($op $results $entry $element),*])* }
    };
    (@ $stamp:ident: $([$($op:ident $results:ident $entry:ident $element:ident),*])*) => {
        $stamp! { $($($entry: $crate::formula_operator!($op $results $element), $crate::formula_element!($element);)*)* }
    };
}

/// Expands `$stamp! { entry: Operator, element; ... }` with a line for each cell of the rows that have kernels which scan, and of more rows. An
/// operator that combines by a formula needs kernels that scan in one order: a scan keeps the elements' order.
#[doc(hidden)]
#[macro_export]
macro_rules! formula_rows_that_scan {
    ($stamp:ident: $($more:tt)*) => {
        $crate::formula_rows! { $stamp:
            Sum all: formula_sum_i32 i32, formula_sum_u32 u32, formula_sum_i64 i64, formula_sum_u64 u64, formula_sum_f32 f32, formula_sum_f64 f64;
            Min all: formula_min_i32 i32, formula_min_u32 u32, formula_min_f32 f32, formula_min_f64 f64;
            Max all: formula_max_i32 i32, formula_max_u32 u32, formula_max_f32 f32, formula_max_f64 f64;
            Count all: formula_count_i32 i32, formula_count_u32 u32, formula_count_i64 i64, formula_count_u64 u64, formula_count_f32 f32, formula_count_f64 f64;
            Sum some: formula_sum_i32_some i32, formula_sum_u32_some u32, formula_sum_i64_some i64, formula_sum_u64_some u64, formula_sum_f32_some f32, formula_sum_f64_some f64;
            Combined in_order: formula_combined_i32 i32, formula_combined_u32 u32, formula_combined_i64 i64, formula_combined_u64 u64, formula_combined_f32 f32, formula_combined_f64 f64;
            $($more)*
        }
    };
}

/// Expands `$stamp! { entry: Operator, element; ... }` with one line for each operator over a formula from an element to a result of the
/// same type (`all`), or to an `Option` of it (`some`), for sums and extremes by an element and its index (`indexed`), for sums in f32 of
/// shorter floats, for sums and means in f64 of f32, for counts by a formula, and for operators that combine by one. Integers have fewer
/// of them, and sums of squares are sums of a formula that multiplies where there may be no result, to keep the package small.
#[macro_export]
macro_rules! for_each_formula_kernel {
    ($stamp:ident) => {
        $crate::formula_rows_that_scan! { $stamp:
            Sum in_f64: formula_sum_f32_in_f64 f32;
            Sum in_f32: formula_sum_f16_in_f32 f16, formula_sum_bf16_in_f32 bf16;
            Mean all: formula_mean_i32 i32, formula_mean_u32 u32, formula_mean_f32 f32, formula_mean_f64 f64;
            Mean in_f64: formula_mean_f32_in_f64 f32;
            Variance all: formula_variance_f32 f32, formula_variance_f64 f64;
            SumOfSquares all: formula_sum_of_squares_f32 f32, formula_sum_of_squares_f64 f64;
            ArgMin all: formula_argmin_f32 f32, formula_argmin_f64 f64;
            ArgMax all: formula_argmax_f32 f32, formula_argmax_f64 f64;
            Min some: formula_min_i32_some i32, formula_min_u32_some u32, formula_min_f32_some f32, formula_min_f64_some f64;
            Max some: formula_max_i32_some i32, formula_max_u32_some u32, formula_max_f32_some f32, formula_max_f64_some f64;
            Mean some: formula_mean_i32_some i32, formula_mean_u32_some u32, formula_mean_f32_some f32, formula_mean_f64_some f64;
            Variance some: formula_variance_f32_some f32, formula_variance_f64_some f64;
            ArgMin some: formula_argmin_f32_some f32, formula_argmin_f64_some f64;
            ArgMax some: formula_argmax_f32_some f32, formula_argmax_f64_some f64;
            Sum indexed: formula_sum_i32_indexed i32, formula_sum_u32_indexed u32, formula_sum_i64_indexed i64, formula_sum_u64_indexed u64, formula_sum_f32_indexed f32, formula_sum_f64_indexed f64;
            Min indexed: formula_min_f32_indexed f32, formula_min_f64_indexed f64;
            Max indexed: formula_max_f32_indexed f32, formula_max_f64_indexed f64;
            ArgMin indexed: formula_argmin_f32_indexed f32, formula_argmin_f64_indexed f64;
            ArgMax indexed: formula_argmax_f32_indexed f32, formula_argmax_f64_indexed f64;
            Combined commuting: formula_combined_commuting_i32 i32, formula_combined_commuting_u32 u32, formula_combined_commuting_i64 i64, formula_combined_commuting_u64 u64, formula_combined_commuting_f32 f32, formula_combined_commuting_f64 f64;
        }
    };
}

/// [`for_each_formula_kernel!`](crate::for_each_formula_kernel) for formulas of the elements of two arrays: `entry: Operator, element;` with
/// the element of each array. The least and greatest of integers and their means are left out.
#[macro_export]
macro_rules! for_each_formula_zip_kernel {
    ($stamp:ident) => {
        $crate::formula_rows! { $stamp:
            Sum pairs: formula_sum_i32_pairs i32, formula_sum_u32_pairs u32, formula_sum_i64_pairs i64, formula_sum_u64_pairs u64, formula_sum_f32_pairs f32, formula_sum_f64_pairs f64;
            Min pairs: formula_min_f32_pairs f32, formula_min_f64_pairs f64;
            Max pairs: formula_max_f32_pairs f32, formula_max_f64_pairs f64;
            Mean pairs: formula_mean_f32_pairs f32, formula_mean_f64_pairs f64;
            Variance pairs: formula_variance_f32_pairs f32, formula_variance_f64_pairs f64;
            ArgMin pairs: formula_argmin_f32_pairs f32, formula_argmin_f64_pairs f64;
            ArgMax pairs: formula_argmax_f32_pairs f32, formula_argmax_f64_pairs f64;
            Count pairs: formula_count_i32_pairs i32, formula_count_u32_pairs u32, formula_count_i64_pairs i64, formula_count_u64_pairs u64, formula_count_f32_pairs f32, formula_count_f64_pairs f64;
            Sum some_pairs: formula_sum_i32_pairs_some i32, formula_sum_u32_pairs_some u32, formula_sum_i64_pairs_some i64, formula_sum_u64_pairs_some u64, formula_sum_f32_pairs_some f32, formula_sum_f64_pairs_some f64;
            Min some_pairs: formula_min_f32_pairs_some f32, formula_min_f64_pairs_some f64;
            Max some_pairs: formula_max_f32_pairs_some f32, formula_max_f64_pairs_some f64;
            Mean some_pairs: formula_mean_f32_pairs_some f32, formula_mean_f64_pairs_some f64;
            Variance some_pairs: formula_variance_f32_pairs_some f32, formula_variance_f64_pairs_some f64;
            ArgMin some_pairs: formula_argmin_f32_pairs_some f32, formula_argmin_f64_pairs_some f64;
            ArgMax some_pairs: formula_argmax_f32_pairs_some f32, formula_argmax_f64_pairs_some f64;
        }
    };
}

/// [`for_each_formula_kernel!`](crate::for_each_formula_kernel) for the operators that have kernels which scan.
#[macro_export]
macro_rules! for_each_formula_scan_kernel {
    ($stamp:ident) => {
        $crate::formula_rows_that_scan! { $stamp: }
    };
}
