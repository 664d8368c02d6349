//! Two arrays side by side: their pairs are brought together a few tiles at a time, where caches hold them.

use bytemuck::Pod;
use gpu_kernels::{Element, Op};

use super::{Cpu, TASK_BYTES, few, finish_results, large, part_len, processor, share};
use crate::error::{Error, check_lengths};
use crate::float_environment;

impl Cpu {
    /// Folds the pairs of two arrays: see [`crate::zip`].
    pub(crate) fn pairs<T: Element + Pod, O: Op<[T; 2]>>(
        &self,
        op: O,
        x: &[T],
        y: &[T],
    ) -> Result<O::Out, Error> {
        check_lengths(x.len(), y.len())?;
        float_environment::check()?;
        let n = x.len() as u64;
        if let Some(acc) = few::fold_each::<[T; 2], O>(op, x.iter().zip(y).map(|(&x, &y)| [x, y])) {
            return Ok(O::finish(acc, n));
        }
        let tile_len = part_len::<[T; 2]>(n);
        let mut accs = large::reducing::<O::Acc, _>(|| vec![O::IDENTITY; x.len().div_ceil(tile_len)])?;
        let fold = |(x, y, base, accs): (&[T], &[T], u64, &mut [O::Acc])| {
            large::reducing::<O::Acc, _>(|| {
                float_environment::check()?;
                let mut pairs = Vec::with_capacity(tile_len.min(x.len()));
                let tiles = x.chunks(tile_len).zip(y.chunks(tile_len)).zip((base..).step_by(tile_len));
                for (((x, y), base), acc) in tiles.zip(accs) {
                    pairs.clear();
                    pairs.extend(x.iter().zip(y).map(|(&x, &y)| [x, y]));
                    processor::fold_tiles(op, &pairs, tile_len, base, std::slice::from_mut(acc));
                }
                Ok::<_, Error>(())
            })?
        };
        // To count the threads is to start them.
        let tasks = 2 * size_of_val(x) / TASK_BYTES;
        let threads = if tasks < 2 { 1 } else { self.threads().min(tasks) };
        if threads < 2 {
            fold((x, y, 0, &mut accs))?;
        } else {
            let tiles = (TASK_BYTES / size_of::<[T; 2]>() / tile_len).max(1);
            let task_len = tiles.saturating_mul(tile_len);
            let slices = x.chunks(task_len).zip(y.chunks(task_len));
            let tasks = slices.zip((0..).step_by(task_len)).zip(accs.chunks_mut(tiles));
            share(
                self.pool.as_deref(),
                threads - 1,
                tasks.map(|(((x, y), base), accs)| (x, y, base, accs)),
                fold,
            )?;
        }
        finish_results::<[T; 2], O>(accs, n)
    }
}
