//! The catalogue: every (entry, operator, element) for which kernels are shipped, written once.

/// Expands `$stamp! { entry: Operator, element; ... }` with one row per shipped kernel.
///
/// gpu-kernels stamps the entry points from it, and the host library the types that may run on a GPU.
#[macro_export]
macro_rules! for_each_kernel {
    ($stamp:ident) => {
        $stamp! {
            reduce_sum_i32: $crate::Sum, i32;
            reduce_sum_u32: $crate::Sum, u32;
            reduce_sum_i64: $crate::Sum, i64;
            reduce_sum_u64: $crate::Sum, u64;
            reduce_sum_f32: $crate::Sum, f32;
            reduce_sum_f64: $crate::Sum, f64;
            reduce_exact_sum_f32: $crate::ExactSum, f32;
            reduce_product_i32: $crate::Product, i32;
            reduce_product_u32: $crate::Product, u32;
            reduce_product_i64: $crate::Product, i64;
            reduce_product_u64: $crate::Product, u64;
            reduce_product_f32: $crate::Product, f32;
            reduce_product_f64: $crate::Product, f64;
            reduce_min_i32: $crate::Min, i32;
            reduce_min_u32: $crate::Min, u32;
            reduce_min_i64: $crate::Min, i64;
            reduce_min_u64: $crate::Min, u64;
            reduce_min_f32: $crate::Min, f32;
            reduce_min_f64: $crate::Min, f64;
            reduce_max_i32: $crate::Max, i32;
            reduce_max_u32: $crate::Max, u32;
            reduce_max_i64: $crate::Max, i64;
            reduce_max_u64: $crate::Max, u64;
            reduce_max_f32: $crate::Max, f32;
            reduce_max_f64: $crate::Max, f64;
            reduce_minimum_i32: $crate::Minimum, i32;
            reduce_minimum_u32: $crate::Minimum, u32;
            reduce_minimum_i64: $crate::Minimum, i64;
            reduce_minimum_u64: $crate::Minimum, u64;
            reduce_minimum_f32: $crate::Minimum, f32;
            reduce_minimum_f64: $crate::Minimum, f64;
            reduce_maximum_i32: $crate::Maximum, i32;
            reduce_maximum_u32: $crate::Maximum, u32;
            reduce_maximum_i64: $crate::Maximum, i64;
            reduce_maximum_u64: $crate::Maximum, u64;
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
        }
    };
}
