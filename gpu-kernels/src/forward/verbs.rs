//! The verbs, for rows of either kind.

use cuda_std::global::GlobalCells;
use warpfold_elementary::{exp_up_to_one, log};
use warpfold_exact::unrolled;

use super::FloatElement;
use super::access::Access;
use super::arithmetic::{Exponentials, SumExpResult, affine, scale};
use super::divisor::Divisor;
use super::row::{Results, Rows, Terms};
use crate::ops::{Float, Real};
use crate::warp;

/// Returns what stands for an absent element of exponentials: its own is 0.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn no_power<T: FloatElement>() -> T {
    T::nearest(T::Carrier::NOUGHT - T::Carrier::INFINITE)
}

/// Returns what is subtracted from each element of a row with this greatest one. If that is infinity, each difference is -infinity or NaN,
/// and so is the sum: no element has a share.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn centre<T: FloatElement>(greatest: T::Carrier) -> T::Carrier {
    if greatest == T::Carrier::INFINITE { greatest } else { Exponentials::centre(greatest) }
}

/// Powers.
struct Powers;

impl<A: Float + warpfold_elementary::Float> Terms<A> for Powers {
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn kept(centre: A, x: A) -> A {
        exp_up_to_one(x - centre)
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn term(power: A) -> A {
        power
    }
}

/// Softmax.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn softmax<
    T: FloatElement,
    A: Access<T, V>,
    R: Rows<T, A, V, N>,
    const V: usize,
    const N: usize,
>(
    mut rows: R,
    out: A::Cells,
) {
    let centres = rows.greatest().map(centre::<T>);
    let sums = rows.keep::<Powers>(centres).map(Exponentials::shared);
    let reciprocals = rows.each(sums, |sum| T::Carrier::UNIT / sum);
    let divisors: [_; N] = core::array::from_fn(|k| Divisor::new(sums[k], reciprocals[k]));
    rows.write::<Powers, _>(out, centres, divisors);
}

/// What is made of the logarithm of a sum of exponentials.
#[derive(Clone, Copy)]
pub(crate) enum LogOut<T: FloatElement, C> {
    /// The logarithm of a softmax, for each element.
    Each(C),
    /// A result for each row.
    One(GlobalCells<T::Carrier>, SumExpResult),
}

/// Exponents, whose powers are summed.
struct Exponents;

impl<A: Float + warpfold_elementary::Float> Terms<A> for Exponents {
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn kept(centre: A, x: A) -> A {
        x - centre
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn term(exponent: A) -> A {
        exp_up_to_one(exponent)
    }
}

/// The sum of a row with infinity: infinity too, unless an element is NaN.
struct Infinities;

impl<A: Float> Terms<A> for Infinities {
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn kept(_: A, x: A) -> A {
        x
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn term(x: A) -> A {
        if x.partial_cmp(&x).is_some() { A::INFINITE } else { x }
    }
}

/// The logarithm of a row's sum.
#[derive(Clone, Copy)]
struct Logarithm<A>(A);

impl<T: FloatElement, const V: usize> Results<T, V> for Logarithm<T::Carrier> {
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn of(self, mut exponents: [T::Carrier; V], _column: u64) -> [T::Carrier; V] {
        unrolled!(v < V, up to 8 => { exponents[v] = exponents[v] - self.0 });
        exponents
    }
}

/// The logarithm of softmax, and sums of exponentials.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn logarithms<
    T: FloatElement,
    A: Access<T, V>,
    R: Rows<T, A, V, N>,
    const V: usize,
    const N: usize,
>(
    mut rows: R,
    out: LogOut<T, A::Cells>,
) {
    let greatest = rows.greatest();
    let mut infinite = [T::Carrier::NOUGHT; N];
    if let LogOut::One(..) = out
        && warp::any(greatest.contains(&T::Carrier::INFINITE))
    {
        infinite = rows.sums::<Infinities>();
    }
    let centres = greatest.map(centre::<T>);
    let sums = rows.keep::<Exponents>(centres);
    match out {
        LogOut::Each(out) => {
            let logs = rows.each(sums.map(Exponentials::shared), log);
            rows.write::<Exponents, _>(out, centres, logs.map(Logarithm));
        }
        LogOut::One(out, result) => {
            let mut folds = [[T::Carrier::NOUGHT; 2]; N];
            unrolled!(k < N, up to 8 => {
                let is_infinite = greatest[k] == T::Carrier::INFINITE;
                folds[k] = [greatest[k], if is_infinite { infinite[k] } else { sums[k] }];
            });
            let len = rows.len();
            let results = rows.each(folds, |[greatest, sum]| {
                Exponentials { centre: Exponentials::centre(greatest), sum }.result(result, len)
            });
            rows.write_one(out, results);
        }
    }
}

/// What a norm multiplies and adds to each column, if anything.
#[derive(Clone, Copy)]
pub(crate) struct Affine<A> {
    pub(crate) weight: Option<A>,
    pub(crate) bias: Option<A>,
}

/// Elements, which are summed.
struct Themselves;

impl<A: Float> Terms<A> for Themselves {
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn kept(_: A, x: A) -> A {
        x
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn term(x: A) -> A {
        x
    }
}

/// Deviations, whose squares are summed.
struct Deviations;

impl<A: Float> Terms<A> for Deviations {
    const IS_MASKED: bool = true;

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn kept(centre: A, x: A) -> A {
        x - centre
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn term(deviation: A) -> A {
        deviation * deviation
    }
}

/// What deviations are multiplied by, and what is done with each column then.
#[derive(Clone, Copy)]
struct Scale<T: FloatElement, A>(T::Carrier, Affine<A>);

impl<T: FloatElement, A: Access<T, V>, const V: usize> Results<T, V> for Scale<T, A> {
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn of(self, mut deviations: [T::Carrier; V], column: u64) -> [T::Carrier; V] {
        let Self(scale, Affine { weight, bias }) = self;
        let weight = weight.map(|weight| parameters(weight, column));
        let bias = bias.map(|bias| parameters(bias, column));
        unrolled!(v < V, up to 8 => {
            let (weight, bias) = (weight.map(|weight| weight[v].wide()), bias.map(|bias| bias[v].wide()));
            deviations[v] = affine(deviations[v] * scale, weight, bias);
        });
        deviations
    }
}

/// Returns the parameters of the columns from `first` on. Behind the last column they are arbitrary.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn parameters<T: FloatElement, A: Access<T, V>, const V: usize>(all: A, first: u64) -> [T; V] {
    let [vector] = all.load(|_| first, |_| V as u32, T::zeroed());
    vector.elements()
}

/// The root mean square norm, or the layer norm if `is_centred`.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn norm<T: FloatElement, A: Access<T, V>, R: Rows<T, A, V, N>, const V: usize, const N: usize>(
    mut rows: R,
    out: A::Cells,
    affine: Affine<A>,
    is_centred: bool,
    epsilon: T::Carrier,
) {
    let len = rows.len();
    let mut centres = [T::Carrier::NOUGHT; N];
    if is_centred {
        let sums = rows.sums::<Themselves>();
        centres = rows.each(sums, |sum| sum / T::Carrier::count(len));
    }
    let squares = rows.keep::<Deviations>(centres);
    let scales = rows.each(squares, |squares| scale(squares, len, epsilon));
    rows.write::<Deviations, _>(out, centres, scales.map(|scale| Scale(scale, affine)));
}
