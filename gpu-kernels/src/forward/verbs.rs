//! The verbs, for rows of either kind.

use cuda_std::global::{GlobalCells, GlobalSlice};
use warpfold_elementary::{exp_up_to_one, log};

use super::FloatElement;
use super::arithmetic::{Exponentials, SumExpResult, affine, scale};
use super::row::Rows;
use crate::ops::{Float, Real};
use crate::warp;

/// Returns what stands for an absent element of exponentials: its own is 0.
#[inline(always)]
pub(crate) fn no_power<T: FloatElement>() -> T::Carrier {
    T::Carrier::NOUGHT - T::Carrier::INFINITE
}

/// Returns what is subtracted from each element of a row with this greatest one. If that is infinity, each difference is -infinity or NaN,
/// and so is the sum: no element has a share.
#[inline(always)]
fn centre<T: FloatElement>(greatest: T::Carrier) -> T::Carrier {
    if greatest == T::Carrier::INFINITE { greatest } else { Exponentials::centre(greatest) }
}

/// Softmax.
#[inline(always)]
pub(crate) fn softmax<T: FloatElement, R: Rows<T, V, N>, const V: usize, const N: usize>(
    mut rows: R,
    out: GlobalCells<T>,
) {
    let centres = rows.greatest().map(centre::<T>);
    let kept = |centre, x: T::Carrier| exp_up_to_one(x - centre);
    let sums = rows.keep::<false>(centres, kept, |power| power).map(Exponentials::shared);
    rows.write(out, |x| kept(centres[0], x), sums, |sum, powers, _| powers.map(|power| power / sum));
}

/// What is made of the logarithm of a sum of exponentials.
#[derive(Clone, Copy)]
pub(crate) enum LogOut<T: FloatElement> {
    /// The logarithm of a softmax, for each element.
    Each(GlobalCells<T>),
    /// A result for each row.
    One(GlobalCells<T::Carrier>, SumExpResult),
}

/// The logarithm of softmax, and sums of exponentials.
#[inline(always)]
pub(crate) fn logarithms<T: FloatElement, R: Rows<T, V, N>, const V: usize, const N: usize>(
    mut rows: R,
    out: LogOut<T>,
) {
    let greatest = rows.greatest();
    // Of a row with infinity the sum is infinity too, unless an element is NaN.
    let mut infinite = [T::Carrier::NOUGHT; N];
    if let LogOut::One(..) = out
        && warp::any(greatest.iter().any(|&greatest| greatest == T::Carrier::INFINITE))
    {
        infinite = rows.sums(|x| if x.partial_cmp(&x).is_some() { T::Carrier::INFINITE } else { x });
    }
    let centres = greatest.map(centre::<T>);
    let kept = |centre, x: T::Carrier| x - centre;
    let sums = rows.keep::<false>(centres, kept, exp_up_to_one);
    match out {
        LogOut::Each(out) => {
            let logs = rows.each(sums.map(Exponentials::shared), log);
            rows.write(
                out,
                |x| kept(centres[0], x),
                logs,
                |log, differences, _| differences.map(|difference| difference - log),
            );
        }
        LogOut::One(out, result) => {
            let mut values = sums;
            let mut k = 0;
            while k < N {
                let is_infinite = greatest[k] == T::Carrier::INFINITE;
                let sum = if is_infinite { infinite[k] } else { sums[k] };
                values[k] = Exponentials { centre: Exponentials::centre(greatest[k]), sum }
                    .result(result, rows.len());
                k += 1;
            }
            rows.write_one(out, values);
        }
    }
}

/// What a norm multiplies and adds to each column, if anything.
#[derive(Clone, Copy)]
pub(crate) struct Affine<T> {
    pub(crate) weight: Option<GlobalSlice<T>>,
    pub(crate) bias: Option<GlobalSlice<T>>,
}

/// The root mean square norm, or the layer norm if `is_centred`.
#[inline(always)]
pub(crate) fn norm<T: FloatElement, R: Rows<T, V, N>, const V: usize, const N: usize>(
    mut rows: R,
    out: GlobalCells<T>,
    Affine { weight, bias }: Affine<T>,
    is_centred: bool,
    epsilon: T::Carrier,
) {
    let len = rows.len();
    let mut centres = [T::Carrier::NOUGHT; N];
    if is_centred {
        let sums = rows.sums(|x| x);
        centres = rows.each(sums, |sum| sum / T::Carrier::count(len));
    }
    let kept = |centre, x: T::Carrier| x - centre;
    let squares = rows.keep::<true>(centres, kept, |x| x * x);
    let scales = rows.each(squares, |squares| scale(squares, len, epsilon));
    rows.write(
        out,
        |x| kept(centres[0], x),
        scales,
        |scale, differences, column| {
            let weight = weight.map(|weight| parameters::<T, V>(weight, column));
            let bias = bias.map(|bias| parameters::<T, V>(bias, column));
            core::array::from_fn(|v| {
                affine(differences[v] * scale, weight.map(|weight| weight[v]), bias.map(|bias| bias[v]))
            })
        },
    );
}

/// Returns the parameters of the columns from `first` on. Behind the last column they are arbitrary.
#[inline(always)]
fn parameters<T: FloatElement, const V: usize>(all: GlobalSlice<T>, first: u64) -> [T::Carrier; V] {
    let loaded = all
        .read_vector::<V>(first)
        .unwrap_or_else(|| core::array::from_fn(|v| all.read_or_last(first + v as u64)));
    loaded.map(T::wide)
}
