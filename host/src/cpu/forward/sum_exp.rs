//! Sums of exponentials: the greatest element, then the sum of `e^(x - greatest)`.

use std::marker::PhantomData;
use std::mem::MaybeUninit;

use gpu_kernels::forward::{Exponentials, SumExpResult};
use gpu_kernels::{FloatElement, Max, Op, Real};
use warpfold_elementary::exp;

use super::folds::{Row, Terms};
use crate::cpu::Cpu;
use crate::cpu::batch::{Rows, Work};
use crate::cpu::unwritten::Unwritten;
use crate::error::Error;

/// Folds a row to what its exponentials need.
pub(super) fn exponentials<T: FloatElement>(row: Row<'_, T>) -> Result<Exponentials<T::Carrier>, Error> {
    let greatest =
        <Max as Op<T>>::finish(row.fold(Max)?, row.x.len() as u64).map_or(T::Carrier::NOUGHT, T::wide);
    let centre = Exponentials::centre(greatest);
    Ok(Exponentials { centre, sum: row.fold(Terms(move |x: T| exp(x.wide() - centre)))? })
}

/// A result for each row.
struct Results<'a, T, R> {
    rows: &'a R,
    result: SumExpResult,
    elements: PhantomData<fn(T)>,
}

impl<T: FloatElement, R: Rows<T>> Work<T> for Results<'_, T, R> {
    type Slot = MaybeUninit<T::Carrier>;

    fn row(&self, row: usize, by: Option<&Cpu>, slots: &mut [Self::Slot]) -> Result<(), Error> {
        let len = self.rows.len(row);
        let mut buffer = self.rows.buffer(len)?;
        let x = self.rows.elements(row, 0..len, &mut buffer);
        slots[0].write(exponentials(Row { x, by })?.result(self.result, len as u64));
        Ok(())
    }
}

impl Cpu {
    /// Returns the result of each row.
    pub(super) fn sums_exp<T: FloatElement, R: Rows<T>>(
        &self,
        rows: &R,
        result: SumExpResult,
    ) -> Result<Vec<T::Carrier>, Error> {
        let mut outs = Unwritten::new(rows.count())?;
        self.share_rows(rows, &Results { rows, result, elements: PhantomData }, outs.slots())?;
        // SAFETY: without an error each row has written its only slot, in `row`.
        Ok(unsafe { outs.written() })
    }
}
