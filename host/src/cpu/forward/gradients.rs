//! Gradients of softmax, of its logarithm and of norms.

use std::ops::Range;

use gpu_kernels::{Float, FloatElement, Real};
use warpfold_elementary::exp;

use super::folds::{Columns, Row};
use super::maps::{BLOCK, Map};
use super::norms;
use crate::cpu::unwritten::Slot;
use crate::error::Error;
use crate::verb::{
    LayerNorm, LayerNormGradient, LogSoftmaxGradient, RmsNorm, RmsNormGradient, SoftmaxGradient,
};

/// Fails unless there is a gradient for each element.
fn check<T>(gradient: &[T], shape: [usize; 2]) -> Result<(), Error> {
    if Some(gradient.len()) == shape[0].checked_mul(shape[1]) {
        Ok(())
    } else {
        Err(Error::Shape { shape: shape.into(), given: gradient.len() as u64 })
    }
}

/// Returns the gradients of a row.
fn of_row<T>(gradient: &[T], row: usize, columns: usize) -> &[T] {
    &gradient[row * columns..][..columns]
}

/// Gradients times their weights, and normed elements: what the sums of a row are made of.
#[derive(Clone, Copy)]
struct Weighted<'a, T: FloatElement> {
    x: &'a [T],
    gradient: &'a [T],
    weight: Option<&'a [T]>,
    /// What is subtracted from an element, and by what it is multiplied then. `None` leaves it as it is.
    norm: Option<[T::Carrier; 2]>,
    /// Whether terms are products of gradients and elements, or gradients.
    are_products: bool,
}

impl<T: FloatElement> Weighted<'_, T> {
    /// Writes the weighted gradients of some columns.
    #[inline(always)]
    fn gradients(self, columns: Range<usize>, out: &mut [T::Carrier]) {
        for (out, gradient) in out.iter_mut().zip(&self.gradient[columns.clone()]) {
            *out = gradient.wide();
        }
        if let Some(weight) = self.weight {
            for (out, weight) in out.iter_mut().zip(&weight[columns]) {
                *out = *out * weight.wide();
            }
        }
    }
}

impl<T: FloatElement> Columns<T> for Weighted<'_, T> {
    #[inline(always)]
    fn terms(self, columns: Range<usize>, terms: &mut [T::Carrier]) {
        self.gradients(columns.clone(), terms);
        if !self.are_products {
            return;
        }
        if let Some([centre, scale]) = self.norm {
            for (term, x) in terms.iter_mut().zip(&self.x[columns]) {
                *term = *term * ((x.wide() - centre) * scale);
            }
        } else {
            for (term, x) in terms.iter_mut().zip(&self.x[columns]) {
                *term = *term * x.wide();
            }
        }
    }
}

impl<T: FloatElement> Map<T> for SoftmaxGradient<&[T]> {
    /// The sum of the products.
    type Folded = T::Carrier;

    fn check(self, shape: [usize; 2]) -> Result<(), Error> {
        check(self.gradient, shape)
    }
    fn of_row(self, row: usize, columns: usize) -> Self {
        Self { gradient: of_row(self.gradient, row, columns) }
    }
    fn fold(self, row: Row<'_, T>) -> Result<T::Carrier, Error> {
        let (x, gradient) = (row.x, self.gradient);
        row.sum_of(Weighted { x, gradient, weight: None, norm: None, are_products: true })
    }
    #[inline(always)]
    fn write<S: Slot<T>>(self, sum: T::Carrier, first: usize, y: &[T], outs: &mut [S]) {
        for ((y, gradient), out) in y.iter().zip(&self.gradient[first..]).zip(outs) {
            out.put(T::nearest(y.wide() * (gradient.wide() - sum)));
        }
    }
}

impl<T: FloatElement> Map<T> for LogSoftmaxGradient<&[T]> {
    /// The sum of the gradients.
    type Folded = T::Carrier;

    fn check(self, shape: [usize; 2]) -> Result<(), Error> {
        check(self.gradient, shape)
    }
    fn of_row(self, row: usize, columns: usize) -> Self {
        Self { gradient: of_row(self.gradient, row, columns) }
    }
    fn fold(self, row: Row<'_, T>) -> Result<T::Carrier, Error> {
        let (x, gradient) = (row.x, self.gradient);
        row.sum_of(Weighted { x, gradient, weight: None, norm: None, are_products: false })
    }
    #[inline(always)]
    fn write<S: Slot<T>>(self, sum: T::Carrier, first: usize, y: &[T], outs: &mut [S]) {
        for ((y, gradient), out) in y.iter().zip(&self.gradient[first..]).zip(outs) {
            out.put(T::nearest(gradient.wide() - exp(y.wide()) * sum));
        }
    }
}

/// What the gradient of a norm is made of: what is subtracted from each element and by what it is multiplied, the mean of the gradients, and
/// the share of each normed element.
#[derive(Clone, Copy)]
pub(super) struct Normed<A> {
    norm: [A; 2],
    mean: A,
    share: A,
}

/// Folds a row of which the norm is known.
fn fold<T: FloatElement>(
    row: Row<'_, T>,
    (gradient, weight): (&[T], Option<&[T]>),
    norm: [T::Carrier; 2],
    is_centred: bool,
) -> Result<Normed<T::Carrier>, Error> {
    let n = T::Carrier::count(row.x.len() as u64);
    let of = Weighted { x: row.x, gradient, weight, norm: Some(norm), are_products: false };
    let mean = if is_centred { row.sum_of(of)? / n } else { T::Carrier::NOUGHT };
    Ok(Normed { norm, mean, share: row.sum_of(Weighted { are_products: true, ..of })? / n })
}

/// Writes `((gradient - mean) - normed * share) * scale`.
#[inline(always)]
fn write<T: FloatElement, S: Slot<T>>(
    (gradient, weight): (&[T], Option<&[T]>),
    Normed { norm: [centre, scale], mean, share }: Normed<T::Carrier>,
    first: usize,
    x: &[T],
    outs: &mut [S],
) {
    let of = Weighted { x: &[], gradient, weight, norm: None, are_products: false };
    let mut gradients = [T::Carrier::NOUGHT; BLOCK];
    for ((x, outs), first) in x.chunks(BLOCK).zip(outs.chunks_mut(BLOCK)).zip((first..).step_by(BLOCK)) {
        let gradients = &mut gradients[..x.len()];
        of.gradients(first..first + x.len(), gradients);
        for ((x, &mut gradient), out) in x.iter().zip(gradients).zip(outs) {
            // x - 0 is x.
            out.put(T::nearest(((gradient - mean) - (x.wide() - centre) * scale * share) * scale));
        }
    }
}

/// Implements the gradient of a norm: how it is folded, and whether elements are centred.
macro_rules! norms {
    ($($Gradient:ident: |$of:ident, $row:ident| $norm:expr, $is_centred:literal;)*) => { $(
        impl<T: FloatElement> Map<T> for $Gradient<&[T]> {
            type Folded = Normed<T::Carrier>;

            fn check(self, shape: [usize; 2]) -> Result<(), Error> {
                check(self.gradient, shape)?;
                norms::check([self.weight, None], shape[1])
            }
            fn of_row(self, row: usize, columns: usize) -> Self {
                Self { gradient: of_row(self.gradient, row, columns), ..self }
            }
            fn fold(self, $row: Row<'_, T>) -> Result<Self::Folded, Error> {
                let $of = self;
                fold($row, (self.gradient, self.weight), $norm, $is_centred)
            }
            #[inline(always)]
            fn write<S: Slot<T>>(self, folded: Self::Folded, first: usize, x: &[T], outs: &mut [S]) {
                write((self.gradient, self.weight), folded, first, x, outs);
            }
        }
    )* };
}
norms! {
    RmsNormGradient: |of, row| {
        let norm = RmsNorm::<&[T]> { weight: None, epsilon: of.epsilon };
        [T::Carrier::NOUGHT, norm.fold(row)?]
    }, false;
    LayerNormGradient: |of, row| {
        LayerNorm::<&[T]> { weight: None, bias: None, epsilon: of.epsilon }.fold(row)?
    }, true;
}
