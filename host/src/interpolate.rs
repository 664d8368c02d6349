//! Interpolation between two neighbours of the sorted sequence.

/// The value of a quantile that falls between two elements.
///
/// Quantile q of n elements is at position `h = (n - 1) q` of the sorted sequence, counted from 0: between the elements
/// at the integers around `h`. This is definition 7 of Hyndman and Fan, *Sample Quantiles in Statistical Packages*, The
/// American Statistician 50 (1996), and NumPy's; the names are NumPy's too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Interpolation {
    /// Linear interpolation between the lower and the higher element.
    #[default]
    Linear,
    /// The lower element.
    Lower,
    /// The higher element.
    Higher,
    /// The nearer element; in a tie the one at the even position.
    Nearest,
    /// The midpoint of the two elements, unless `h` is an integer.
    Midpoint,
}

impl Interpolation {
    /// Returns the position of the lower neighbour of quantile `q` of `n` elements, and the fraction of the way to the
    /// next position: 0 if the quantile is that element.
    pub(super) fn position(self, n: usize, q: f64) -> (usize, f64) {
        let h = (n - 1) as f64 * q;
        let lower = h.floor();
        match self {
            Self::Linear => (lower as usize, h - lower),
            Self::Lower => (lower as usize, 0.0),
            Self::Higher => (h.ceil() as usize, 0.0),
            Self::Nearest => (h.round_ties_even() as usize, 0.0),
            Self::Midpoint => (lower as usize, if h > lower { 0.5 } else { 0.0 }),
        }
    }
}

/// Interpolates from `a` to `b`, `a <= b`, by `t < 1`, from the nearer end so that the result stays between them. Between an
/// infinity and a number the result is the infinity, between two infinities of opposite signs NaN.
pub(super) fn between(a: f64, b: f64, t: f64) -> f64 {
    let distance = b - a;
    if t == 0.0 || a == b {
        a
    } else if !distance.is_finite() {
        // The distance is infinite or overflows.
        a * (1.0 - t) + b * t
    } else if t < 0.5 {
        a + distance * t
    } else {
        b - distance * (1.0 - t)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_infinities_and_overflow() {
        const FAR: f64 = f64::MAX / 2.0 + f64::MAX / 4.0;
        const INF: f64 = f64::INFINITY;
        assert_eq!(between(3.0, 7.0, 0.0), 3.0);
        assert_eq!(between(3.0, 7.0, 0.25), 4.0);
        assert_eq!(between(3.0, 7.0, 0.75), 6.0);
        assert_eq!(between(-FAR, FAR, 0.5), 0.0);
        assert!((between(-FAR, FAR, 0.75) / FAR - 0.5).abs() <= f64::EPSILON);
        assert_eq!(between(1.0, INF, 0.25), INF);
        assert_eq!(between(-INF, 1.0, 0.75), -INF);
        assert_eq!(between(INF, INF, 0.5), INF);
        assert!(between(-INF, INF, 0.5).is_nan());
        // `1 - t` is rounded, but the result does not exceed the upper element.
        let (a, b) = (0.1, f64::next_up(0.1));
        assert!((1..64).all(|i| (a..=b).contains(&between(a, b, f64::from(i) / 64.0))));
    }

    #[test]
    fn positions_are_those_of_the_definition() {
        use Interpolation::{Higher, Linear, Lower, Midpoint, Nearest};
        for (how, of_5, of_4) in [
            (Linear, (2, 0.0), (1, 0.5)),
            (Lower, (2, 0.0), (1, 0.0)),
            (Higher, (2, 0.0), (2, 0.0)),
            (Nearest, (2, 0.0), (2, 0.0)),
            (Midpoint, (2, 0.0), (1, 0.5)),
        ] {
            assert_eq!((how.position(5, 0.5), how.position(4, 0.5)), (of_5, of_4), "{how:?}");
            assert_eq!((how.position(9, 0.0), how.position(9, 1.0)), ((0, 0.0), (8, 0.0)), "{how:?}");
        }
        assert_eq!((Nearest.position(2, 0.5), Nearest.position(5, 0.3)), ((0, 0.0), (1, 0.0)));
        assert_eq!(Midpoint.position(5, 0.3), (1, 0.5));
    }
}
