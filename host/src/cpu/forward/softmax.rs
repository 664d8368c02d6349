//! Softmax and its logarithm.

use warpfold_elementary::{exp, log};

use super::folds::Row;
use super::maps::Map;
use super::sum_exp::Exponentials;
use crate::cpu::unwritten::Slot;
use crate::error::Error;
use crate::float_element::FloatElement;
use crate::verb::{LogSoftmax, Softmax};

impl<T: FloatElement> Map<T> for Softmax {
    type Folded = Exponentials<T::Carrier>;

    fn fold(self, row: Row<'_, T>) -> Result<Self::Folded, Error> {
        Exponentials::of(row)
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
        let Exponentials { centre, sum } = Exponentials::of(row)?;
        Ok([centre, log(sum)])
    }
    #[inline(always)]
    fn write<S: Slot<T>>(self, [centre, log]: Self::Folded, _first: usize, x: &[T], outs: &mut [S]) {
        for (x, out) in x.iter().zip(outs) {
            out.put(T::nearest((x.wide() - centre) - log));
        }
    }
}
