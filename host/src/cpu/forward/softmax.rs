//! Softmax and its logarithm.

use gpu_kernels::Float;
use warpfold_elementary::{exp, log};

use super::folds::Row;
use super::maps::Map;
use super::sum_exp::Exponentials;
use crate::cpu::unwritten::Slot;
use crate::error::Error;
use crate::float_element::FloatElement;
use crate::verb::{LogSoftmax, Softmax};

/// Returns the exponentials of a row. The sum is NaN if an element is infinity, as it is if one is NaN: then no element has a share.
fn finite<T: FloatElement>(row: Row<'_, T>) -> Result<Exponentials<T::Carrier>, Error> {
    let Exponentials { centre, sum } = Exponentials::of(row)?;
    Ok(Exponentials { centre, sum: if Float::is_finite(sum) { sum } else { <T::Carrier as Float>::nan() } })
}

impl<T: FloatElement> Map<T> for Softmax {
    type Folded = Exponentials<T::Carrier>;

    fn fold(self, row: Row<'_, T>) -> Result<Self::Folded, Error> {
        finite(row)
    }
    #[inline(always)]
    fn write<S: Slot<T>>(self, folded: Self::Folded, _first: usize, x: &[T], outs: &mut [S]) {
        let Exponentials { centre, sum } = folded;
        for (x, out) in x.iter().zip(outs) {
            out.put(T::nearest(exp(x.wide() - centre) / sum));
        }
    }
}

impl<T: FloatElement> Map<T> for LogSoftmax {
    /// The centre, and the logarithm of the sum.
    type Folded = [T::Carrier; 2];

    fn fold(self, row: Row<'_, T>) -> Result<Self::Folded, Error> {
        let Exponentials { centre, sum } = finite(row)?;
        Ok([centre, log(sum)])
    }
    #[inline(always)]
    fn write<S: Slot<T>>(self, [centre, log]: Self::Folded, _first: usize, x: &[T], outs: &mut [S]) {
        for (x, out) in x.iter().zip(outs) {
            out.put(T::nearest((x.wide() - centre) - log));
        }
    }
}
