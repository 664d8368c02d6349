//! Sums of magnitudes and of squares, and the norms of a vector.

use super::native::of_native_integers;
use super::numbers::number::Number;
use super::numbers::order::Ordered;
use super::numbers::real::{Float, FloatOf, MagnitudeOf, Real, SquaresOf};
use super::numbers::squares::Squares;
use super::numbers::wide::Wide;
use crate::op::Op;

/// The sum of the squares; NaN if any element is NaN.
///
/// 0 for empty input. Integers are squared and summed in 64 unsigned bits, where they wrap. Floats are squared, rounded, and
/// then added: nothing is fused. A square that is too large is infinite and one that is too small is 0.
#[derive(Clone, Copy, Debug, Default)]
pub struct SumOfSquares;

/// The sum of the magnitudes, `|x0| + |x1| + ..`; NaN if any element is NaN.
///
/// 0 for empty input. Integers are summed in 64 unsigned bits, where they wrap; the magnitude of the least integer is exact.
#[derive(Clone, Copy, Debug, Default)]
pub struct Norm1;

/// The Euclidean norm, the root of the [sum of squares](SumOfSquares); NaN if any element is NaN.
///
/// 0 for empty input. The root is taken once, at the end, and rounded to nearest. For integers it is an f64, the exact root
/// rounded once: the squares are summed in 192 bits, which hold the sum of any number of them. Floats are not scaled: if a
/// square or the sum overflows, the norm is infinite even if the exact norm is not, and squares below the least number are
/// lost.
///
/// ```
/// use gpu_kernels::{Norm2, reference};
///
/// assert_eq!(reference::reduce::<i64, Norm2>(&[i64::MIN; 4]), 2f64.powi(64));
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Norm2;

/// The greatest magnitude; NaN if any element is NaN.
///
/// 0 for empty input. For integers it is a u64: the magnitude of the least integer is exact.
#[derive(Clone, Copy, Debug, Default)]
pub struct NormInf;

macro_rules! sum_of {
    ($op:ty: $measure:ident, $out:ident, $finish:expr) => {
        impl<T: Number<Wide: Real>> Op<T> for $op {
            type Acc = MagnitudeOf<T>;
            type Out = $out<T>;
            const IDENTITY: MagnitudeOf<T> = MagnitudeOf::<T>::NOUGHT;
            const COMMUTATIVE: bool = true;
            const ASSOCIATIVE: bool = MagnitudeOf::<T>::ASSOCIATIVE;
            const NEEDS_INDEX: bool = false;
            #[inline]
            fn lift(self, x: T, _index: u64) -> MagnitudeOf<T> {
                T::widen(x.few()).$measure()
            }
            #[inline]
            fn combine(left: MagnitudeOf<T>, right: MagnitudeOf<T>) -> MagnitudeOf<T> {
                Wide::add(left, right)
            }
            #[inline]
            fn finish(acc: MagnitudeOf<T>, _len: u64) -> $out<T> {
                $finish(acc)
            }
        }
    };
}
sum_of!(SumOfSquares: square, MagnitudeOf, Wide::canonical);
sum_of!(Norm1: magnitude, MagnitudeOf, Wide::canonical);

impl<T: Number<Wide: Real>> Op<T> for Norm2 {
    type Acc = SquaresOf<T>;
    type Out = FloatOf<T>;
    const IDENTITY: SquaresOf<T> = SquaresOf::<T>::NOUGHT;
    const COMMUTATIVE: bool = true;
    const ASSOCIATIVE: bool = SquaresOf::<T>::ASSOCIATIVE;
    const NEEDS_INDEX: bool = false;
    #[inline]
    fn lift(self, x: T, _index: u64) -> SquaresOf<T> {
        T::widen(x.few()).squares()
    }
    #[inline]
    fn combine(left: SquaresOf<T>, right: SquaresOf<T>) -> SquaresOf<T> {
        left.add(right)
    }
    #[inline]
    fn finish(acc: SquaresOf<T>, _len: u64) -> FloatOf<T> {
        acc.root()
    }
}

impl<T: Number<Wide: Real>> Op<T> for NormInf {
    type Acc = <MagnitudeOf<T> as Ordered>::Key;
    type Out = MagnitudeOf<T>;
    const IDENTITY: Self::Acc = MagnitudeOf::<T>::LEAST;
    const COMMUTATIVE: bool = true;
    const ASSOCIATIVE: bool = true;
    const NEEDS_INDEX: bool = false;
    #[inline]
    fn lift(self, x: T, _index: u64) -> Self::Acc {
        T::widen(x.few()).magnitude().key(MagnitudeOf::<T>::GREATEST)
    }
    #[inline]
    fn combine(left: Self::Acc, right: Self::Acc) -> Self::Acc {
        left.max(right)
    }
    #[inline]
    fn finish(acc: Self::Acc, len: u64) -> MagnitudeOf<T> {
        if len == 0 { MagnitudeOf::<T>::NOUGHT } else { MagnitudeOf::<T>::from_key(acc) }
    }
}

/// The sum of the squared distances from a centre, `(x0 - c)^2 + (x1 - c)^2 + ..`; NaN if any element is NaN or the
/// centre and an element are equal infinities.
///
/// 0 for empty input. Each difference, square and sum is rounded to nearest.
///
/// ```
/// use gpu_kernels::{CentredSquares, reference};
///
/// assert_eq!(reference::reduce_by(CentredSquares { centre: 2.0 }, &[1.0, 2.0, 5.0]), 10.0);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, bytemuck::NoUninit)]
#[repr(transparent)]
pub struct CentredSquares<F> {
    /// The point from which distances are taken.
    pub centre: F,
}

impl<F: Float> Op<F> for CentredSquares<F> {
    type Acc = F;
    type Out = F;
    const IDENTITY: F = F::NOUGHT;
    const COMMUTATIVE: bool = true;
    const NEEDS_INDEX: bool = false;
    #[inline]
    fn lift(self, x: F, _index: u64) -> F {
        (x - self.centre).square()
    }
    #[inline]
    fn combine(left: F, right: F) -> F {
        left + right
    }
    #[inline]
    fn finish(acc: F, _len: u64) -> F {
        acc.canonical()
    }
}

of_native_integers!(SumOfSquares, Norm1, Norm2, NormInf);
