//! Rows to rows: folds of a row, then a result for each of its elements, in new memory or in place.

use std::marker::PhantomData;

use gpu_kernels::FloatElement;

use super::folds::Row;
use crate::cpu::batch::{Chunks, Rows, Work, rows_of};
use crate::cpu::unwritten::{Slot, Unwritten};
use crate::cpu::{Cpu, TASK_BYTES, processor, share};
use crate::error::{Error, check_results};
use crate::float_environment;

/// An operation from rows to rows.
pub(super) trait Map<T: FloatElement>: Copy + Sync {
    /// What the folds of a row give.
    type Folded: Copy + Sync;

    /// # Errors
    /// [`Error::Shape`] if a parameter does not have an element for each column, or for each element of the rows of this shape.
    fn check(self, _shape: [usize; 2]) -> Result<(), Error> {
        Ok(())
    }

    /// Returns the same map of one of the rows, with the parameters of that row alone.
    #[must_use]
    fn of_row(self, _row: usize, _columns: usize) -> Self {
        self
    }

    /// Folds a row.
    fn fold(self, row: Row<'_, T>) -> Result<Self::Folded, Error>;

    /// Writes the results of some elements of a row. The first is in column `first`. Inlined, with all of its loop.
    fn write<S: Slot<T>>(self, folded: Self::Folded, first: usize, x: &[T], outs: &mut [S]);
}

/// Elements that are copied before their results take their place, or that are computed in two steps: they stay in the first-level cache.
pub(super) const BLOCK: usize = 256;

/// Some elements of a row whose folds are known.
struct Part<'a, T: FloatElement, M: Map<T>, S> {
    map: M,
    folded: M::Folded,
    first: usize,
    x: &'a [T],
    outs: &'a mut [S],
}

impl<T: FloatElement, M: Map<T>, S: Slot<T>> processor::Job for Part<'_, T, M, S> {
    type Done = ();

    #[inline(always)]
    fn run(self, _: impl processor::Processor) {
        self.map.write(self.folded, self.first, self.x, self.outs);
    }
}

/// Writes results in place.
fn write_in_place<T: FloatElement, M: Map<T>>(map: M, folded: M::Folded, first: usize, x: &mut [T]) {
    let mut copy = [T::nearest(T::carrier(0.0)); BLOCK];
    for (outs, first) in x.chunks_mut(BLOCK).zip((first..).step_by(BLOCK)) {
        let x = &mut copy[..outs.len()];
        x.copy_from_slice(outs);
        processor::widest(Part { map, folded, first, x, outs });
    }
}

/// Elements of a row that a thread maps at once.
const fn part_len<T>() -> usize {
    TASK_BYTES / size_of::<T>()
}

/// Rows to rows in other memory.
struct Apart<'a, T, R, M, S> {
    rows: &'a R,
    map: M,
    types: PhantomData<fn(T, S)>,
}

impl<T: FloatElement, R: Rows<T>, M: Map<T>, S: Slot<T>> Work<T> for Apart<'_, T, R, M, S> {
    type Slot = S;

    fn row(&self, row: usize, by: Option<&Cpu>, outs: &mut [S]) -> Result<(), Error> {
        let map = self.map.of_row(row, outs.len());
        let mut buffer = self.rows.buffer(outs.len())?;
        let x = self.rows.elements(row, 0..outs.len(), &mut buffer);
        let folded = map.fold(Row { x, by })?;
        let Some(cpu) = by else {
            processor::widest(Part { map, folded, first: 0, x, outs });
            return Ok(());
        };
        let parts = outs
            .chunks_mut(part_len::<T>())
            .zip(x.chunks(part_len::<T>()))
            .zip((0..).step_by(part_len::<T>()));
        share(cpu.pool.as_deref(), cpu.threads() - 1, parts, |((outs, x), first)| {
            float_environment::check()?;
            processor::widest(Part { map, folded, first, x, outs });
            Ok(())
        })
    }
}

/// Rows that become their results.
struct InPlace<M> {
    map: M,
}

impl<T: FloatElement, M: Map<T>> Work<T> for InPlace<M> {
    type Slot = T;

    fn row(&self, row: usize, by: Option<&Cpu>, x: &mut [T]) -> Result<(), Error> {
        let map = self.map.of_row(row, x.len());
        let folded = map.fold(Row { x, by })?;
        let Some(cpu) = by else {
            write_in_place(map, folded, 0, x);
            return Ok(());
        };
        let parts = x.chunks_mut(part_len::<T>()).zip((0..).step_by(part_len::<T>()));
        share(cpu.pool.as_deref(), cpu.threads() - 1, parts, |(x, first)| {
            float_environment::check()?;
            write_in_place(map, folded, first, x);
            Ok(())
        })
    }
}

/// Checks a map's parameters, unless there are no rows: then nothing tells how long they would be.
fn check<T: FloatElement, R: Rows<T>, M: Map<T>>(map: M, rows: &R) -> Result<(), Error> {
    if rows.count() == 0 { Ok(()) } else { map.check([rows.count(), rows.longest()]) }
}

impl Cpu {
    /// Returns the results of rows of one length.
    pub(super) fn map_rows<T: FloatElement, R: Rows<T>, M: Map<T>>(
        &self,
        map: M,
        rows: &R,
    ) -> Result<Vec<T>, Error> {
        check(map, rows)?;
        let mut outs = Unwritten::new(rows.before(rows.count()))?;
        let work = Apart { rows, map, types: PhantomData };
        self.share_rows(rows, &work, outs.slots())?;
        // SAFETY: there is a slot for each element. Without an error each row has written all of its slots: `Map::write` writes one
        // for each element, and the elements of a row are as many as its slots.
        Ok(unsafe { outs.written() })
    }

    /// Writes the results of rows of one length.
    pub(super) fn map_rows_to<T: FloatElement, R: Rows<T>, M: Map<T>>(
        &self,
        map: M,
        rows: &R,
        outs: &mut [T],
    ) -> Result<(), Error> {
        check(map, rows)?;
        check_results(rows.before(rows.count()), outs.len())?;
        self.share_rows(rows, &Apart { rows, map, types: PhantomData }, outs)
    }

    /// Writes the results of rows of one length in place.
    pub(super) fn map_rows_in_place<T: FloatElement, M: Map<T>>(
        &self,
        map: M,
        x: &mut [T],
        shape: [usize; 2],
    ) -> Result<(), Error> {
        // The lengths of the rows. Their elements are in the slots.
        let Chunks { count, len, .. } = rows_of(x, shape)?;
        let rows = Chunks::<T> { x: &[], count, len };
        check(map, &rows)?;
        self.share_rows(&rows, &InPlace { map }, x)
    }
}
