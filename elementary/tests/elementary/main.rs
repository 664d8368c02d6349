//! The functions against references of more bits: their errors, order, special values and bits.
#![allow(clippy::expect_used, reason = "a test")]

mod double;
mod double_double;
mod reference;
mod same_bits;
mod single;
mod special;

use warpfold_elementary::{exp, exp2, expm1, log, log1p, log2, rsqrt, sigmoid, tanh};

/// A function with its references, and the greatest errors, which the README has too, in units in the last place.
struct Function {
    name: &'static str,
    single: fn(f32) -> f32,
    /// In f64, whose own error is some 2^-29 of these units.
    single_reference: fn(f64) -> f64,
    single_error: f64,
    double: fn(f64) -> f64,
    double_reference: fn(f64) -> reference::Scaled,
    double_error: f64,
    /// Where f64 is tried at evenly spaced points, beside all exponents.
    range: (f64, f64),
}

impl Function {
    /// `rsqrt` alone does not grow.
    fn grows(&self) -> bool {
        self.name != "rsqrt"
    }
}

macro_rules! functions {
    ($($name:ident, $single_reference:expr, $single_error:literal, $double_error:literal, $range:expr;)*) => {
        [$(Function {
            name: stringify!($name),
            single: $name,
            single_reference: $single_reference,
            single_error: $single_error,
            double: $name,
            double_reference: reference::$name,
            double_error: $double_error,
            range: $range,
        }),*]
    };
}

const FUNCTIONS: [Function; 9] = functions! {
    exp, f64::exp, 0.754, 0.754, (-745.2, 709.8);
    exp2, f64::exp2, 0.771, 0.757, (-1075.0, 1024.0);
    expm1, f64::exp_m1, 0.751, 0.750, (-5.0, 5.0);
    log, f64::ln, 0.750, 0.668, (0.4, 3.0);
    log2, f64::log2, 0.778, 0.749, (0.4, 3.0);
    log1p, f64::ln_1p, 0.751, 0.750, (-0.6, 2.0);
    tanh, f64::tanh, 0.564, 0.565, (-4.0, 4.0);
    sigmoid, |x| if x > 0.0 { 1.0 / (1.0 + (-x).exp()) } else { x.exp() / (1.0 + x.exp()) }, 0.754, 0.748, (-50.0, 40.0);
    rsqrt, |x| 1.0 / x.sqrt(), 0.501, 0.501, (0.5, 4.5);
};

/// Returns 2^n, infinity above the range and 0 below.
fn power_of_two(n: i32) -> f64 {
    2f64.powi(n / 2) * 2f64.powi(n - n / 2)
}

/// Returns the exponent of a positive normal number.
fn exponent(x: f64) -> i32 {
    ((x.to_bits() >> 52) & 0x7ff) as i32 - 1023
}

/// Calls `run` for the parts of 0..end on some threads. Returns what each part returns.
fn in_parts<R: Send>(end: u64, run: impl Fn(std::ops::Range<u64>) -> R + Sync) -> Vec<R> {
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get() as u64);
    let part = end.div_ceil(threads);
    std::thread::scope(|scope| {
        let run = &run;
        let parts =
            (0..threads).map(|i| scope.spawn(move || run(end.min(i * part)..end.min((i + 1) * part))));
        parts.collect::<Vec<_>>().into_iter().map(|part| part.join().expect("an error was found")).collect()
    })
}
