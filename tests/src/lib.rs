//! What all tests share: the one list of sizes, the data, and results as bits.

pub mod bits;
pub mod data;
pub mod golden;
pub mod laws;
pub mod operators;
pub mod oracle;
pub mod sizes;

pub use bits::Bits;
pub use data::{Sample, samples};

/// The examples of README.md, as tests. Here and not in the library, whose package has its README elsewhere.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;

/// The reference in DESIGN.md, as a test.
#[cfg(doctest)]
#[doc = include_str!("../../DESIGN.md")]
struct Design;

/// Expands `$stamp! { row: Operator, element; ... }` with rows that stand for all kinds: each size of element and
/// accumulator, free operators and those that follow the tree or keep the order, parameters. For tests of what happens
/// around a kernel, which would take long to compile for every row.
#[macro_export]
macro_rules! for_each_kind_of_kernel {
    ($stamp:ident) => {
        $stamp! {
            reduce_sum_u8: warpfold::Sum, u8;
            reduce_sum_i32: warpfold::Sum, i32;
            reduce_sum_f16: warpfold::Sum, warpfold::f16;
            reduce_sum_f32: warpfold::Sum, f32;
            reduce_sum_f64: warpfold::Sum, f64;
            reduce_sum_i128: warpfold::Sum, i128;
            reduce_sum_c64: warpfold::Sum, warpfold::Complex<f64>;
            reduce_product_f32: warpfold::Product, f32;
            reduce_min_i8: warpfold::Min, i8;
            reduce_max_f64: warpfold::Max, f64;
            reduce_argmin_u16: warpfold::ArgMin, u16;
            reduce_argmax_f32: warpfold::ArgMax, f32;
            reduce_argmax_f64: warpfold::ArgMax, f64;
            reduce_argminmax_f64: warpfold::ArgMinMax, f64;
            reduce_minmax_i32: warpfold::MinMax, i32;
            reduce_variance_f32: warpfold::Variance, f32;
            reduce_variance_i64: warpfold::Variance, i64;
            reduce_accurate_sum_f64: warpfold::AccurateSum, f64;
            reduce_exact_sum_f32: warpfold::ExactSum, f32;
            reduce_count_within_f32: warpfold::Count<warpfold::Within<f32>>, f32;
            reduce_min_max_variance_f64: (warpfold::Min, warpfold::Max, warpfold::Variance), f64;
            reduce_first_i64: warpfold::First, i64;
            reduce_matrix_product_u64: warpfold::MatrixProduct, warpfold::Matrix2<u64>;
            reduce_polynomial_hash_u8: warpfold::PolynomialHash, u8;
        }
    };
}
