//! Cross-entropy of rows with their labels, and its gradient.

use std::marker::PhantomData;
use std::mem::MaybeUninit;

use gpu_kernels::forward::Exponentials;
use gpu_kernels::{Float, FloatElement};
use warpfold_elementary::exp;

use super::folds::Row;
use super::inputs::MISSING;
use super::maps::Map;
use super::sum_exp::exponentials;
use crate::arrays::AsElements;
use crate::cpu::Cpu;
use crate::cpu::batch::{self, Strided, Work, rows_of};
use crate::cpu::unwritten::{Slot, Unwritten};
use crate::error::Error;
use crate::index_type::{IndexType, check_labels};
use crate::input::{Along, Rows};
use crate::verb::{Backend, CrossEntropy, CrossEntropyGradient, Softmax};
use crate::view::View;

/// Fails unless each row has a label, which is a column.
fn check<L: IndexType>(labels: &[L], [rows, columns]: [usize; 2]) -> Result<(), Error> {
    if labels.len() != rows {
        return Err(Error::Shape { shape: [rows].into(), given: labels.len() as u64 });
    }
    check_labels(labels, columns)
}

/// The loss of each row.
struct Losses<'a, T, R, L> {
    rows: &'a R,
    labels: &'a [L],
    elements: PhantomData<fn(T)>,
}

impl<T: FloatElement, R: batch::Rows<T>, L: IndexType> Work<T> for Losses<'_, T, R, L> {
    type Slot = MaybeUninit<T::Carrier>;

    fn row(&self, row: usize, by: Option<&Cpu>, slots: &mut [Self::Slot]) -> Result<(), Error> {
        let len = self.rows.len(row);
        let mut buffer = self.rows.buffer(len)?;
        let x = self.rows.elements(row, 0..len, &mut buffer);
        // Checked before.
        let at = self.labels[row].index().and_then(|label| x.get(label));
        let at = at.map_or_else(Float::nan, |&x| x.wide());
        slots[0].write(exponentials(Row { x, by })?.loss(at));
        Ok(())
    }
}

impl Cpu {
    /// Returns the loss of each row.
    fn losses<T: FloatElement, R: batch::Rows<T>, L: IndexType>(
        &self,
        rows: &R,
        labels: &[L],
    ) -> Result<Vec<T::Carrier>, Error> {
        check(labels, [rows.count(), rows.longest()])?;
        let mut outs = Unwritten::new(rows.count())?;
        self.share_rows(rows, &Losses { rows, labels, elements: PhantomData }, outs.slots())?;
        // SAFETY: without an error each row has written its only slot, in `row`.
        Ok(unsafe { outs.written() })
    }
}

impl<X: AsElements<Element: FloatElement> + ?Sized, L: IndexType> Backend<CrossEntropy<Rows<&X>, &[L]>>
    for Cpu
{
    type Results = Vec<<X::Element as FloatElement>::Carrier>;

    fn run(&self, request: CrossEntropy<Rows<&X>, &[L]>) -> Result<Self::Results, Error> {
        let x = request.input.x.try_elements()?;
        self.losses(&rows_of(x.whole(MISSING)?, request.input.shape)?, request.labels)
    }
}

impl<T: FloatElement, L: IndexType> Backend<CrossEntropy<Along<'_, View<&[T]>>, &[L]>> for Cpu {
    type Results = Vec<T::Carrier>;

    fn run(&self, request: CrossEntropy<Along<'_, View<&[T]>>, &[L]>) -> Result<Vec<T::Carrier>, Error> {
        self.losses(&Strided::new(&request.input.view, request.input.axes)?, request.labels)
    }
}

impl<T: FloatElement, L: IndexType> Map<T> for CrossEntropyGradient<&[L], &[T::Carrier]> {
    /// The centre, and the sum of powers.
    type Folded = Exponentials<T::Carrier>;

    fn check(self, shape: [usize; 2]) -> Result<(), Error> {
        check(self.labels, shape)?;
        if self.gradient.len() == shape[0] {
            Ok(())
        } else {
            Err(Error::Shape { shape: [shape[0]].into(), given: self.gradient.len() as u64 })
        }
    }
    fn of_row(self, row: usize, _columns: usize) -> Self {
        Self { labels: &self.labels[row..=row], gradient: &self.gradient[row..=row] }
    }
    fn fold(self, row: Row<'_, T>) -> Result<Self::Folded, Error> {
        Softmax.fold(row)
    }
    #[inline(always)]
    fn write<S: Slot<T>>(self, folded: Self::Folded, first: usize, x: &[T], outs: &mut [S]) {
        let (Exponentials { centre, sum }, gradient) = (folded, self.gradient[0]);
        for (x, out) in x.iter().zip(&mut *outs) {
            out.put(T::nearest(exp(x.wide() - centre) / sum * gradient));
        }
        let at = self.labels[0].index().and_then(|label| label.checked_sub(first));
        if let Some(at) = at.filter(|&at| at < x.len()) {
            outs[at].put(T::nearest((exp(x[at].wide() - centre) / sum - T::Carrier::UNIT) * gradient));
        }
    }
}
