//! Root mean square norm and layer norm.

use gpu_kernels::forward::{affine, scale};
use gpu_kernels::{Float, FloatElement, Real, Sum, SumOfSquares};

use super::folds::{Row, Terms};
use super::maps::Map;
use crate::cpu::unwritten::Slot;
use crate::error::Error;
use crate::verb::{LayerNorm, RmsNorm};

/// Fails unless each parameter has an element for each column.
pub(super) fn check<T>(parameters: [Option<&[T]>; 2], columns: usize) -> Result<(), Error> {
    match parameters.into_iter().flatten().find(|parameters| parameters.len() != columns) {
        Some(wrong) => Err(Error::Shape { shape: [columns].into(), given: wrong.len() as u64 }),
        None => Ok(()),
    }
}

/// Writes `(x - centre) * scale * weight + bias`. A missing parameter leaves its operation out. The first element is in column `first`.
#[inline(always)]
fn write<T: FloatElement, S: Slot<T>>(
    [centre, scale]: [T::Carrier; 2],
    parameters: [Option<&[T]>; 2],
    first: usize,
    x: &[T],
    outs: &mut [S],
) {
    let [weight, bias] = parameters.map(|all| all.map(|all| &all[first..first + x.len()]));
    match (weight, bias) {
        (None, None) => {
            for (x, out) in x.iter().zip(outs) {
                out.put(T::nearest((x.wide() - centre) * scale));
            }
        }
        (Some(weight), None) => {
            for ((x, weight), out) in x.iter().zip(weight).zip(outs) {
                out.put(T::nearest(affine((x.wide() - centre) * scale, Some(weight.wide()), None)));
            }
        }
        (None, Some(bias)) => {
            for ((x, bias), out) in x.iter().zip(bias).zip(outs) {
                out.put(T::nearest(affine((x.wide() - centre) * scale, None, Some(bias.wide()))));
            }
        }
        (Some(weight), Some(bias)) => {
            for (((x, weight), bias), out) in x.iter().zip(weight).zip(bias).zip(outs) {
                let (weight, bias) = (Some(weight.wide()), Some(bias.wide()));
                out.put(T::nearest(affine((x.wide() - centre) * scale, weight, bias)));
            }
        }
    }
}

impl<T: FloatElement> Map<T> for RmsNorm<&[T]> {
    type Folded = T::Carrier;

    fn check(self, [_, columns]: [usize; 2]) -> Result<(), Error> {
        check([self.weight, None], columns)
    }
    fn fold(self, row: Row<'_, T>) -> Result<T::Carrier, Error> {
        Ok(scale(row.fold(SumOfSquares)?, row.x.len() as u64, T::carrier(self.epsilon)))
    }
    #[inline(always)]
    fn write<S: Slot<T>>(self, scale: T::Carrier, first: usize, x: &[T], outs: &mut [S]) {
        // x - 0 is x.
        write([T::Carrier::NOUGHT, scale], [self.weight, None], first, x, outs);
    }
}

impl<T: FloatElement> Map<T> for LayerNorm<&[T]> {
    /// The mean and the scale.
    type Folded = [T::Carrier; 2];

    fn check(self, [_, columns]: [usize; 2]) -> Result<(), Error> {
        check([self.weight, self.bias], columns)
    }
    fn fold(self, row: Row<'_, T>) -> Result<Self::Folded, Error> {
        let n = row.x.len() as u64;
        let centre = row.fold(Sum)? / T::Carrier::count(n);
        let deviations = row.fold(Terms(move |x: T| {
            let deviation = x.wide() - centre;
            deviation * deviation
        }))?;
        Ok([centre, scale(deviations, n, T::carrier(self.epsilon))])
    }
    #[inline(always)]
    fn write<S: Slot<T>>(self, folded: Self::Folded, first: usize, x: &[T], outs: &mut [S]) {
        write(folded, [self.weight, self.bias], first, x, outs);
    }
}
