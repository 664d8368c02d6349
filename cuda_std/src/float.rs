//! Float functions that the language has on the host only.

/// Float functions with the same bits on the device and on the host.
///
/// The trait has the name of Rust-CUDA's trait, but not its functions that differ between the two, such as sines and
/// logarithms.
pub trait GpuFloat: Copy {
    /// Returns the square root, correctly rounded: to nearest, ties to even. Returns a NaN for numbers less than -0.0.
    #[must_use]
    fn sqrt(self) -> Self;

    /// Returns `self * by + plus`, rounded once.
    #[must_use]
    fn fused(self, by: Self, plus: Self) -> Self;
}

/// Minimum and maximum as in IEEE 754-2019.
pub trait FloatOrder: Copy {
    /// Returns the lesser number, where -0.0 is less than +0.0. If one is NaN, returns the other; if both are, returns
    /// a NaN (IEEE 754-2019 `minimumNumber`). One instruction for f32. The bits of a NaN are unspecified.
    #[must_use]
    fn minimum_number(self, other: Self) -> Self;
    /// Returns the greater number, with the rules of [`minimum_number`](Self::minimum_number) (IEEE 754-2019
    /// `maximumNumber`).
    #[must_use]
    fn maximum_number(self, other: Self) -> Self;
}

macro_rules! floats {
    ($($float:ident by $device:ident, $min:ident, $max:ident, NaN $nan:literal);*) => { $(
        impl GpuFloat for $float {
            #[cfg(target_arch = "nvptx64")]
            #[inline(always)]
            fn sqrt(self) -> Self {
                crate::imp::$device(self)
            }

            #[cfg(not(target_arch = "nvptx64"))]
            #[inline(always)]
            fn sqrt(self) -> Self {
                // IEEE 754 requires the standard library's root to be correctly rounded.
                <$float>::sqrt(self)
            }

            #[cfg(target_arch = "nvptx64")]
            #[inline(always)]
            fn fused(self, by: Self, plus: Self) -> Self {
                core::$float::math::mul_add(self, by, plus)
            }

            #[cfg(not(target_arch = "nvptx64"))]
            #[inline(always)]
            fn fused(self, by: Self, plus: Self) -> Self {
                <$float>::mul_add(self, by, plus)
            }
        }
        impl FloatOrder for $float {
            #[cfg(target_arch = "nvptx64")]
            #[inline(always)]
            fn minimum_number(self, other: Self) -> Self {
                crate::imp::$min(self, other)
            }

            #[cfg(not(target_arch = "nvptx64"))]
            #[inline(always)]
            fn minimum_number(self, other: Self) -> Self {
                // The standard library's `min` leaves the order of zeros open.
                let is_less = self < other || (self == other && self.is_sign_negative());
                if self.is_nan() && other.is_nan() {
                    <$float>::from_bits($nan)
                } else if is_less || other.is_nan() {
                    self
                } else {
                    other
                }
            }

            #[cfg(target_arch = "nvptx64")]
            #[inline(always)]
            fn maximum_number(self, other: Self) -> Self {
                crate::imp::$max(self, other)
            }

            #[cfg(not(target_arch = "nvptx64"))]
            #[inline(always)]
            fn maximum_number(self, other: Self) -> Self {
                let is_greater = self > other || (self == other && self.is_sign_positive());
                if self.is_nan() && other.is_nan() {
                    <$float>::from_bits($nan)
                } else if is_greater || other.is_nan() {
                    self
                } else {
                    other
                }
            }
        }
    )* };
}
// The NaN is what a device returns for two f32 NaNs. The host uses it too, so that a kernel cannot rely on getting one
// of the two operands.
floats!(
    f32 by sqrt_f32, min_f32, max_f32, NaN 0x7fff_ffff;
    f64 by sqrt_f64, min_f64, max_f64, NaN 0x7fff_ffff_ffff_ffff
);

#[cfg(all(test, not(target_arch = "nvptx64")))]
mod tests {
    use super::*;

    /// In both orders of arguments, zeros are ordered by sign, and numbers win over NaN.
    #[test]
    fn extremes_are_the_standards() {
        let nan = f32::NAN;
        for (a, b, least, greatest) in [
            (1.0f32, 2.0, 1.0, 2.0),
            (-0.0, 0.0, -0.0, 0.0),
            (nan, 3.0, 3.0, 3.0),
            (f32::from_bits(0x7f80_0001), -3.0, -3.0, -3.0),
            (f32::NEG_INFINITY, nan, f32::NEG_INFINITY, f32::NEG_INFINITY),
        ] {
            for (a, b) in [(a, b), (b, a)] {
                assert_eq!(a.minimum_number(b).to_bits(), least.to_bits(), "{a} {b}");
                assert_eq!(a.maximum_number(b).to_bits(), greatest.to_bits(), "{a} {b}");
                let (a, b) = (f64::from(a), f64::from(b));
                assert_eq!(a.minimum_number(b).to_bits(), f64::from(least).to_bits(), "{a} {b}");
                assert_eq!(a.maximum_number(b).to_bits(), f64::from(greatest).to_bits(), "{a} {b}");
            }
        }
        assert!(nan.minimum_number(-nan).is_nan() && nan.maximum_number(-nan).is_nan());
    }

    #[test]
    fn roots_are_the_standard_librarys() {
        fn root<F: GpuFloat>(x: F) -> F {
            x.sqrt()
        }
        assert_eq!(root(2.0f32).to_bits(), 0x3fb5_04f3);
        assert_eq!(root(2.0f64).to_bits(), 0x3ff6_a09e_667f_3bcd);
        assert_eq!(root(-0.0f64).to_bits(), (-0.0f64).to_bits());
        assert!(root(-1.0f32).is_nan());
    }

    #[test]
    fn a_fused_product_and_sum_round_once() {
        fn residual<F: GpuFloat>(x: F, y: F, z: F) -> F {
            x.fused(y, z)
        }
        let (x, y) = (1.0f32 + f32::EPSILON, 1.0f64 + f64::EPSILON);
        assert_eq!(residual(x, x, -1.0 - 2.0 * f32::EPSILON), f32::EPSILON * f32::EPSILON);
        assert_eq!(residual(y, y, -1.0 - 2.0 * f64::EPSILON), f64::EPSILON * f64::EPSILON);
    }
}
