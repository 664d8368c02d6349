//! The arithmetic mean.

use super::number::Number;
use super::real::{Float, FloatOf, Real};
use super::sum::Sum;
use super::wide::Wide;
use crate::op::Op;

/// The mean; NaN if any element is NaN or infinities of both signs meet. `None` for no elements.
///
/// The [`Sum`](super::Sum), with its error bound, divided once, on the host, by the number of elements as a float that is
/// rounded to nearest; of integers their sum in 64 bits, where it wraps, is divided as f64.
#[derive(Clone, Copy, Debug, Default)]
pub struct Mean;

impl<T: Number<Wide: Real>> Op<T> for Mean {
    type Acc = T::Wide;
    type Out = Option<FloatOf<T>>;
    const IDENTITY: T::Wide = T::Wide::ZERO;
    const COMMUTATIVE: bool = true;
    const ASSOCIATIVE: bool = T::Wide::ASSOCIATIVE;
    #[inline(always)]
    fn lift(self, x: T, index: u64) -> T::Wide {
        Sum.lift(x, index)
    }
    #[inline(always)]
    fn combine(left: T::Wide, right: T::Wide) -> T::Wide {
        <Sum as Op<T>>::combine(left, right)
    }
    #[inline(always)]
    fn append_rows<const V: usize, const R: usize>(
        self,
        acc: T::Wide,
        rows: [[T; V]; R],
        first: u64,
        stride: u64,
    ) -> T::Wide {
        Sum.append_rows(acc, rows, first, stride)
    }
    #[inline(always)]
    fn append_slice(self, acc: T::Wide, x: &[T], first: u64) -> T::Wide {
        Sum.append_slice(acc, x, first)
    }
    #[inline]
    fn finish(acc: T::Wide, len: u64) -> Option<FloatOf<T>> {
        (len > 0).then(|| (acc.to_float() / FloatOf::<T>::count(len)).canonical())
    }
}
