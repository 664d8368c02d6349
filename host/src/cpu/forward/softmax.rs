//! Softmax and its logarithm.

use gpu_kernels::FloatElement;
use gpu_kernels::forward::Exponentials;
use warpfold_elementary::{exp, log};

use super::folds::Row;
use super::maps::Map;
use super::sum_exp::exponentials;
use crate::cpu::unwritten::Slot;
use crate::error::Error;
use crate::verb::{LogSoftmax, Softmax};

impl<T: FloatElement> Map<T> for Softmax {
    type Folded = Exponentials<T::Carrier>;

    fn fold(self, row: Row<'_, T>) -> Result<Self::Folded, Error> {
        let Exponentials { centre, sum } = exponentials(row)?;
        Ok(Exponentials { centre, sum: Exponentials::shared(sum) })
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
        let Exponentials { centre, sum } = exponentials(row)?;
        Ok([centre, log(Exponentials::shared(sum))])
    }
    #[inline(always)]
    fn write<S: Slot<T>>(self, [centre, log]: Self::Folded, _first: usize, x: &[T], outs: &mut [S]) {
        for (x, out) in x.iter().zip(outs) {
            out.put(T::nearest((x.wide() - centre) - log));
        }
    }
}
