//! The functions to some 90 bits.

use super::double_double::Double;
use super::{exponent, power_of_two};

/// A number times a power of two, so that it has all its bits below the least normal number too.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scaled {
    pub(super) value: Double,
    pub(super) scale: i32,
}

fn unscaled(value: Double) -> Scaled {
    Scaled { value, scale: 0 }
}

fn one() -> Double {
    Double::from(1.0)
}

/// Returns m and k of a positive number m 2^k, with m from 1/2 to 2.
fn parts(x: f64) -> (f64, i32) {
    let (x, lift) = if x < f64::MIN_POSITIVE { (x * power_of_two(60), -60) } else { (x, 0) };
    let k = exponent(x);
    let m = x * power_of_two(-k);
    if m > 1.4 { (m / 2.0, k + 1 + lift) } else { (m, k + lift) }
}

pub(super) fn exp(x: f64) -> Scaled {
    let (value, scale) = Double::from(x).exp();
    Scaled { value, scale }
}

pub(super) fn exp2(x: f64) -> Scaled {
    let n = x.round();
    let (value, k) = Double::from(x - n).times_ln_2().exp();
    Scaled { value, scale: k + n as i32 }
}

pub(super) fn expm1(x: f64) -> Scaled {
    if x > 100.0 { exp(x) } else { unscaled(Double::from(x.max(-100.0)).exp_m1()) }
}

pub(super) fn log(x: f64) -> Scaled {
    let (m, k) = parts(x);
    unscaled(Double::from(m).ln() + Double::ln_2_times(f64::from(k)))
}

pub(super) fn log2(x: f64) -> Scaled {
    let (m, k) = parts(x);
    unscaled(Double::from(m).ln() / one().times_ln_2() + Double::from(f64::from(k)))
}

pub(super) fn log1p(x: f64) -> Scaled {
    if x.abs() > 1e30 {
        return log(x);
    }
    if x.abs() < 2f64.powi(-60) {
        return unscaled(Double::from(x) - Double::from(x / 2.0) * Double::from(x));
    }
    let sum = Double::from(x) + one();
    let (_, k) = parts(sum.hi);
    let scale = power_of_two(-k);
    unscaled(Double { hi: sum.hi * scale, lo: sum.lo * scale }.ln() + Double::ln_2_times(f64::from(k)))
}

pub(super) fn tanh(x: f64) -> Scaled {
    let power = Double::from(2.0 * x.clamp(-40.0, 40.0)).exp_m1();
    unscaled(power / (power + Double::from(2.0)))
}

pub(super) fn sigmoid(x: f64) -> Scaled {
    let (m, k) = Double::from(-x.abs()).exp();
    let scale = power_of_two(k.max(-200));
    let divisor = Double { hi: m.hi * scale, lo: m.lo * scale } + one();
    if x > 0.0 { unscaled(one() / divisor) } else { Scaled { value: m / divisor, scale: k } }
}

pub(super) fn rsqrt(x: f64) -> Scaled {
    let (m, k) = parts(x);
    let (m, k) = if k % 2 == 0 { (m, k) } else { (m * 2.0, k - 1) };
    // Newton's step: what is left is about 2^-52.
    let near = Double::from(1.0 / m.sqrt());
    let rest = one() - Double::from(m) * near * near;
    Scaled { value: near + near * rest * (Double::from(0.5) + Double::from(0.375) * rest), scale: -k / 2 }
}

#[test]
fn references_are_near_the_standard_library() {
    let near = |Scaled { value, scale }: Scaled, expected: f64| {
        let is = value.hi * power_of_two(scale);
        assert!((is / expected - 1.0).abs() < 1e-15, "{is:e}, not {expected:e}");
    };
    for x in [1e-300, 1e-9, 1e-3, 0.3, 0.999, 1.001, 1.5, 3.0, 12.3, 600.5] {
        for x in [x, -x] {
            near(exp(x), x.exp());
            near(exp2(x), x.exp2());
            near(expm1(x), x.exp_m1());
            near(tanh(x), x.tanh());
            near(sigmoid(x), if x > 0.0 { 1.0 / (1.0 + (-x).exp()) } else { x.exp() / (1.0 + x.exp()) });
            if x > -1.0 {
                near(log1p(x), x.ln_1p());
            }
        }
        near(log(x), x.ln());
        near(log2(x), x.log2());
        near(rsqrt(x), 1.0 / x.sqrt());
    }
}
