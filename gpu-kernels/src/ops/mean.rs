//! The arithmetic mean.

use super::native::of_native_integers;
use super::numbers::dividend::Dividend;
use super::numbers::number::{CarriedIn, Number};
use super::numbers::real::{DividendOf, FloatOf, Real};
use super::numbers::wide::Wide;
use super::sum::SumIn;
use crate::op::Op;

/// The mean; NaN if any element is NaN or infinities of both signs meet. `None` for empty input.
///
/// For integers, and for bools as 0 and 1, it is an f64: the exact sum, carried in 128 bits, divided by the number of elements
/// and rounded to nearest once. For floats it is the [`Sum`](super::Sum) in the type that carries it, with its error bound,
/// divided once, at the end, by the number of elements as such a float.
///
/// ```
/// use gpu_kernels::{Mean, reference};
///
/// assert_eq!(reference::reduce::<i64, Mean>(&[i64::MAX; 2]), Some(2f64.powi(63)));
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Mean;

impl<T: Number<Wide: Real> + CarriedIn<DividendOf<T>>> Op<T> for Mean {
    type Acc = DividendOf<T>;
    type Out = Option<FloatOf<T>>;
    const IDENTITY: DividendOf<T> = DividendOf::<T>::ZERO;
    const COMMUTATIVE: bool = true;
    const ASSOCIATIVE: bool = DividendOf::<T>::ASSOCIATIVE;
    const FINISHES_EMPTY: bool = false;
    const NEEDS_INDEX: bool = false;
    #[inline(always)]
    fn lift(self, x: T, index: u64) -> DividendOf<T> {
        SumIn::<DividendOf<T>>::NEW.lift(x, index)
    }
    #[inline(always)]
    fn combine(left: DividendOf<T>, right: DividendOf<T>) -> DividendOf<T> {
        left.add(right)
    }
    #[inline(always)]
    fn append_rows<const V: usize, const R: usize>(
        self,
        acc: DividendOf<T>,
        rows: [[T; V]; R],
        first: u64,
        stride: u64,
    ) -> DividendOf<T> {
        SumIn::<DividendOf<T>>::NEW.append_rows(acc, rows, first, stride)
    }
    #[inline(always)]
    fn append_slice(self, acc: DividendOf<T>, x: &[T], first: u64) -> DividendOf<T> {
        SumIn::<DividendOf<T>>::NEW.append_slice(acc, x, first)
    }
    #[inline]
    fn finish(acc: DividendOf<T>, len: u64) -> Option<FloatOf<T>> {
        (len > 0).then(|| acc.over(len))
    }
}

of_native_integers!(Mean);
