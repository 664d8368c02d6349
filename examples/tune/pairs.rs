//! The pairs of an operator and an element type that are tuned, and the elements.

use std::error::Error;
use std::fmt::Debug;
use std::ops::RangeInclusive;

use warpfold::kernels::Kernel;
use warpfold::plans::Tuning;
use warpfold::{ArgMax, ArgMin, Element, Max, Maximum, Min, Minimum, Op, Product, Sum};

use crate::contest::{Bench, tune};

/// A pair.
pub(crate) struct Pair {
    pub(crate) operator: &'static str,
    pub(crate) of: &'static str,
    /// Tunes sizes of powers of two of bytes.
    pub(crate) tune: Tune,
    /// Prints what is kept.
    pub(crate) show: fn(&Pair, &Tuning),
}

/// The function that tunes a pair.
type Tune = fn(&Pair, &Bench, RangeInclusive<u32>, &mut Tuning) -> Result<(), Box<dyn Error>>;

/// An operator whose results are compared by their texts: these tell -0.0 from 0.0 and every number from its neighbours.
pub(crate) trait Folds<T: Element>: Kernel<T> + Default + Op<T, Out: Debug> {}
impl<T: Element, O: Kernel<T> + Default + Op<T, Out: Debug>> Folds<T> for O {}

/// An element type.
pub(crate) trait Datum: Element {
    /// Returns the element for 64 random bits.
    fn of(random: u64) -> Self;
}

macro_rules! pairs {
    ($([$name:literal $type:ident: $of:expr])* with $operators:tt) => {
        pub(crate) const TYPES: [&str; 6] = [$($name),*];
        pub(crate) const PAIRS: &[Pair] = &[$(pairs!(@ $name $type $operators)),*].as_flattened();
        $(
            impl Datum for $type {
                fn of(random: u64) -> Self {
                    let of: fn(u64) -> Self = $of;
                    of(random)
                }
            }
        )*
    };
    (@ $name:literal $type:ident [$($operator:literal $op:ident)*]) => {
        [$(Pair { operator: $operator, of: $name, tune: tune::<$type, $op>, show: show::<$type, $op> }),*]
    };
}

/// Floats about 1 and -1: a product of 2^30 of them neither overflows nor vanishes, and every step rounds.
fn about_one(random: u64) -> f64 {
    let sign = if random & 1 == 0 { 1.0 } else { -1.0 };
    sign * (1.0 + ((random >> 11) as f64 / (1_u64 << 52) as f64 - 1.0) / 4096.0)
}

pub(crate) const OPERATORS: [&str; 8] =
    ["sum", "product", "min", "max", "minimum", "maximum", "argmin", "argmax"];

pairs! {
    ["i32" i32: |random| random as i32]
    ["u32" u32: |random| random as u32]
    ["i64" i64: |random| random as i64]
    ["u64" u64: |random| random]
    ["f32" f32: |random| about_one(random) as f32]
    ["f64" f64: about_one]
    with ["sum" Sum "product" Product "min" Min "max" Max "minimum" Minimum "maximum" Maximum "argmin" ArgMin "argmax" ArgMax]
}

/// Returns `n` elements, which are the same everywhere: a Weyl sequence, mixed as in SplitMix64 (Steele, Lea and Flood,
/// OOPSLA 2014).
pub(crate) fn elements<T: Datum>(n: usize) -> Vec<T> {
    let mixed = |index: u64| {
        let mut x = index.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    };
    (1..=n as u64).map(|index| T::of(mixed(index))).collect()
}

/// Prints the rows of a tuning.
fn show<T: Datum, O: Folds<T>>(pair: &Pair, tuning: &Tuning) {
    for class in size_of::<T>().ilog2()..=36 {
        let Some(tuned) = tuning.get::<T, O>((1 << class) / size_of::<T>() as u64) else { continue };
        let stale = if tuned.stale { "; stale: kernels or default plans have changed" } else { "" };
        let (usual, found) = (tuned.default_ns as f64 / 1e3, tuned.tuned_ns as f64 / 1e3);
        let (operator, of, config) = (pair.operator, pair.of, tuned.config.to_string());
        println!(
            "{operator:8} {of:4} 2^{class:<3} {config:28} {found:.3} us, by the default plan {usual:.3}{stale}"
        );
    }
}
