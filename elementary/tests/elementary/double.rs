//! f64 against numbers of 104 bits.

use super::reference::Scaled;
use super::{FUNCTIONS, Function, exponent, in_parts, power_of_two};

/// Returns the error in units of the last place that a reference has.
fn error(result: f64, Scaled { value, scale }: Scaled) -> f64 {
    let exponent = exponent(value.hi.abs()) + scale;
    if exponent > 1023 {
        return if result == f64::INFINITY { 0.0 } else { f64::NAN };
    }
    // Infinity stands where the next number would be.
    let result =
        if result == f64::INFINITY { power_of_two(1023 - scale) * 2.0 } else { scaled(result, -scale) };
    ((result - value.hi) - value.lo).abs() / power_of_two(exponent.max(-1022) - 52 - scale)
}

/// Returns x 2^n, exactly.
fn scaled(x: f64, n: i32) -> f64 {
    x * power_of_two(n / 2) * power_of_two(n - n / 2)
}

/// Returns the number at a place in an endless sequence: every other one of any exponent, the others in the function's range.
fn at(function: &Function, place: u64) -> f64 {
    // SplitMix64.
    let mut z = place.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^= z >> 31;
    if place % 2 == 0 {
        return f64::from_bits(z);
    }
    let (least, greatest) = function.range;
    least + (greatest - least) * ((z >> 11) as f64 * 2f64.powi(-53))
}

/// Returns the next greater number.
fn next_up(x: f64) -> f64 {
    if x == 0.0 {
        f64::from_bits(1)
    } else {
        f64::from_bits(if x > 0.0 { x.to_bits() + 1 } else { x.to_bits() - 1 })
    }
}

/// Tries numbers. Returns the greatest error, and where it is.
fn worst(function: &Function, places: std::ops::Range<u64>) -> (f64, f64) {
    let mut worst = (0.0, 0.0);
    for x in places.map(|place| at(function, place)) {
        let result = (function.double)(x);
        let logarithm = function.name.starts_with("log");
        let least = if function.name == "log1p" { -1.0 } else { 0.0 };
        if x.is_nan() || (logarithm || function.name == "rsqrt") && x < least {
            assert_eq!(result.to_bits(), 0x7ff8 << 48, "{} of {x:e}", function.name);
            continue;
        }
        let next = (function.double)(next_up(x));
        let in_order = if function.grows() { result <= next } else { result >= next };
        assert!(in_order, "{} of {x:e} is {result:e}, and then {next:e}", function.name);
        // Beyond the range of results; and what is x itself, of which the reference has no 104 bits.
        let power = function.name.starts_with("exp") || function.name == "sigmoid";
        if power && x.abs() > 1100.0 || result == x && x.abs() < 1e-290 {
            continue;
        }
        let error = error(result, (function.double_reference)(x));
        assert!(!error.is_nan(), "{} of {x:e} is {result:e}", function.name);
        if error > worst.0 {
            worst = (error, x);
        }
    }
    worst
}

fn numbers(count: u64) {
    let mut beyond = Vec::new();
    for function in &FUNCTIONS {
        let found = in_parts(count, |places| worst(function, places));
        let (error, x) = found.into_iter().fold((0.0, 0.0), |a, b| if b.0 > a.0 { b } else { a });
        println!("{:8} f64 {error:.4} at {x:e}", function.name);
        if error > function.double_error {
            beyond.push((function.name, x, error));
        }
    }
    assert!(beyond.is_empty(), "{beyond:?}");
}

#[test]
fn errors_and_order_of_some_f64() {
    numbers(1 << 17);
}

#[test]
#[ignore = "10^8 f64 of each, many minutes: cargo test --release -p warpfold-elementary -- --ignored --nocapture"]
fn errors_and_order_of_many_f64() {
    numbers(100_000_000);
}
