//! The first elements in an order, medians and quantiles, by selection.

use crate::interpolate::Interpolation;
use crate::verb::order::Order;

/// Selects the first `k` elements of a stable sort of `x`, and their indices. `top_k` selects the greatest elements, greatest first;
/// `bottom_k` the least, least first. A NaN without a sign is greater than every number, and one with a sign less; in
/// [`NanGreatest`](crate::NanGreatest) both are greater.
///
/// **`Cpu`, `Auto`.** Returns a `Vec` of [`At`](crate::At). For [`rows(&x, [r, c])`](crate::rows), [`chunks`](crate::chunks)
/// and [`segments`](crate::segments) it has the first `k` of each part, part after part, with indices in the part, and so for
/// [`groups(&ids, &x, count)`](crate::groups), whose elements are copied group after group. For [`by_key(&keys, &x)`](crate::by_key) the
/// distinct keys come with it, and so with medians and quantiles. [`padded`](crate::padded) parts may have fewer than `k` elements.
/// Indices count [missing](crate::Elements) elements. Reads `x` once or twice, and does not sort it.
///
/// **`Cuda`.** Returns two arrays, of elements and of indices of 8 bytes, and waits for them. Up to 2048 elements are found in one pass
/// over all elements, up to a bound estimated from a sample. If more elements than there is room for are before that bound, or if `k` is
/// greater, a few passes find another bound: at most one pass for every 11 bits of an element, and of an index if many elements are
/// equal, until at most 2^16 others, or one in 128 of all elements, are before the bound. The elements before it are sorted on the
/// device. This takes about 41 bytes of memory for each (75 for elements of 8 bytes, or more than 2^32 of them); up to a sixteenth of the
/// device's memory is kept for the next call. The host waits once per pass, and once per level of the sort.
///
/// For `rows(&x, [r, c])`, `chunks` and `segments`, `Cuda` returns the same two arrays, with the first `k` of each part, part after part.
/// Each part is [sorted](super::Sort) as far as its first `k` elements reach. If a part fits no block, only the buckets with these
/// elements are sorted after the first level. The elements of `groups` and of `by_key` are sorted by id or key first, as a
/// [`Reduce`](super::Reduce) of them does, with the same memory and errors; these are segments then.
///
/// **`World`.** Every rank gets the first `k` elements of all ranks, with indices in the whole. Each rank sends its own first `k`.
///
/// # Errors
/// [`Error::TooFew`](crate::Error::TooFew) if there are fewer than `k` elements, and
/// [`Error::PartTooShort`](crate::Error::PartTooShort) if a part has fewer and is not padded;
/// [`Error::TooManyResults`](crate::Error::TooManyResults) if there is not enough memory for up to `2 * k` elements on each thread of the
/// CPU or, if many are wanted, so that `x` is sorted, for a sort; of a device and of ranks as [`Reduce`](super::Reduce).
///
/// ```
/// use warpfold::{At, Cpu, NanGreatest, rows};
///
/// let (cpu, x) = (Cpu::new(), [3, 9, 4, 9]);
/// assert_eq!(cpu.top_k(&x, 3)?, [(1, 9), (3, 9), (2, 4)].map(|(index, value)| At { index, value }));
/// assert_eq!(cpu.bottom_k(&x, 1)?, [At { index: 0, value: 3 }]);
/// assert_eq!(cpu.top_k(rows(&x, [2, 2]), 1)?, [At { index: 1, value: 9 }; 2]);
///
/// // As in polars, a NaN is the greatest whatever its sign:
/// let x = [3.0, -f32::NAN, 4.0];
/// assert_eq!(cpu.top_k(&x, 1)?[0].index, 2);
/// assert_eq!(cpu.top_k(NanGreatest::wrap_slice(&x), 1)?[0].index, 1);
/// # Ok::<(), warpfold::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct TopK<X> {
    /// The elements.
    pub x: X,
    /// The number of elements to select.
    pub k: usize,
    /// [`Order::Descending`] selects the greatest elements, [`Order::Ascending`] the least.
    pub order: Order,
}

/// Returns the middle of the sorted elements, or the midpoint of the two middle ones: the linear [quantile](Quantiles) 0.5.
/// For [`rows`](crate::rows), [`chunks`](crate::chunks) and [`segments`](crate::segments), and for
/// [`groups`](crate::groups), returns a `Vec` with the median of each part.
///
/// # Errors
/// As [`Quantiles`].
///
/// ```
/// use warpfold::{Cpu, chunks};
///
/// assert_eq!(Cpu::new().median(&[5.0_f32, 1.0, 2.0])?, 2.0);
/// assert_eq!(Cpu::new().median(&[1_u8, 2, 3, 4])?, 2.5);
/// assert_eq!(Cpu::new().median(chunks(&[1_u8, 2, 3, 4, 9], 2))?, [1.5, 3.5, 9.0]);
/// # Ok::<(), warpfold::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Median<X> {
    /// The elements.
    pub x: X,
}

/// Returns quantiles of the elements, as [`Interpolation`] defines them: 0 is the least element, 1 the greatest. If an
/// element is NaN, each quantile is the canonical NaN. [`NanGreatest`](crate::NanGreatest) sorts NaNs behind the
/// numbers, as polars does; then only a quantile that lies among NaNs is NaN. Values between two elements are computed
/// in f64 and rounded once to the result's type.
///
/// For `rows`, `chunks`, `segments` and `groups` the result has the quantiles of the first part, then of the next. A device
/// [sorts](super::Sort) the parts for this, in memory for as many elements. The host computes values between two elements.
///
/// Quantiles are found by selection: for many of them, sort instead. The CPU reads `x` a few times for each quantile. On a device one
/// pass over all elements serves all quantiles; then each element that a quantile equals or lies next to takes up to two more passes
/// (five for elements of 8 bytes), where these elements differ in the first 11 bits of their ranks. Over ranks, only the last few
/// candidates are sent. All ranks ask for the same quantiles and get the same results.
///
/// # Errors
/// [`Error::NoElements`](crate::Error::NoElements) for empty input, [`Error::PartTooShort`](crate::Error::PartTooShort) for an empty part; [`Error::Quantile`](crate::Error::Quantile) if a quantile is not from
/// 0 to 1; [`Error::TooManyResults`](crate::Error::TooManyResults) if there is not enough memory for the elements that are compared, up to
/// a copy of all; otherwise as [`Reduce`](super::Reduce).
///
/// ```
/// use warpfold::{Cpu, Interpolation};
///
/// let x = [40, 10, 30, 20];
/// assert_eq!(Cpu::new().quantiles(&x, &[0.0, 0.25, 1.0], Interpolation::Linear)?, [10.0, 17.5, 40.0]);
/// assert_eq!(Cpu::new().quantiles(&x, &[0.25], Interpolation::Lower)?, [10.0]);
///
/// let x = [f32::NAN, 1.0, 2.0, -f32::NAN, 3.0];
/// assert!(Cpu::new().median(&x)?.is_nan());
/// assert_eq!(Cpu::new().median(warpfold::NanGreatest::wrap_slice(&x))?, 3.0);
/// # Ok::<(), warpfold::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Quantiles<'a, X> {
    /// The elements.
    pub x: X,
    /// Numbers from 0 to 1.
    pub qs: &'a [f64],
    /// What a quantile between two elements is.
    pub how: Interpolation,
}
