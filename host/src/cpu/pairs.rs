//! Two arrays folded in pairs. Operators that are folded row by row read both arrays in place. For others, the pairs of
//! a tile are first copied to a buffer that fits a cache.

use bytemuck::Pod;
use gpu_kernels::tree::lanes;
use gpu_kernels::{Element, Op};

use super::processor::{self, Job, Processor};
use super::{Cpu, TASK_BYTES, few, finish_results, identities, large, neighbours, part_len, share, tiles};
use crate::error::{Error, check_lengths};
use crate::{float_environment, memory};

impl Cpu {
    /// Reduces the pairs of two arrays: see [`crate::zip`].
    pub(crate) fn pairs<T: Element + Pod, O: Op<[T; 2]>>(
        &self,
        op: O,
        x: &[T],
        y: &[T],
    ) -> Result<O::Out, Error> {
        check_lengths(x.len(), y.len())?;
        float_environment::check()?;
        let n = x.len() as u64;
        let pair = |i: usize| [x[i], y[i]];
        let block = |first: usize| {
            let x = x.get(first..)?.first_chunk::<{ few::BLOCK }>()?;
            let y = y.get(first..)?.first_chunk::<{ few::BLOCK }>()?;
            Some(std::array::from_fn(|k| [x[k], y[k]]))
        };
        if let Some(acc) = few::fold_each::<[T; 2], O>(op, x.len(), pair, block) {
            return Ok(O::finish(acc, n));
        }
        let accs = self.fold_pair_tiles(op, x, y, part_len::<[T; 2]>(n), 0)?;
        finish_results::<[T; 2], O>(accs, n)
    }

    /// Folds each `tile_len` pairs of two arrays of equal length. The first pair has the index `start`.
    pub(crate) fn fold_pair_tiles<T: Element + Pod, O: Op<[T; 2]>>(
        &self,
        op: O,
        x: &[T],
        y: &[T],
        tile_len: usize,
        start: u64,
    ) -> Result<Vec<O::Acc>, Error> {
        let mut accs = identities::<[T; 2], O>(x.len().div_ceil(tile_len))?;
        let fold = |(x, y, base, accs): (&[T], &[T], u64, &mut [O::Acc])| {
            large::reducing::<O::Acc, _>(|| {
                float_environment::check()?;
                processor::widest(Tiles { op, x, y, tile_len, base, accs })
            })?
        };
        // Counting the threads starts them, so small inputs avoid it.
        let tasks = 2 * size_of_val(x) / TASK_BYTES;
        let threads = if tasks < 2 { 1 } else { self.threads().min(tasks) };
        if threads < 2 {
            fold((x, y, start, &mut accs))?;
        } else {
            let tiles = (TASK_BYTES / size_of::<[T; 2]>() / tile_len).max(1);
            let task_len = tiles.saturating_mul(tile_len);
            let slices = x.chunks(task_len).zip(y.chunks(task_len));
            let tasks = slices.zip((start..).step_by(task_len)).zip(accs.chunks_mut(tiles));
            share(
                self.pool.as_deref(),
                threads - 1,
                tasks.map(|(((x, y), base), accs)| (x, y, base, accs)),
                fold,
            )?;
        }
        Ok(accs)
    }
}

/// Tiles of pairs, which begin at index `base`, and memory for the accumulator of each tile.
struct Tiles<'a, T: Element + Pod, O: Op<[T; 2]>> {
    op: O,
    x: &'a [T],
    y: &'a [T],
    tile_len: usize,
    base: u64,
    accs: &'a mut [O::Acc],
}

impl<T: Element + Pod, O: Op<[T; 2]>> Job for Tiles<'_, T, O> {
    type Done = Result<(), Error>;

    #[inline(always)]
    fn run(self, on: impl Processor) -> Result<(), Error> {
        let Self { op, x, y, tile_len, base, accs } = self;
        let tiles = x.chunks(tile_len).zip(y.chunks(tile_len)).zip((base..).step_by(tile_len)).zip(accs);
        if const { tiles::is_by_rows::<[T; 2], O>() } {
            let mut kept = memory::filled(O::IDENTITY, lanes::<[T; 2]>() / 2 * 3)?;
            for (((x, y), base), acc) in tiles {
                *acc = fold_rows::<T, O>(op, &mut kept, x, y, base);
            }
        } else {
            let mut pairs = memory::with_room(tile_len.min(x.len()))?;
            for (((x, y), base), acc) in tiles {
                pairs.clear();
                pairs.extend(x.iter().zip(y).map(|(&x, &y)| [x, y]));
                let results = std::slice::from_mut(acc);
                on.part(processor::Tiles { op, x: &pairs, tile_len, base, results })?;
            }
        }
        Ok(())
    }
}

/// Folds a tile row by row. `kept` has an accumulator for each of its lanes, and half as many to fold them in pairs.
#[inline(always)]
fn fold_rows<T: Element + Pod, O: Op<[T; 2]>>(
    op: O,
    kept: &mut [O::Acc],
    x: &[T],
    y: &[T],
    base: u64,
) -> O::Acc {
    let row_len = lanes::<[T; 2]>();
    if x.len() < row_len {
        let kept = &mut kept[..x.len()];
        for (((acc, &x), &y), index) in kept.iter_mut().zip(x).zip(y).zip(base..) {
            *acc = op.append(O::IDENTITY, [x, y], index);
        }
        return neighbours::fold::<[T; 2], O>(kept);
    }
    let (kept, other) = kept.split_at_mut(row_len);
    for ((x, y), at) in x.chunks(row_len).zip(y.chunks(row_len)).zip((0..).step_by(row_len)) {
        processor::touch_after(x);
        processor::touch_after(y);
        if at == 0 {
            append_row::<T, O, true>(op, kept, x, y, base);
        } else {
            append_row::<T, O, false>(op, kept, x, y, base + at);
        }
    }
    neighbours::fold_through::<[T; 2], O>(kept, other)
}

/// Folds a row, which may be partial unless it is the first one, into the accumulators of its lanes.
#[inline(always)]
fn append_row<T: Element + Pod, O: Op<[T; 2]>, const IS_FIRST: bool>(
    op: O,
    kept: &mut [O::Acc],
    x: &[T],
    y: &[T],
    base: u64,
) {
    let row_len = lanes::<[T; 2]>();
    if x.len() == row_len {
        // Slices of a constant length, so that the loop has no checks and is vectorised.
        let (kept, x, y) = (&mut kept[..row_len], &x[..row_len], &y[..row_len]);
        for j in 0..row_len {
            kept[j] = op.append(if IS_FIRST { O::IDENTITY } else { kept[j] }, [x[j], y[j]], base + j as u64);
        }
    } else {
        for (((acc, &x), &y), index) in kept.iter_mut().zip(x).zip(y).zip(base..) {
            *acc = op.append(*acc, [x, y], index);
        }
    }
}
