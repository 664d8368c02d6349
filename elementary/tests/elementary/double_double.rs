//! Numbers of two f64: some 104 bits, for references.

use std::ops::{Add, Div, Mul, Neg, Sub};

/// The sum of two numbers, of which the second is within half a unit in the last place of the first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Double {
    pub(super) hi: f64,
    pub(super) lo: f64,
}

/// ln 2 in three parts, of which the first has 42 bits, so that its product with an exponent is exact.
const LN_2: [f64; 3] = [0.6931471805598903, 5.497923018708371e-14, 1.94704509238075e-31];

/// Returns a + b, exactly.
fn sum(a: f64, b: f64) -> Double {
    let hi = a + b;
    let of_b = hi - a;
    Double { hi, lo: (a - (hi - of_b)) + (b - of_b) }
}

/// Returns a b, exactly.
fn product(a: f64, b: f64) -> Double {
    let hi = a * b;
    Double { hi, lo: a.mul_add(b, -hi) }
}

impl From<f64> for Double {
    fn from(hi: f64) -> Self {
        Self { hi, lo: 0.0 }
    }
}

impl Neg for Double {
    type Output = Self;
    fn neg(self) -> Self {
        Self { hi: -self.hi, lo: -self.lo }
    }
}

impl Add for Double {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        let (high, low) = (sum(self.hi, other.hi), sum(self.lo, other.lo));
        let first = sum(high.hi, high.lo + low.hi);
        sum(first.hi, first.lo + low.lo)
    }
}

impl Sub for Double {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Double {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let high = product(self.hi, other.hi);
        sum(high.hi, high.lo + (self.hi * other.lo + self.lo * other.hi))
    }
}

impl Div for Double {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        let first = Self::from(self.hi / other.hi);
        let rest = self - first * other;
        let second = Self::from(rest.hi / other.hi);
        first + second + Self::from((rest - second * other).hi / other.hi)
    }
}

impl Double {
    /// Returns `n ln 2`.
    pub(super) fn ln_2_times(n: f64) -> Self {
        Self::from(n * LN_2[0]) + product(n, LN_2[1]) + Self::from(n * LN_2[2])
    }

    /// Returns this number times ln 2.
    pub(super) fn times_ln_2(self) -> Self {
        self * Self::ln_2_times(1.0)
    }

    /// Returns the sum of x^i / i! from i = 1 to `terms`.
    fn powers(self, terms: u32) -> Self {
        let mut value = Self::from(0.0);
        for i in (1..=terms).rev() {
            value = self * (Self::from(1.0) + value) / Self::from(f64::from(i));
        }
        value
    }

    /// Returns m and k with e^x = m 2^k and m near 1.
    pub(super) fn exp(self) -> (Self, i32) {
        let k = (self.hi / std::f64::consts::LN_2).round();
        let r = self - Self::ln_2_times(k);
        // e^r = (e^(r / 256))^256.
        let mut value = Self { hi: r.hi / 256.0, lo: r.lo / 256.0 }.powers(9) + Self::from(1.0);
        for _ in 0..8 {
            value = value * value;
        }
        (value, k as i32)
    }

    /// Returns e^x - 1 for x between -700 and 700.
    pub(super) fn exp_m1(self) -> Self {
        if self.hi.abs() < 1.0 / 256.0 {
            return self.powers(10);
        }
        let (m, k) = self.exp();
        let scale = super::power_of_two(k);
        Self { hi: m.hi * scale, lo: m.lo * scale } - Self::from(1.0)
    }

    /// Returns the natural logarithm of a number from 1/2 to 2.
    pub(super) fn ln(self) -> Self {
        let f = self - Self::from(1.0);
        if f.hi.abs() < 1.0 / 256.0 {
            // log((1 + s) / (1 - s)) = 2 (s + s^3 / 3 + ..)
            let s = f / (self + Self::from(1.0));
            let mut value = Self::from(0.0);
            for i in (0..7).rev() {
                value = value * s * s + Self::from(1.0) / Self::from(f64::from(2 * i + 1));
            }
            return value * s * Self::from(2.0);
        }
        // Newton's step: what is left is about 2^-52, of which four terms are enough.
        let near = self.hi.ln();
        let (m, k) = Self::from(-near).exp();
        let scale = super::power_of_two(k);
        let rest = self * Self { hi: m.hi * scale, lo: m.lo * scale } - Self::from(1.0);
        Self::from(near) + rest - Self::from(0.5) * rest * rest
    }
}

#[test]
fn a_logarithm_of_a_power_is_the_exponent_to_95_bits() {
    for i in -340..340 {
        let x = f64::from(i) / 1000.0 + 1e-4;
        let (m, k) = Double::from(x).exp();
        assert_eq!(k, 0);
        let back = m.ln() - Double::from(x);
        assert!(back.hi.abs() < 2f64.powi(-95), "{x}: {back:?}");
        // Two ways that have only the arithmetic in common: halves and doubles.
        let (half, _) = Double::from(x / 2.0).exp();
        assert!(((half * half - m).hi).abs() < 2f64.powi(-92));
        let one = Double::from(x).exp_m1() - (m - Double::from(1.0));
        assert!(one.hi.abs() < 2f64.powi(-92), "{one:?}");
    }
}
