//! Positions among even bins, in arithmetic that is rounded: on the host as on a device.

/// A float in which positions are computed.
pub trait Position: Copy + Send + Sync {
    /// Rounds a parameter.
    fn of(parameter: f64) -> Self;
    /// Returns the difference.
    #[must_use]
    fn less(self, other: Self) -> Self;
    /// Returns whether `low <= self <= high`.
    fn within(self, low: Self, high: Self) -> bool;
    /// Returns the product of `self`, a distance, and `scale`, as the nearest integer; whether the product is less than that; and whether
    /// the two differ by more than `slack`. A product that is negative, NaN, or beyond 2^23 - 1 (f32) or 2^32 - 1 (f64) gives any answer.
    fn nearest(self, scale: Self, slack: Self) -> (u32, bool, bool);
}

/// Lines `float: the first number that has no fraction, the bits of an integer added to it`.
macro_rules! positions {
    ($($float:ty: $whole:literal, $mask:literal;)*) => { $(
        impl Position for $float {
            #[inline(always)]
            fn of(parameter: f64) -> Self {
                parameter as Self
            }
            #[inline(always)]
            fn less(self, other: Self) -> Self {
                self - other
            }
            #[inline(always)]
            fn within(self, low: Self, high: Self) -> bool {
                (low <= self) & (self <= high)
            }
            #[inline(always)]
            fn nearest(self, scale: Self, slack: Self) -> (u32, bool, bool) {
                let position = self * scale;
                let moved = position + $whole;
                let beyond = position - (moved - $whole);
                ((moved.to_bits() & $mask) as u32, beyond < 0.0, beyond.abs() > slack)
            }
        }
    )* };
}
positions! {
    f32: 8_388_608.0, 0x7f_ffff;
    f64: 4_503_599_627_370_496.0, 0xffff_ffff;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<P: Position>(most: f64) {
        let of = P::of;
        for (position, nearest, is_less) in [
            (0.0, 0.0, false),
            (0.25, 0.0, false),
            (2.75, 3.0, true),
            (most - 0.25, most, true),
            (most, most, false),
        ] {
            let found = of(position).nearest(of(1.0), of(0.2));
            let is_far = position != nearest;
            assert_eq!(found, (nearest as u32, is_less, is_far), "{position}");
            assert!(!of(position).nearest(of(1.0), of(0.3)).2, "{position}");
        }
        assert_eq!(of(5.5).less(of(1.5)).nearest(of(0.75), of(0.1)), (3, false, false));
        assert!(of(1.0).within(of(1.0), of(2.0)) && of(2.0).within(of(1.0), of(2.0)));
        assert!(!of(2.5).within(of(1.0), of(2.0)) && !of(f64::NAN).within(of(1.0), of(2.0)));
        assert!(!of(f64::NAN).nearest(of(1.0), of(0.25)).2, "a NaN is not far from an integer");
    }

    #[test]
    fn the_nearest_integer_and_the_side() {
        check::<f32>(4_194_303.0);
        check::<f64>(4_294_967_295.0);
    }
}
