//! A dot product that carries what it rounds off.

use bytemuck::Pod;

use super::AccurateSum;
use crate::op::Op;
use crate::ops::numbers::number::Number;
use crate::ops::numbers::real::{Float, Real};

/// The sum of products of pairs, corrected by its rounding errors at the end; NaN if any factor is NaN, a zero and an infinity
/// meet, or infinities of both signs do. -0.0 for empty input.
///
/// Each product is split into its rounded value and its rounding error, and both are added to an [`AccurateSum`] (Ogita, Rump
/// and Oishi, *Accurate sum and dot product*, 2005, whose `Dot2` is the same from left to right). A product or a sum that is
/// not finite has no error.
///
/// **Error bound.** To leading order `u |exact| + 2 (h + 1)^2 u^2 sum|x y|` with `u` the unit roundoff and `h =`
/// [`depth(n)`](crate::tree::depth), if no product is so small that its rounding error is subnormal. So the result is as good
/// as if computed with twice the digits and then rounded, unless the products cancel by more than `1 / u`. With a factor beyond
/// 2^996 (f64) the error of its product cannot be computed, and the result is only as good as the result of
/// [`Dot`](crate::Dot).
#[derive(Clone, Copy, Debug, Default)]
pub struct AccurateDot;

impl<T: Number<Wide: TwoProduct> + Pod> Op<[T; 2]> for AccurateDot {
    /// The sum, and the sum of the rounding errors.
    type Acc = [T::Wide; 2];
    type Out = T::Wide;
    const IDENTITY: [T::Wide; 2] = <AccurateSum as Op<T>>::IDENTITY;
    const COMMUTATIVE: bool = true;
    const NEEDS_INDEX: bool = false;
    #[inline(always)]
    fn lift(self, pair: [T; 2], _index: u64) -> [T::Wide; 2] {
        let [x, y] = pair.map(|x| T::widen(x.few()));
        let (product, rest) = x.two_product(y);
        // Never -0.0, to which combining with the identity's +0.0 would give another sign.
        [product, rest + T::Wide::NOUGHT]
    }
    #[inline(always)]
    fn combine(left: [T::Wide; 2], right: [T::Wide; 2]) -> [T::Wide; 2] {
        <AccurateSum as Op<T>>::combine(left, right)
    }
    #[inline]
    fn finish(acc: [T::Wide; 2], len: u64) -> T::Wide {
        <AccurateSum as Op<T>>::finish(acc, len)
    }
}

/// A float whose products can be split into value and rounding error.
pub trait TwoProduct: Float {
    /// Returns the rounded product and its rounding error: exact unless the error is subnormal, not finite if the product is
    /// not.
    fn two_product(self, other: Self) -> (Self, Self);
}

impl TwoProduct for f32 {
    #[inline(always)]
    fn two_product(self, other: Self) -> (Self, Self) {
        // f64 represents the product of any two f32 exactly.
        let exact = f64::from(self) * f64::from(other);
        let product = exact as f32;
        (product, (exact - f64::from(product)) as f32)
    }
}

impl TwoProduct for f64 {
    #[inline(always)]
    fn two_product(self, other: Self) -> (Self, Self) {
        // Dekker's product (*A floating-point technique for extending the available precision*, 1971): halves of 26 bits, whose
        // products are exact. No fused multiplication, which is slow on processors without it.
        let product = self * other;
        let ((high, low), (other_high, other_low)) = (halves(self), halves(other));
        let rest = product - high * other_high;
        (product, low * other_low - ((rest - low * other_high) - high * other_low))
    }
}

/// Splits a number into the sum of two of 26 bits each (Veltkamp). Not finite beyond 2^996.
#[inline(always)]
fn halves(x: f64) -> (f64, f64) {
    const SPLITTER: f64 = 134_217_729.0; // 2^27 + 1
    let scaled = SPLITTER * x;
    let high = scaled - (scaled - x);
    (high, x - high)
}
