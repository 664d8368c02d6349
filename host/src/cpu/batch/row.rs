//! Rows on one thread: short rows together, long rows one after the other.

use std::mem::MaybeUninit;
use std::ops::Range;

use gpu_kernels::{Element, Op, is_free, tree};

use super::{Rows, Work, constant, short};
use crate::cpu::processor::{self, Job, Processor, Tiles};
use crate::cpu::{Cpu, finish_results, is_large, large, neighbours};
use crate::error::Error;
use crate::{float_environment, memory};

/// Bytes of a row that are gathered at once if they are not contiguous. They fit the second-level cache.
const PORTION_BYTES: usize = 1 << 18;

/// Folds the given rows that are shorter than `below`, and writes their results.
pub(super) struct Each<'a, T: Element, O: Op<T>, R> {
    pub(super) op: O,
    pub(super) rows: &'a R,
    pub(super) numbers: Range<usize>,
    pub(super) below: usize,
    pub(super) outs: &'a mut [MaybeUninit<O::Out>],
}

/// The finished result of each row, in its only slot.
pub(super) struct Finished<'a, O, R> {
    pub(super) op: O,
    pub(super) rows: &'a R,
}

impl<T: Element, O: Op<T>, R: Rows<T>> Work<T> for Finished<'_, O, R> {
    type Slot = MaybeUninit<O::Out>;

    fn row(&self, row: usize, by: Option<&Cpu>, outs: &mut [Self::Slot]) -> Result<(), Error> {
        let Some(cpu) = by else { return self.rows(self.rows, row..row + 1, usize::MAX, outs) };
        let accs = cpu.fold_together(self.op, self.rows, row)?;
        outs[0].write(finish_results::<T, O>(accs, self.rows.len(row) as u64)?);
        Ok(())
    }

    fn rows<S: Rows<T>>(
        &self,
        rows: &S,
        numbers: Range<usize>,
        below: usize,
        outs: &mut [Self::Slot],
    ) -> Result<(), Error> {
        large::reducing::<O::Acc, _>(|| {
            if const { is_large::<O::Acc>() } {
                float_environment::check()?;
            }
            processor::widest(Each { op: self.op, rows, numbers, below, outs })
        })?
    }
}

impl<T: Element, O: Op<T>, R: Rows<T>> Job for Each<'_, T, O, R> {
    type Done = Result<(), Error>;

    #[inline(always)]
    fn run(self, on: impl Processor) -> Result<(), Error> {
        let (op, rows) = (self.op, self.rows);
        if const { R::OF_ONE_LENGTH }
            && let Some(x) = rows.neighbours(self.numbers.clone())
            && constant::fold(op, x, rows.longest(), self.outs)
        {
            return Ok(());
        }
        let (mut leaves, mut accs) = (Vec::new(), Vec::new());
        let mut buffer = rows.buffer(rows.longest().min(portion_len::<T, O>(rows.longest())))?;
        let most = short::most::<T, O>(R::OF_ONE_LENGTH);
        let longest = rows.longest().div_ceil(short::leaf_len::<T, O>());
        // Each row has a result here, also a row that is too long to be folded there.
        let at_once =
            if is_large::<O::Acc>() { 1 } else { short::rows_at_once(longest.min(most), R::OF_ONE_LENGTH) };
        for (first, outs) in self.numbers.step_by(at_once).zip(self.outs.chunks_mut(at_once)) {
            let numbers = first..first + outs.len();
            let folded = short::fold(op, rows, numbers.clone(), most, &mut leaves, &mut buffer)?;
            if const { R::OF_ONE_LENGTH } && longest <= most {
                let len = rows.longest() as u64;
                for (out, &folded) in outs.iter_mut().zip(folded) {
                    out.write(O::finish(folded, len));
                }
                continue;
            }
            for ((row, out), &folded) in numbers.zip(outs).zip(folded) {
                let len = rows.len(row);
                if len.div_ceil(short::leaf_len::<T, O>()) <= most {
                    out.write(O::finish(folded, len as u64));
                } else if len < self.below {
                    out.write(O::finish(fold(on, op, rows, row, &mut accs, &mut buffer)?, len as u64));
                }
            }
        }
        Ok(())
    }
}

/// Returns the number of elements of a row of `len` that are gathered at once: whole parts, or a row of few leaves.
fn portion_len<T: Element, O: Op<T>>(len: usize) -> usize {
    let part_len = part_len::<T, O>(len);
    (PORTION_BYTES / size_of::<T>() / part_len).max(1).saturating_mul(part_len)
}

/// Returns the number of elements that are folded to one accumulator, in a row of `len`: a tile or, if the operator is
/// free, several tiles.
pub(in crate::cpu) fn part_len<T: Element, O: Op<T>>(len: usize) -> usize {
    let tile_len = crate::cpu::part_len::<T>(len as u64);
    if is_free::<T, O>() { tile_len.max(tree::RUN * PORTION_BYTES / size_of::<T>()) } else { tile_len }.max(1)
}

/// Folds a row.
#[inline(always)]
fn fold<T: Element, O: Op<T>, R: Rows<T>>(
    on: impl Processor,
    op: O,
    rows: &R,
    row: usize,
    accs: &mut Vec<O::Acc>,
    buffer: &mut Vec<T>,
) -> Result<O::Acc, Error> {
    let len = rows.len(row);
    let part_len = part_len::<T, O>(len);
    if len <= part_len {
        let mut acc = [O::IDENTITY];
        let x = rows.elements(row, 0..len, buffer);
        let tile = Tiles { op, x, tile_len: part_len, base: 0, results: &mut acc };
        // A free operator has little code, and a call would show in short rows (docs/tuning/cpu.md).
        if const { is_free::<T, O>() } {
            tile.run(on)?
        } else {
            on.part(tile)?
        }
        return Ok(acc[0]);
    }
    accs.clear();
    memory::resize(accs, len.div_ceil(part_len), O::IDENTITY)?;
    let portion_len = portion_len::<T, O>(len);
    for (start, results) in (0..len).step_by(portion_len).zip(accs.chunks_mut(portion_len / part_len)) {
        let x = rows.elements(row, start..len.min(start.saturating_add(portion_len)), buffer);
        on.part(Tiles { op, x, tile_len: part_len, base: start as u64, results })?;
    }
    Ok(neighbours::fold::<T, O>(accs))
}
