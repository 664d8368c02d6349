//! The operators measured over each element, listed once.

use warpfold::{
    AccurateDot, AccurateSum, Affine, ArgMax, ArgMin, Complex, Compose, Count, Dot, ExactSum, Matrix2,
    MatrixProduct, Max, Maximum, Mean, Min, MinMax, Minimum, NonZero, Norm2, PolynomialHash, Product, Sum,
    SumIn, Variance, bf16, f16,
};

use super::{Arena, answer::Named, bits::Bits, jobs::Job, series::Series};
use crate::{Outcome, datum::Datum, figures::record::Record};

/// An element that operators are measured over.
pub(super) trait Menu: Datum + Bits {
    /// Measures the operator with this name; `false` if it is not measured over these elements.
    fn measure(series: &Series<'_, Self>, op: &str, record: &mut Record) -> Outcome<bool>;
}

macro_rules! menu {
    ($($element:ty: [$($op:ty),*] [$($pairing:ty),*];)*) => {
        $(
            impl Menu for $element {
                fn measure(series: &Series<'_, Self>, op: &str, record: &mut Record) -> Outcome<bool> {
                    match op {
                        $(op if op == <$op as Named>::NAME => series.run::<$op>(record)?,)*
                        $(op if op == <$pairing as Named>::NAME => series.run_pairs::<$pairing>(record)?,)*
                        _ => return Ok(false),
                    }
                    Ok(true)
                }
            }
        )*

        /// For each element its name, its bytes and its operators.
        pub(super) const ROWS: &[(&str, usize, &[&str])] = &[$((
            <$element as Datum>::NAME,
            size_of::<$element>(),
            &[
                $(<$op as Named>::NAME,)*
                $(<$pairing as Named>::NAME,)*
            ],
        ),)*];

        /// Measures a job over its element.
        pub(super) fn run(arena: &Arena<'_>, job: &Job, record: &mut Record) -> Outcome<()> {
            match job.element.as_str() {
                $(element if element == <$element as Datum>::NAME =>
                    super::elements::<$element>(arena, job, record),)*
                element => Err(format!("there are no elements of {element:?}").into()),
            }
        }
    };
}
// One array; two.
menu! {
    f32: [Sum, Product, Min, Max, Minimum, Maximum, ArgMin, ArgMax, AccurateSum, ExactSum, SumIn<f64>, MinMax, Mean,
          Variance, (Min, Max, Sum), Norm2, Count<NonZero>] [Dot, AccurateDot];
    f64: [Sum, Product, Min, Max, Minimum, Maximum, ArgMin, ArgMax, AccurateSum, Variance] [Dot, AccurateDot];
    i32: [Sum, Product, Min, Max, Minimum, Maximum, ArgMin, ArgMax, Variance] [];
    u32: [Sum, Product, Min, Max, Minimum, Maximum, ArgMin, ArgMax] [];
    i64: [Sum, Product, Min, Max, Minimum, Maximum, ArgMin, ArgMax] [];
    u64: [Sum, Product, Min, Max, Minimum, Maximum, ArgMin, ArgMax] [];
    i8: [Sum, Min, Max, ArgMin, ArgMax] [];
    u8: [Sum, Min, Max, ArgMin, ArgMax, PolynomialHash] [];
    i16: [Sum, Min, Max, ArgMin, ArgMax] [];
    u16: [Sum, Min, Max, ArgMin, ArgMax] [];
    f16: [SumIn<f32>, Min, Max, ArgMin, ArgMax] [];
    bf16: [SumIn<f32>, Min, Max, ArgMin, ArgMax] [];
    i128: [Sum] [];
    Complex<f32>: [Sum] [];
    Affine<u32>: [Compose] [];
    Matrix2<u32>: [MatrixProduct] [];
}
