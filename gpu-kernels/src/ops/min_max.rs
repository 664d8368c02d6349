//! The least and the greatest element in one pass, and their indices.

use warpfold_exact::unrolled;

use super::arg::{ArgMax, ArgMin, At};
use super::extremum::{Max, Min};
use super::native::of_native_integers;
use super::numbers::order::{Key, Ordered};
use crate::op::Op;

/// The least and the greatest element, as [`Min`](super::Min) and [`Max`](super::Max) return them: NaN is skipped unless every
/// element is NaN, and -0.0 is less than +0.0. `None` for empty input.
#[derive(Clone, Copy, Debug, Default)]
pub struct MinMax;

/// The indices of the least and the greatest element, as [`ArgMin`] and [`ArgMax`] return them: the first index of each; NaN is
/// skipped unless every element is NaN, and -0.0 is less than +0.0. `None` for empty input.
#[derive(Clone, Copy, Debug, Default)]
pub struct ArgMinMax;

/// A least and a greatest value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Extremes<T> {
    /// The least.
    pub min: T,
    /// The greatest.
    pub max: T,
}

impl<T: Ordered> Op<T> for MinMax {
    type Acc = [T::Key; 2];
    type Out = Option<Extremes<T>>;
    const IDENTITY: [T::Key; 2] = [T::GREATEST, T::LEAST];
    const COMMUTATIVE: bool = true;
    const ASSOCIATIVE: bool = true;
    const FINISHES_EMPTY: bool = false;
    const NEEDS_INDEX: bool = false;
    #[inline]
    fn lift(self, x: T, _index: u64) -> [T::Key; 2] {
        [x.key(T::GREATEST), x.key(T::LEAST)]
    }
    #[inline]
    fn combine(left: [T::Key; 2], right: [T::Key; 2]) -> [T::Key; 2] {
        [left[0].min(right[0]), left[1].max(right[1])]
    }
    #[inline(always)]
    fn append_rows<const V: usize, const R: usize>(
        self,
        [mut min, mut max]: [T::Key; 2],
        rows: [[T; V]; R],
        _first: u64,
        _stride: u64,
    ) -> [T::Key; 2] {
        // One by one, since the compiler packs a pair of 4-byte keys into one register and works on it by multiplication.
        unrolled!(i < R, up to 8 => {
            unrolled!(j < V => {
                min = min.min(rows[i][j].key(T::GREATEST));
                max = max.max(rows[i][j].key(T::LEAST));
            });
        });
        [min, max]
    }
    #[inline(always)]
    fn append_slice(self, [min, max]: [T::Key; 2], x: &[T], first: u64) -> [T::Key; 2] {
        [Min.append_slice(min, x, first), Max.append_slice(max, x, first)]
    }
    #[inline]
    fn finish([min, max]: [T::Key; 2], len: u64) -> Self::Out {
        (len > 0).then(|| Extremes { min: T::from_key(min), max: T::from_key(max) })
    }
}

impl<T: Ordered> Op<T> for ArgMinMax {
    type Acc = [<T::Key as Key>::Indexed; 2];
    type Out = Option<Extremes<At<T>>>;
    const IDENTITY: [<T::Key as Key>::Indexed; 2] =
        [<ArgMin as Op<T>>::IDENTITY, <ArgMax as Op<T>>::IDENTITY];
    const COMMUTATIVE: bool = true;
    const ASSOCIATIVE: bool = true;
    const FINISHES_EMPTY: bool = false;
    #[inline]
    fn lift(self, x: T, index: u64) -> [<T::Key as Key>::Indexed; 2] {
        [ArgMin.lift(x, index), ArgMax.lift(x, index)]
    }
    #[inline]
    fn combine(
        left: [<T::Key as Key>::Indexed; 2],
        right: [<T::Key as Key>::Indexed; 2],
    ) -> [<T::Key as Key>::Indexed; 2] {
        [<ArgMin as Op<T>>::combine(left[0], right[0]), <ArgMax as Op<T>>::combine(left[1], right[1])]
    }
    #[inline(always)]
    fn append_rows<const V: usize, const R: usize>(
        self,
        acc: [<T::Key as Key>::Indexed; 2],
        rows: [[T; V]; R],
        first: u64,
        stride: u64,
    ) -> [<T::Key as Key>::Indexed; 2] {
        [ArgMin.append_rows(acc[0], rows, first, stride), ArgMax.append_rows(acc[1], rows, first, stride)]
    }
    #[inline(always)]
    fn append_slice(
        self,
        acc: [<T::Key as Key>::Indexed; 2],
        x: &[T],
        first: u64,
    ) -> [<T::Key as Key>::Indexed; 2] {
        [ArgMin.append_slice(acc[0], x, first), ArgMax.append_slice(acc[1], x, first)]
    }
    #[inline]
    fn finish([min, max]: [<T::Key as Key>::Indexed; 2], len: u64) -> Self::Out {
        let (min, max) = (ArgMin::finish(min, len)?, ArgMax::finish(max, len)?);
        Some(Extremes { min, max })
    }
}

of_native_integers!(MinMax, ArgMinMax);
