//! Floats whose NaNs are all greater than the numbers, as NumPy and polars order them.

use bytemuck::{Pod, Zeroable};

use super::total_order::{Rank, TotalOrder};
use crate::ops::by_rank::RankedNumber;

/// A float that is greater than every number if it is NaN, whatever its sign: -infinity, ..., -0.0, +0.0, ..., +infinity, NaNs
/// without a sign, NaNs with one. So an ascending sort has all NaNs last, and a descending one first. A float by itself has the
/// [total order](TotalOrder), in which a NaN with a sign is less than every number; x86 computes such a NaN for 0.0 / 0.0.
///
/// An array of floats is [seen](NanGreatest::wrap_slice) as an array of these without a copy. Sorts, `top_k`, medians and
/// quantiles take it as any other. NaNs of different bits are not equal: they are ordered by their signs, then by their bits. A
/// quantile is the canonical NaN where it equals a NaN or lies between one and its neighbour, and else a number, however many
/// elements are NaN. Comparisons by `==` and `<` are the float's.
///
/// ```
/// use gpu_kernels::{NanGreatest, TotalOrder};
///
/// assert!((-f32::NAN).rank() < f32::NEG_INFINITY.rank());
/// assert!(NanGreatest(-f32::NAN).rank() > NanGreatest(f32::INFINITY).rank());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd, Pod, Zeroable)]
#[repr(transparent)]
pub struct NanGreatest<F>(pub F);

impl<F: Pod> NanGreatest<F> {
    /// Returns the same floats, ordered in this way.
    ///
    /// ```
    /// use gpu_kernels::NanGreatest;
    ///
    /// let x = [1.5_f32, -f32::NAN];
    /// assert_eq!(NanGreatest::wrap_slice(&x)[0], NanGreatest(1.5));
    /// ```
    #[must_use]
    pub fn wrap_slice(floats: &[F]) -> &[Self] {
        bytemuck::cast_slice(floats)
    }

    /// Returns the same floats, ordered in this way, to sort them.
    ///
    /// ```
    /// use gpu_kernels::{NanGreatest, TotalOrder};
    ///
    /// let mut x = [-f64::NAN, 1.5, f64::NEG_INFINITY];
    /// NanGreatest::wrap_slice_mut(&mut x).sort_by_key(|x| x.rank());
    /// assert!(x[..2] == [f64::NEG_INFINITY, 1.5] && x[2].is_nan());
    /// ```
    #[must_use]
    pub fn wrap_slice_mut(floats: &mut [F]) -> &mut [Self] {
        bytemuck::cast_slice_mut(floats)
    }
}

/// Returns how many ranks of NaNs are before the first number.
#[inline(always)]
fn turned<F: RankedNumber>() -> F::Rank {
    let [first, _] = F::numbers();
    first.rank()
}

/// The ranks of the float, less those before the first number, which wrap round to the end.
impl<F: RankedNumber + Pod> TotalOrder for NanGreatest<F> {
    type Rank = F::Rank;
    #[inline(always)]
    fn rank(self) -> F::Rank {
        self.0.rank().distance_from(turned::<F>())
    }
    #[inline(always)]
    fn from_rank(rank: F::Rank) -> Self {
        let back = F::Rank::zeroed().distance_from(turned::<F>());
        Self(F::from_rank(rank.distance_from(back)))
    }
}

impl<F: RankedNumber + Pod> RankedNumber for NanGreatest<F> {
    const IS_FLOAT: bool = F::IS_FLOAT;
    fn zeros() -> [Self; 2] {
        F::zeros().map(Self)
    }
    fn numbers() -> [Self; 2] {
        F::numbers().map(Self)
    }
}

#[cfg(test)]
mod tests {
    use core::cmp::Ordering;
    use core::fmt::Debug;

    use half::{bf16, f16};

    use super::*;

    /// The order in words: numbers, then NaNs by sign, and all of them by the total order.
    fn order<F: Copy>(
        x: F,
        y: F,
        total: fn(&F, &F) -> Ordering,
        is_nan: fn(F) -> bool,
        sign: fn(F) -> bool,
    ) -> Ordering {
        let class = |x: F| (is_nan(x), is_nan(x) && sign(x));
        class(x).cmp(&class(y)).then_with(|| total(&x, &y))
    }

    #[test]
    fn every_nan_of_16_bits_is_greater_than_every_number() {
        let mut f16s: Vec<f16> = (0..=u16::MAX).map(f16::from_bits).collect();
        f16s.sort_by(|x, y| order(*x, *y, f16::total_cmp, f16::is_nan, f16::is_sign_negative));
        let mut bf16s: Vec<bf16> = (0..=u16::MAX).map(bf16::from_bits).collect();
        bf16s.sort_by(|x, y| order(*x, *y, bf16::total_cmp, bf16::is_nan, bf16::is_sign_negative));
        for ((x, y), place) in f16s.iter().zip(&bf16s).zip(0..=u16::MAX) {
            assert_eq!((NanGreatest(*x).rank(), NanGreatest(*y).rank()), (place, place), "{x:?} {y:?}");
            assert_eq!(NanGreatest::<f16>::from_rank(place).0.to_bits(), x.to_bits());
            assert_eq!(NanGreatest::<bf16>::from_rank(place).0.to_bits(), y.to_bits());
        }
    }

    fn compares<F: RankedNumber + Pod + Debug>(x: &[F], order: impl Fn(F, F) -> Ordering) {
        for &a in x {
            for &b in x {
                let (rank, other) = (NanGreatest(a).rank(), NanGreatest(b).rank());
                assert_eq!(rank.cmp(&other), order(a, b), "{a:?} {b:?}");
            }
            let back = NanGreatest::<F>::from_rank(NanGreatest(a).rank());
            assert_eq!(bytemuck::bytes_of(&back), bytemuck::bytes_of(&a), "{a:?}");
        }
    }

    /// Tests bits around every power of two, where exponents, signs and NaNs change.
    #[test]
    fn wide_floats_compare_as_their_ranks() {
        let bits: Vec<u64> = (0..64)
            .flat_map(|i| [(1 << i) - 1, 1 << i, (1 << i) + 1, !(1 << i)])
            .chain([f64::NAN, -f64::NAN, f64::INFINITY, f64::NEG_INFINITY].map(f64::to_bits))
            .chain([f32::NAN, -f32::NAN, f32::INFINITY, f32::NEG_INFINITY].map(|x| x.to_bits().into()))
            .collect();
        let x: Vec<f64> = bits.iter().map(|&bits| f64::from_bits(bits)).collect();
        compares(&x, |x, y| order(x, y, f64::total_cmp, f64::is_nan, f64::is_sign_negative));
        let x: Vec<f32> = bits.iter().map(|&bits| f32::from_bits(bits as u32)).collect();
        compares(&x, |x, y| order(x, y, f32::total_cmp, f32::is_nan, f32::is_sign_negative));
    }
}
