//! Sums of exponentials: the greatest element, then the sum of `e^(x - greatest)`.

use std::marker::PhantomData;
use std::mem::MaybeUninit;

use gpu_kernels::{Float, Max, Op};
use warpfold_elementary::{exp, log};

use super::folds::{Row, Terms};
use super::share::Work;
use crate::cpu::Cpu;
use crate::cpu::batch::{Rows, weight};
use crate::cpu::unwritten::Unwritten;
use crate::error::Error;
use crate::float_element::FloatElement;
use crate::verb::SumExpResult;

/// What a row's exponentials need: the greatest element, or 0 if it is not finite, and the sum.
#[derive(Clone, Copy)]
pub(super) struct Exponentials<A> {
    pub(super) centre: A,
    pub(super) sum: A,
}

impl<A: Float + warpfold_elementary::Float> Exponentials<A> {
    pub(super) fn of<T: FloatElement<Carrier = A>>(row: Row<'_, T>) -> Result<Self, Error> {
        let greatest = <Max as Op<T>>::finish(row.fold(Max)?, row.x.len() as u64).map_or(A::NOUGHT, T::wide);
        let centre = if Float::is_finite(greatest) { greatest } else { A::NOUGHT };
        Ok(Self { centre, sum: row.fold(Terms(move |x: T| exp(x.wide() - centre)))? })
    }

    fn result(self, result: SumExpResult, len: usize) -> A {
        let value = match result {
            SumExpResult::Sum => exp(self.centre) * self.sum,
            SumExpResult::Log => self.centre + log(self.sum),
            SumExpResult::LogMean => self.centre + log(self.sum / A::count(len as u64)),
        };
        value.canonical()
    }
}

/// A result for each row.
struct Results<'a, T, R> {
    rows: &'a R,
    result: SumExpResult,
    elements: PhantomData<fn(T)>,
}

impl<T: FloatElement, R: Rows<T>> Work for Results<'_, T, R> {
    type Slot = MaybeUninit<T::Carrier>;

    fn count(&self) -> usize {
        self.rows.count()
    }
    fn bytes(&self, row: usize) -> usize {
        self.rows.len(row) * size_of::<T>()
    }
    fn weight(&self, row: usize) -> usize {
        weight::<T, R>(self.rows, row)
    }
    fn row(&self, row: usize, by: Option<&Cpu>, slots: &mut [Self::Slot]) -> Result<(), Error> {
        let len = self.rows.len(row);
        let mut buffer = self.rows.buffer(len)?;
        let x = self.rows.elements(row, 0..len, &mut buffer);
        slots[0].write(Exponentials::of(Row { x, by })?.result(self.result, len));
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
        self.share_rows(&Results { rows, result, elements: PhantomData }, outs.slots(), 1)?;
        // SAFETY: without an error each row has written its only slot, in `row`.
        Ok(unsafe { outs.written() })
    }
}
