//! Gradients of softmax, of its logarithm, of norms and of cross-entropies.

use cuda_std::global::GlobalSlice;
use warpfold_elementary::exp;
use warpfold_exact::unrolled;

use super::FloatElement;
use super::access::{Access, Alone, Pair, WithGradient};
use super::arithmetic::scale;
use super::divisor::Divisor;
use super::row::{Results, Rows, Terms, nothing};
use super::verb::{Labels, Verb, elements, matrices, of_columns, of_rows};
use super::verbs::{no_power, shares};
use crate::arguments::{CrossEntropyGradient, NormGradient, SoftmaxGradient};
use crate::ops::{Float, Real};

/// Gradients, summed.
#[derive(Clone, Copy)]
struct Gradients;

impl<A: Float> Terms<A, Pair<A>> for Gradients {
    const IS_MASKED: bool = true;

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn kept(self, pair: Pair<A>) -> Pair<A> {
        pair
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn term(self, [_, gradient]: Pair<A>) -> A {
        gradient
    }
}

/// Normed elements and their gradients, whose products are summed. The norm of softmax is 1, and its centre 0.
#[derive(Clone, Copy)]
struct Products<A> {
    centre: A,
    scale: Option<A>,
}

impl<A: Float> Terms<A, Pair<A>> for Products<A> {
    const IS_MASKED: bool = true;

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn kept(self, [x, gradient]: Pair<A>) -> Pair<A> {
        [self.scale.map_or(x, |scale| (x - self.centre) * scale), gradient]
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn term(self, [normed, gradient]: Pair<A>) -> A {
        gradient * normed
    }
}

/// What the gradient of softmax, or of its logarithm, subtracts.
#[derive(Clone, Copy)]
struct Less<A> {
    sum: A,
    is_logarithm: bool,
}

impl<T: FloatElement, const V: usize> Results<T, Pair<T::Carrier>, V> for Less<T::Carrier> {
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn of(self, pairs: [Pair<T::Carrier>; V], _column: u64) -> [T::Carrier; V] {
        let mut results = [T::Carrier::NOUGHT; V];
        unrolled!(v < V, up to 8 => {
            let [y, gradient] = pairs[v];
            results[v] = if self.is_logarithm { gradient - exp(y) * self.sum } else { y * (gradient - self.sum) };
        });
        results
    }
}

impl<T: FloatElement, const V: usize> Verb<T, V> for SoftmaxGradient<T> {
    type Source<A: Access<T, V>> = WithGradient<A>;
    type With<A: Access<T, V>> = (A::Cells, bool);
    of_rows!();

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn absent() -> T {
        T::nearest(nothing())
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    unsafe fn open<A: Access<T, V>>(self) -> Option<(WithGradient<A>, Self::With<A>)> {
        // SAFETY: by this function's contract.
        let (x, out) = unsafe { matrices::<T, A, V>(&self, self.input, self.out)? };
        // SAFETY: likewise.
        let gradient = unsafe { elements(&self, self.gradient)? };
        Some((WithGradient { x, gradient, weight: None }, (out, self.is_logarithm != 0)))
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn run<A: Access<T, V>, R: Rows<T, WithGradient<A>, V, N>, const N: usize>(
        mut rows: R,
        (out, is_logarithm): Self::With<A>,
    ) {
        if is_logarithm {
            let sums = rows.keep([Gradients; N]);
            rows.write(out, [Gradients; N], sums.map(|sum| Less { sum, is_logarithm: true }));
        } else {
            let products = [Products { centre: T::Carrier::NOUGHT, scale: None }; N];
            let sums = rows.keep(products);
            rows.write(out, products, sums.map(|sum| Less { sum, is_logarithm: false }));
        }
    }
}

/// Elements, or the squares of what is above a centre, summed.
#[derive(Clone, Copy)]
struct Elements<A>(Option<A>);

impl<A: Float> Terms<A, Pair<A>> for Elements<A> {
    const IS_MASKED: bool = true;

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn kept(self, pair: Pair<A>) -> Pair<A> {
        pair
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn term(self, [x, _]: Pair<A>) -> A {
        self.0.map_or(x, |centre| (x - centre) * (x - centre))
    }
}

/// What the gradient of a norm subtracts from each gradient, how much of the normed element, and by what it multiplies.
#[derive(Clone, Copy)]
struct Normed<A> {
    mean: A,
    share: A,
    scale: A,
}

impl<T: FloatElement, const V: usize> Results<T, Pair<T::Carrier>, V> for Normed<T::Carrier> {
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn of(self, pairs: [Pair<T::Carrier>; V], _column: u64) -> [T::Carrier; V] {
        // x - 0 is x.
        pairs.map(|[normed, gradient]| ((gradient - self.mean) - normed * self.share) * self.scale)
    }
}

impl<T: FloatElement, const V: usize> Verb<T, V> for NormGradient<T> {
    type Source<A: Access<T, V>> = WithGradient<A>;
    type With<A: Access<T, V>> = (A::Cells, bool, T::Carrier);
    of_rows!();

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn absent() -> T {
        T::nearest(nothing())
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    unsafe fn open<A: Access<T, V>>(self) -> Option<(WithGradient<A>, Self::With<A>)> {
        // SAFETY: by this function's contract.
        let (x, out) = unsafe { matrices::<T, A, V>(&self, self.input, self.out)? };
        // SAFETY: likewise; a weight is there for each column, if any.
        let (gradient, weight) =
            unsafe { (elements(&self, self.gradient)?, of_columns(&self, self.weight)?) };
        Some((WithGradient { x, gradient, weight }, (out, self.is_centred != 0, self.epsilon)))
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn run<A: Access<T, V>, R: Rows<T, WithGradient<A>, V, N>, const N: usize>(
        mut rows: R,
        (out, is_centred, epsilon): Self::With<A>,
    ) {
        let len = rows.len();
        let (mut centres, mut means) = ([T::Carrier::NOUGHT; N], [T::Carrier::NOUGHT; N]);
        if is_centred {
            let sums = rows.sums([Elements(None); N]);
            centres = rows.each(sums, |sum| sum / T::Carrier::count(len));
            let sums = rows.sums([Gradients; N]);
            means = rows.each(sums, |sum| sum / T::Carrier::count(len));
        }
        let squares = rows.sums(centres.map(|centre| Elements(Some(centre))));
        let scales = rows.each(squares, |squares| scale(squares, len, epsilon));
        let products: [_; N] =
            core::array::from_fn(|k| Products { centre: centres[k], scale: Some(scales[k]) });
        let sums = rows.keep(products);
        let shares = rows.each(sums, |sum| sum / T::Carrier::count(len));
        let normed = core::array::from_fn(|k| Normed { mean: means[k], share: shares[k], scale: scales[k] });
        rows.write(out, products, normed);
    }
}

/// What a row of cross-entropies has: the divisor of its powers, its label, and the gradient of its loss.
#[derive(Clone, Copy)]
struct Labelled<A> {
    divisor: Divisor<A>,
    label: u64,
    gradient: A,
}

impl<T: FloatElement, const V: usize> Results<T, T::Carrier, V> for Labelled<T::Carrier> {
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn of(self, powers: [T::Carrier; V], column: u64) -> [T::Carrier; V] {
        let mut shares = Results::<T, T::Carrier, V>::of(self.divisor, powers, column);
        let at = self.label.wrapping_sub(column);
        unrolled!(v < V, up to 8 => {
            let share = if at == v as u64 { shares[v] - T::Carrier::UNIT } else { shares[v] };
            shares[v] = share * self.gradient;
        });
        shares
    }
}

impl<T: FloatElement, const V: usize> Verb<T, V> for CrossEntropyGradient<T> {
    type Source<A: Access<T, V>> = Alone<A>;
    type With<A: Access<T, V>> = (A::Cells, Labels, GlobalSlice<T::Carrier>);
    of_rows!();

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn absent() -> T {
        no_power()
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    unsafe fn open<A: Access<T, V>>(self) -> Option<(Alone<A>, Self::With<A>)> {
        // SAFETY: by this function's contract.
        let (x, out) = unsafe { matrices::<T, A, V>(&self, self.input, self.out)? };
        // SAFETY: by this function's contract: there is a label and a gradient for each row.
        let (labels, gradients) = unsafe {
            (Labels::new(self.labels, self.label_kind, self.rows), self.gradients.slice(self.rows))
        };
        Some((Alone(x), (out, labels, gradients)))
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn run<A: Access<T, V>, R: Rows<T, Alone<A>, V, N>, const N: usize>(
        mut rows: R,
        (out, labels, gradients): Self::With<A>,
    ) {
        let (powers, divisors) = shares::<T, A, R, V, N>(&mut rows);
        let (numbers, len) = (rows.numbers(), rows.len());
        let results = core::array::from_fn(|k| {
            let (label, gradient) = (labels.of(numbers[k]), gradients.read_or_last(numbers[k]));
            let gradient = if label < len { gradient } else { Float::nan() };
            Labelled { divisor: divisors[k], label, gradient }
        });
        rows.write(out, powers, results);
    }
}
