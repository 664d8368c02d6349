//! The obvious way: fractions of big integers, rounded.

use std::fmt::Debug;

use num_bigint::BigInt;
use proptest::prelude::*;
use warpfold_exact::Element;

/// An element that the tests know.
pub(crate) trait Known: Element<Float: Format> + Debug + 'static {
    /// The exponent of the unit that all elements are multiples of.
    const EXPONENT: i64;
    fn units(self) -> BigInt;
    /// Finite elements: alike, of any size, and at the edges.
    fn any_finite() -> BoxedStrategy<Self>;
    /// Any elements.
    fn any_kind() -> BoxedStrategy<Self>;
}

/// A float that results are rounded to.
pub(crate) trait Format: Copy + Debug + PartialEq + Into<f64> {
    const DIGITS: i64;
    const LEAST: i64;
    fn of_magnitude(bits: u64) -> Self;
    fn negated(self) -> Self;
    fn bits(self) -> u64;
}

macro_rules! floats {
    ($($float:ident, $bits:ident, least $least:literal;)*) => { $(
        impl Known for $float {
            const EXPONENT: i64 = $least;

            fn units(self) -> BigInt {
                let bits = self.abs().to_bits();
                let (exponent, fraction) = (bits >> (Self::MANTISSA_DIGITS - 1), bits % (1 << (Self::MANTISSA_DIGITS - 1)));
                let magnitude = match exponent {
                    0 => BigInt::from(fraction),
                    _ => BigInt::from(fraction + (1 << (Self::MANTISSA_DIGITS - 1))) << (exponent - 1),
                };
                if self.is_sign_negative() { -magnitude } else { magnitude }
            }

            fn any_finite() -> BoxedStrategy<Self> {
                let edges = [0.0, -0.0, 1.0, -1.0, Self::MAX, Self::MIN, Self::MIN_POSITIVE, $float::from_bits(1), -$float::from_bits(1)];
                prop_oneof![
                    3 => (-1000i16..1000).prop_map(|x| Self::from(x) / 8.0),
                    3 => (1.0..2.0 as $float).prop_map(|x| 1e9 + x),
                    3 => any::<$bits>().prop_map(Self::from_bits).prop_filter("finite", |x| x.is_finite()),
                    1 => proptest::sample::select(edges.to_vec()),
                ]
                .boxed()
            }

            fn any_kind() -> BoxedStrategy<Self> {
                let special = [Self::NAN, -Self::NAN, Self::INFINITY, Self::NEG_INFINITY, -0.0];
                prop_oneof![4 => Self::any_finite(), 1 => proptest::sample::select(special.to_vec())].boxed()
            }
        }

        impl Format for $float {
            const DIGITS: i64 = Self::MANTISSA_DIGITS as i64;
            const LEAST: i64 = $least;

            fn of_magnitude(bits: u64) -> Self {
                Self::from_bits($bits::try_from(bits).unwrap_or($bits::MAX).min(Self::INFINITY.to_bits()))
            }

            fn negated(self) -> Self {
                -self
            }

            fn bits(self) -> u64 {
                self.to_bits().into()
            }
        }
    )* };
}
floats! {
    f32, u32, least -149;
    f64, u64, least -1074;
}

macro_rules! integers {
    ($($integer:ident),*) => { $(
        impl Known for $integer {
            const EXPONENT: i64 = 0;

            fn units(self) -> BigInt {
                self.into()
            }

            fn any_finite() -> BoxedStrategy<Self> {
                prop_oneof![
                    any::<$integer>(),
                    proptest::sample::select(vec![Self::MIN, Self::MAX, 0, 1]),
                    (0u8..100).prop_map(|x| 1_734_000_000_000_000_000 + Self::from(x)),
                ]
                .boxed()
            }

            fn any_kind() -> BoxedStrategy<Self> {
                Self::any_finite()
            }
        }
    )* };
}
integers!(i64, u64, i128, u128);

/// Returns the float nearest to `dividend / divisor` times a power of two, ties to even.
pub(crate) fn nearest<F: Format>(dividend: &BigInt, divisor: &BigInt, exponent: i64) -> F {
    let is_negative = (dividend.sign() * divisor.sign()) == num_bigint::Sign::Minus;
    let [x, y] = [dividend, divisor].map(|x| BigInt::from(x.magnitude().clone()));
    if x == BigInt::ZERO {
        return F::of_magnitude(0);
    }
    // Too many digits, and then as many as are kept.
    let mut last = (x.bits() as i64 - y.bits() as i64 + exponent - F::DIGITS - 1).max(F::LEAST);
    let digits = |last: i64| {
        let up = exponent - last;
        let (x, y) = (&x << up.max(0) as usize, &y << (-up).max(0) as usize);
        let whole = &x / &y;
        let twice_rest = (x - &whole * &y) * 2;
        (whole, twice_rest, y)
    };
    while digits(last).0.bits() as i64 > F::DIGITS {
        last += 1;
    }
    let (whole, twice_rest, y) = digits(last);
    let whole = u64::try_from(whole).unwrap();
    let rounded = whole + u64::from(twice_rest > y || (twice_rest == y && whole % 2 == 1));
    let bits = u128::from(rounded) + ((last - F::LEAST) as u128) * (1 << (F::DIGITS - 1));
    let magnitude = F::of_magnitude(bits.try_into().unwrap_or(u64::MAX));
    if is_negative { magnitude.negated() } else { magnitude }
}

/// Returns the float nearest to the root of `dividend / divisor`, times a power of two.
pub(crate) fn nearest_root<F: Format>(dividend: &BigInt, divisor: &BigInt, exponent: i64) -> F {
    // A hundred digits at least, and one that says whether there is more.
    let more = divisor.bits().saturating_sub(dividend.bits()) / 2 + 100;
    let scaled = (dividend << (2 * more)) / divisor;
    let root = scaled.sqrt();
    let is_more = &root * &root * divisor != dividend << (2 * more);
    nearest(&(root * 2 + u8::from(is_more)), &BigInt::from(1), exponent - more as i64 - 1)
}

/// The sums of powers of pairs, in units.
pub(crate) struct Sums {
    pub(crate) n: BigInt,
    pub(crate) x: BigInt,
    pub(crate) y: BigInt,
    pub(crate) xx: BigInt,
    pub(crate) yy: BigInt,
    pub(crate) xy: BigInt,
}

impl Sums {
    pub(crate) fn of<T: Known>(pairs: &[(T, T)]) -> Self {
        let sum = |f: &dyn Fn(&BigInt, &BigInt) -> BigInt| {
            pairs.iter().map(|&(x, y)| f(&x.units(), &y.units())).sum::<BigInt>()
        };
        Self {
            n: pairs.len().into(),
            x: sum(&|x, _| x.clone()),
            y: sum(&|_, y| y.clone()),
            xx: sum(&|x, _| x * x),
            yy: sum(&|_, y| y * y),
            xy: sum(&|x, y| x * y),
        }
    }

    /// The number of pairs times the sum of the products of distances from the means.
    pub(crate) fn spread(&self) -> BigInt {
        &self.n * &self.xy - &self.x * &self.y
    }

    pub(crate) fn spread_of_x(&self) -> BigInt {
        &self.n * &self.xx - &self.x * &self.x
    }

    pub(crate) fn spread_of_y(&self) -> BigInt {
        &self.n * &self.yy - &self.y * &self.y
    }
}
