//! Softmax, its logarithm, sums of exponentials and norms, for rows that threads share in any way.

use cuda_std::global::{GlobalCells, GlobalSlice};
use warpfold_elementary::{exp_up_to_one, log};
use warpfold_exact::unrolled;

use super::FloatElement;
use super::access::{Access, Alone};
use super::arithmetic::{Exponentials, SumExpResult, affine, scale};
use super::divisor::Divisor;
use super::row::{Results, Rows, Terms, nothing};
use super::verb::{Labels, Verb, matrices, of_columns, of_rows};
use crate::arguments::{Logarithms, Norm, Softmax};
use crate::ops::{Float, Real};
use crate::warp;

/// Returns what stands for an absent element of exponentials: its own is 0.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn no_power<T: FloatElement>() -> T {
    T::nearest(T::Carrier::NOUGHT - T::Carrier::INFINITE)
}

/// Returns what is subtracted from each element of a row with this greatest one. If that is infinity, each difference is -infinity or NaN,
/// and so is the sum: no element has a share.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn centre<T: FloatElement>(greatest: T::Carrier) -> T::Carrier {
    if greatest == T::Carrier::INFINITE { greatest } else { Exponentials::centre(greatest) }
}

/// Powers of what is above a centre.
#[derive(Clone, Copy)]
pub(super) struct Powers<A>(A);

impl<A: Float + warpfold_elementary::Float> Terms<A> for Powers<A> {
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn kept(self, x: A) -> A {
        exp_up_to_one(x - self.0)
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn term(self, power: A) -> A {
        power
    }
}

/// The powers of rows, kept, and what a softmax divides them by.
type Shares<A, const N: usize> = ([Powers<A>; N], [Divisor<A>; N]);

/// Returns the powers of rows, which it keeps, and their divisors.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn shares<
    T: FloatElement,
    A: Access<T, V>,
    R: Rows<T, Alone<A>, V, N>,
    const V: usize,
    const N: usize,
>(
    rows: &mut R,
) -> Shares<T::Carrier, N> {
    let powers = rows.greatest().map(|greatest| Powers(centre::<T>(greatest)));
    let sums = rows.keep(powers).map(Exponentials::shared);
    let reciprocals = rows.each(sums, |sum| T::Carrier::UNIT / sum);
    (powers, core::array::from_fn(|k| Divisor::new(sums[k], reciprocals[k])))
}

impl<T: FloatElement, const V: usize> Verb<T, V> for Softmax<T> {
    type Source<A: Access<T, V>> = Alone<A>;
    type With<A: Access<T, V>> = A::Cells;
    of_rows!();

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn absent() -> T {
        no_power()
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    unsafe fn open<A: Access<T, V>>(self) -> Option<(Alone<A>, A::Cells)> {
        // SAFETY: by this function's contract.
        let (x, out) = unsafe { matrices::<T, A, V>(&self, self.input, self.out)? };
        Some((Alone(x), out))
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn run<A: Access<T, V>, R: Rows<T, Alone<A>, V, N>, const N: usize>(mut rows: R, out: A::Cells) {
        let (powers, divisors) = shares::<T, A, R, V, N>(&mut rows);
        rows.write(out, powers, divisors);
    }
}

/// What is made of the logarithm of a sum of exponentials.
#[derive(Clone, Copy)]
pub enum LogOut<T: FloatElement, C> {
    /// The logarithm of a softmax, for each element.
    Each(C),
    /// A result for each row.
    One(GlobalCells<T::Carrier>, SumExpResult),
    /// The cross-entropy of each row.
    Loss(GlobalCells<T::Carrier>, GlobalSlice<T>, Labels),
}

/// Exponents above a centre, whose powers are summed.
#[derive(Clone, Copy)]
struct Exponents<A>(A);

impl<A: Float + warpfold_elementary::Float> Terms<A> for Exponents<A> {
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn kept(self, x: A) -> A {
        x - self.0
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn term(self, exponent: A) -> A {
        exp_up_to_one(exponent)
    }
}

/// The sum of a row with infinity: infinity too, unless an element is NaN.
#[derive(Clone, Copy)]
struct Infinities;

impl<A: Float> Terms<A> for Infinities {
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn kept(self, x: A) -> A {
        x
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn term(self, x: A) -> A {
        if x.partial_cmp(&x).is_some() { A::INFINITE } else { x }
    }
}

/// The logarithm of a row's sum.
#[derive(Clone, Copy)]
struct Logarithm<A>(A);

impl<T: FloatElement, const V: usize> Results<T, T::Carrier, V> for Logarithm<T::Carrier> {
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn of(self, mut exponents: [T::Carrier; V], _column: u64) -> [T::Carrier; V] {
        unrolled!(v < V, up to 8 => { exponents[v] = exponents[v] - self.0 });
        exponents
    }
}

/// The logarithm of softmax; sums of exponentials; cross-entropies.
impl<T: FloatElement, const V: usize> Verb<T, V> for Logarithms<T> {
    type Source<A: Access<T, V>> = Alone<A>;
    type With<A: Access<T, V>> = LogOut<T, A::Cells>;
    of_rows!();

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn absent() -> T {
        no_power()
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    unsafe fn open<A: Access<T, V>>(self) -> Option<(Alone<A>, Self::With<A>)> {
        let (rows, len) = (self.rows, self.len);
        // SAFETY: by this function's contract. With a result for each row, `out` is not used.
        let (x, out) = unsafe { matrices::<T, A, V>(&self, self.input, self.out.get_unchecked())? };
        let result = match self.result {
            0 => return Some((Alone(x), LogOut::Each(out))),
            1 => SumExpResult::Sum,
            2 => SumExpResult::Log,
            3 => SumExpResult::LogMean,
            _ => {
                // SAFETY: by this function's contract they are there, with a result and a label for each row.
                let (sums, labels) = unsafe {
                    let labels = Labels::new(self.labels.get_unchecked(), self.label_kind, rows);
                    (self.sums.get_unchecked().cells(rows), labels)
                };
                // SAFETY: by this function's contract.
                return Some((Alone(x), LogOut::Loss(sums, unsafe { self.input.slice(rows * len) }, labels)));
            }
        };
        // SAFETY: by this function's contract: they are there.
        Some((Alone(x), LogOut::One(unsafe { self.sums.get_unchecked().cells(rows) }, result)))
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn run<A: Access<T, V>, R: Rows<T, Alone<A>, V, N>, const N: usize>(mut rows: R, out: Self::With<A>) {
        let greatest = rows.greatest();
        let mut infinite = [T::Carrier::NOUGHT; N];
        if let LogOut::One(..) = out
            && warp::any(greatest.contains(&T::Carrier::INFINITE))
        {
            infinite = rows.sums([Infinities; N]);
        }
        let exponents = greatest.map(|greatest| Exponents(centre::<T>(greatest)));
        let sums = rows.keep(exponents);
        let len = rows.len();
        match out {
            LogOut::Each(out) => {
                let logs = rows.each(sums.map(Exponentials::shared), log);
                rows.write(out, exponents, logs.map(Logarithm));
            }
            LogOut::One(out, result) => {
                let mut folds = [[T::Carrier::NOUGHT; 2]; N];
                unrolled!(k < N, up to 8 => {
                    let is_infinite = greatest[k] == T::Carrier::INFINITE;
                    folds[k] = [greatest[k], if is_infinite { infinite[k] } else { sums[k] }];
                });
                let results = rows.each(folds, |[greatest, sum]| {
                    Exponentials { centre: Exponentials::centre(greatest), sum }.result(result, len)
                });
                rows.write_one(out, results);
            }
            LogOut::Loss(out, x, labels) => {
                let numbers = rows.numbers();
                let mut folds = [[T::Carrier::NOUGHT; 3]; N];
                unrolled!(k < N, up to 8 => {
                    let label = labels.of(numbers[k]);
                    let is_there = label < len;
                    let x = if is_there { x.read_or_last(numbers[k] * len + label).wide() } else { Float::nan() };
                    folds[k] = [exponents[k].0, sums[k], x];
                });
                let losses = rows.each(folds, |[centre, sum, x]| Exponentials { centre, sum }.loss(x));
                rows.write_one(out, losses);
            }
        }
    }
}

/// What a norm multiplies and adds to each column, if anything.
#[derive(Clone, Copy)]
pub struct Affine<A> {
    weight: Option<A>,
    bias: Option<A>,
}

/// Elements, which are summed.
#[derive(Clone, Copy)]
struct Themselves;

impl<A: Float> Terms<A> for Themselves {
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn kept(self, x: A) -> A {
        x
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn term(self, x: A) -> A {
        x
    }
}

/// Deviations from a centre, whose squares are summed.
#[derive(Clone, Copy)]
struct Deviations<A>(A);

impl<A: Float> Terms<A> for Deviations<A> {
    const IS_MASKED: bool = true;

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn kept(self, x: A) -> A {
        x - self.0
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn term(self, deviation: A) -> A {
        deviation * deviation
    }
}

/// What deviations are multiplied by, and what is done with each column then.
#[derive(Clone, Copy)]
struct Scale<T: FloatElement, A>(T::Carrier, Affine<A>);

impl<T: FloatElement, A: Access<T, V>, const V: usize> Results<T, T::Carrier, V> for Scale<T, A> {
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
    let [vector] = all.read(|_| first, |_| V as u32, T::zeroed());
    vector.elements()
}

/// The root mean square norm, or the layer norm if `is_centred` is not 0.
impl<T: FloatElement, const V: usize> Verb<T, V> for Norm<T> {
    type Source<A: Access<T, V>> = Alone<A>;
    type With<A: Access<T, V>> = (A::Cells, Affine<A>, bool, T::Carrier);
    of_rows!();

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn absent() -> T {
        T::nearest(nothing())
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    unsafe fn open<A: Access<T, V>>(self) -> Option<(Alone<A>, Self::With<A>)> {
        // SAFETY: by this function's contract.
        let (x, out) = unsafe { matrices::<T, A, V>(&self, self.input, self.out)? };
        // SAFETY: by this function's contract: they are there, with an element for each column.
        let [weight, bias] = unsafe { [of_columns(&self, self.weight)?, of_columns(&self, self.bias)?] };
        Some((Alone(x), (out, Affine { weight, bias }, self.is_centred != 0, self.epsilon)))
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn run<A: Access<T, V>, R: Rows<T, Alone<A>, V, N>, const N: usize>(
        mut rows: R,
        (out, affine, is_centred, epsilon): Self::With<A>,
    ) {
        let len = rows.len();
        let mut centres = [T::Carrier::NOUGHT; N];
        if is_centred {
            let sums = rows.sums([Themselves; N]);
            centres = rows.each(sums, |sum| sum / T::Carrier::count(len));
        }
        let deviations = centres.map(Deviations);
        let squares = rows.keep(deviations);
        let scales = rows.each(squares, |squares| scale(squares, len, epsilon));
        rows.write(out, deviations, scales.map(|scale| Scale(scale, affine)));
    }
}
