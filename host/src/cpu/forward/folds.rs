//! The folds of a row: on one thread, or with all. Sums of what is made of each element, or of each column.

use std::ops::Range;

use gpu_kernels::tree::lanes;
use gpu_kernels::{Element, FloatElement, Op, Real, Wide};

use crate::cpu::batch::row::part_len;
use crate::cpu::{Cpu, TASK_BYTES, neighbours, processor, share};
use crate::error::Error;
use crate::{float_environment, memory};

/// A row that is folded with several operators.
#[derive(Clone, Copy)]
pub(super) struct Row<'a, T> {
    pub(super) x: &'a [T],
    /// Whose threads fold it together; `None` is this thread.
    pub(super) by: Option<&'a Cpu>,
}

impl<T: Element> Row<'_, T> {
    /// Folds the row. It is compiled once for each operator, not for each result that is made of it.
    pub(super) fn fold<O: Op<T>>(self, op: O) -> Result<O::Acc, Error> {
        if let Some(cpu) = self.by {
            return cpu.fold_many(op, self.x);
        }
        let part_len = part_len::<T, O>(self.x.len());
        if self.x.len() <= part_len {
            let mut acc = [O::IDENTITY];
            processor::fold_tiles::<T, O>(op, self.x, part_len, 0, &mut acc)?;
            return Ok(acc[0]);
        }
        let mut accs = memory::filled(O::IDENTITY, self.x.len().div_ceil(part_len))?;
        processor::fold_tiles::<T, O>(op, self.x, part_len, 0, &mut accs)?;
        Ok(neighbours::fold::<T, O>(&mut accs))
    }
}

/// The sum of a term for each element. No term is -0.0, so the sum of none is 0.
#[derive(Clone, Copy)]
pub(super) struct Terms<F>(pub(super) F);

impl<T: FloatElement, F: Fn(T) -> T::Carrier + Copy + Send + Sync + 'static> Op<T> for Terms<F> {
    type Acc = T::Carrier;
    type Out = T::Carrier;
    const IDENTITY: T::Carrier = <T::Carrier as Real>::NOUGHT;
    const COMMUTATIVE: bool = true;
    const NEEDS_LEN: bool = false;
    const NEEDS_INDEX: bool = false;
    #[inline(always)]
    fn lift(self, x: T, _index: u64) -> T::Carrier {
        (self.0)(x)
    }
    #[inline(always)]
    fn combine(left: T::Carrier, right: T::Carrier) -> T::Carrier {
        left + right
    }
    #[inline(always)]
    fn finish(acc: T::Carrier, _len: u64) -> T::Carrier {
        acc
    }
}

/// Terms of columns of a row, which are made of more than its elements.
pub(super) trait Columns<T: FloatElement>: Copy + Sync {
    /// Writes the terms of some columns. Inlined, with all of its loop.
    fn terms(self, columns: Range<usize>, terms: &mut [T::Carrier]);
}

/// The sums of some tiles of columns, from `first` on.
struct Sums<'a, T: FloatElement, C> {
    columns: C,
    first: usize,
    len: usize,
    tile_len: usize,
    sums: &'a mut [T::Carrier],
}

/// How neighbours are added. No sum here is of nothing, so its identity does not matter.
type Added<T> = Terms<fn(T) -> <T as FloatElement>::Carrier>;

impl<T: FloatElement, C: Columns<T>> processor::Job for Sums<'_, T, C> {
    type Done = Result<(), Error>;

    #[inline(always)]
    fn run(self, _: impl processor::Processor) -> Result<(), Error> {
        let width = lanes::<T>().min(self.len);
        // The lanes, then their terms in one row of the tile.
        let mut room = memory::filled(<T::Carrier as Wide>::ZERO, 2 * width)?;
        let (lanes, terms) = room.split_at_mut(width);
        for (sum, first) in self.sums.iter_mut().zip((self.first..).step_by(self.tile_len)) {
            let end = self.len.min(first.saturating_add(self.tile_len));
            let width = width.min(end - first);
            lanes.fill(<T::Carrier as Wide>::ZERO);
            for first in (first..end).step_by(width) {
                let terms = &mut terms[..width.min(end - first)];
                self.columns.terms(first..first + terms.len(), terms);
                for (lane, &mut term) in lanes.iter_mut().zip(terms) {
                    *lane = *lane + term;
                }
            }
            *sum = neighbours::fold::<T, Added<T>>(&mut lanes[..width]);
        }
        Ok(())
    }
}

impl<T: FloatElement> Row<'_, T> {
    /// Sums the terms of the columns, along the tree of the row's length. There is at least one.
    pub(super) fn sum_of<C: Columns<T>>(self, columns: C) -> Result<T::Carrier, Error> {
        let len = self.x.len();
        let tile_len = crate::cpu::part_len::<T>(len as u64);
        let mut sums = memory::filled(<T::Carrier as Wide>::ZERO, len.div_ceil(tile_len))?;
        match self.by {
            None => processor::widest(Sums::<T, C> { columns, first: 0, len, tile_len, sums: &mut sums })?,
            Some(cpu) => {
                let at_once = (TASK_BYTES / size_of::<T>() / tile_len).max(1);
                let tasks = sums.chunks_mut(at_once).zip((0..).step_by(at_once * tile_len));
                share(cpu.pool.as_deref(), cpu.threads() - 1, tasks, |(sums, first)| {
                    float_environment::check()?;
                    processor::widest(Sums::<T, C> { columns, first, len, tile_len, sums })
                })?;
            }
        }
        Ok(neighbours::fold::<T, Added<T>>(&mut sums))
    }
}
