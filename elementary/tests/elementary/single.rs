//! f32 against f64.

use warpfold_elementary::{exp, exp_up_to_one};

use super::{FUNCTIONS, Function, exponent, in_parts};

/// Neighbours that are tried together.
const BLOCK: u64 = 256;

/// Returns the number at a place in the order of all f32, beginning with -infinity; the first and last places are NaNs.
fn at(place: u64) -> f32 {
    let key = place as u32;
    f32::from_bits(if key >> 31 == 0 { !key } else { key ^ (1 << 31) })
}

/// Returns the error in units of the last place that a reference has.
fn error(result: f32, reference: f64) -> f64 {
    // Infinity stands where the next number would be.
    let limit = f64::powi(2.0, 128);
    let unit = f64::powi(2.0, exponent(reference.abs()).clamp(-126, 127) - 23);
    (f64::from(result).clamp(-limit, limit) - reference.clamp(-limit, limit)).abs() / unit
}

/// Tries neighbours. Returns the greatest error, and where it is.
fn block(function: &Function, places: std::ops::Range<u64>) -> (f64, f32) {
    let mut worst = (0.0, 0.0);
    let mut before = None;
    for place in places {
        let x = at(place);
        let (result, reference) = ((function.single)(x), (function.single_reference)(f64::from(x)));
        if reference.is_nan() {
            assert_eq!(result.to_bits(), 0x7fc0_0000, "{} of {x:e}", function.name);
            before = None;
            continue;
        }
        if let Some(before) = before {
            let in_order = if function.grows() { before <= result } else { before >= result };
            assert!(in_order || x == 0.0, "{} of {x:e} is {result:e} after {before:e}", function.name);
        }
        before = Some(result);
        if reference.is_infinite() && result.is_infinite() || reference == f64::from(result) {
            assert_eq!(f64::from(result), reference, "{} of {x:e}", function.name);
            continue;
        }
        let error = error(result, reference);
        assert!(!error.is_nan(), "{} of {x:e} is {result:e}", function.name);
        if error > worst.0 {
            worst = (error, x);
        }
    }
    worst
}

/// Tries blocks of neighbours.
fn blocks(count: u64, len: u64) {
    let mut beyond = Vec::new();
    for function in &FUNCTIONS {
        let distance = (1 << 32) / count;
        let worst = in_parts(count, |blocks| {
            // Not at round places.
            let start = |i| i * distance + i * 40_503 % distance.saturating_sub(len).max(1);
            let each = blocks.map(|i| block(function, start(i)..(start(i) + len).min(1 << 32)));
            each.fold((0.0, 0.0), |a, b| if b.0 > a.0 { b } else { a })
        });
        let (error, x) = worst.into_iter().fold((0.0, 0.0), |a, b| if b.0 > a.0 { b } else { a });
        println!("{:8} f32 {error:.4} at {x:e}", function.name);
        if error > function.single_error {
            beyond.push((function.name, x, error));
        }
    }
    assert!(beyond.is_empty(), "{beyond:?}");
}

#[test]
fn errors_and_order_of_some_f32() {
    blocks(1 << 11, BLOCK);
}

/// Some minutes in release.
#[test]
#[ignore = "all f32, some minutes: cargo test --release -p warpfold-elementary -- --ignored --nocapture"]
fn errors_and_order_of_all_f32() {
    // Blocks overlap by one, so that neighbours of two blocks are compared too.
    blocks(1 << 12, (1 << 20) + 1);
}

/// Compares `exp_up_to_one` with `exp`, of every `step`-th number up to zero, and of NaNs.
fn up_to_one(step: usize) {
    in_parts(0x7fff_ffff, |bits| {
        for bits in bits.step_by(step) {
            let x = -f32::from_bits(bits as u32);
            let (found, expected) = (exp_up_to_one(x), exp(x));
            let are_nan = found.is_nan() && expected.is_nan();
            assert!(are_nan || found.to_bits() == expected.to_bits(), "{x:e}: {found:e}, not {expected:e}");
            // f64 has no more exponents where the result is not 0.
            let x = f64::from(x) * 7.000_000_001;
            let (found, expected) = (exp_up_to_one(x), exp(x));
            let are_nan = found.is_nan() && expected.is_nan();
            assert!(are_nan || found.to_bits() == expected.to_bits(), "{x:e}: {found:e}, not {expected:e}");
        }
    });
    assert_eq!((exp_up_to_one(0.0f32), exp_up_to_one(0.0f64), exp_up_to_one(-0.0f32)), (1.0, 1.0, 1.0));
}

#[test]
fn exponentials_up_to_one_of_some_f32() {
    up_to_one(4001);
}

/// Some minutes in release.
#[test]
#[ignore = "all f32, some minutes: cargo test --release -p warpfold-elementary -- --ignored"]
fn exponentials_up_to_one_of_all_f32() {
    up_to_one(1);
}
