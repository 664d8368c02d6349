//! The two halves of a scan, for some tiles of an array: the tiles' totals, and their outputs once the prefix of each
//! is known.

use gpu_kernels::scan::Kind;
use gpu_kernels::scan::tree::tile_len;
use gpu_kernels::{Element, Op};

use super::slices::{Apart, Slices};
use super::{Outputs, Totals, bytes};
use crate::cpu::{Cpu, TASK_BYTES, large, processor, share};
use crate::error::Error;
use crate::scan::Scan;
use crate::{float_environment, memory};

impl Cpu {
    /// Returns the totals of tiles. A partial last tile has none. `x` begins with a tile, whose first element has
    /// index `first`.
    pub(crate) fn scan_totals<T: Element, O: Op<T>>(
        &self,
        op: O,
        x: &[T],
        first: u64,
    ) -> Result<Vec<O::Acc>, Error> {
        let count = x.len().div_ceil(tile_len::<T>());
        let mut tiles = large::scanning::<O::Acc, _>(|| memory::filled(O::IDENTITY, count))??;
        let tasks = x.chunks(task_len::<T, O>()).zip((first..).step_by(task_len::<T, O>()));
        let tasks = tasks.zip(tiles.chunks_mut(task_len::<T, O>() / tile_len::<T>()));
        let helpers = self.scan_threads::<T, O>(x.len()) - 1;
        share(self.pool.as_deref(), helpers, tasks, |((x, first), totals)| {
            large::scanning::<O::Acc, _>(|| {
                float_environment::check()?;
                processor::widest(Totals { op, x, first, totals })
            })?
        })?;
        Ok(tiles)
    }

    /// Writes the outputs of tiles, each from its prefix. `x` begins with a tile, whose first element has index
    /// `first`, and `outs` is as long.
    pub(crate) fn scan_part<T: Element, O: Op<T>>(
        &self,
        op: O,
        x: &[T],
        outs: &mut [O::Out],
        first: u64,
        scan: Scan<O::Acc>,
        prefixes: &[O::Acc],
    ) -> Result<(), Error> {
        self.scan_tiles(op, Apart::new(x, outs), first, scan, prefixes)
    }

    pub(super) fn scan_tiles<T: Element, O: Op<T>, P: Slices<Element = T, Out = O::Out>>(
        &self,
        op: O,
        slices: P,
        first: u64,
        scan: Scan<O::Acc>,
        prefixes: &[O::Acc],
    ) -> Result<(), Error> {
        let (is_inclusive, (_, before)) = (scan.kind() == Kind::Inclusive, scan.init(O::IDENTITY));
        let helpers = self.scan_threads::<T, O>(slices.len()) - 1;
        let firsts = (first..).step_by(task_len::<T, O>());
        let mut rest = Some(slices);
        let tasks = prefixes.chunks(task_len::<T, O>() / tile_len::<T>()).zip(firsts);
        let tasks = tasks.filter_map(move |(prefixes, first)| {
            let slices = rest.take()?;
            let at = slices.len().min(task_len::<T, O>());
            let (slices, others) = slices.split_at(at);
            rest = Some(others);
            Some((slices, prefixes, first))
        });
        share(self.pool.as_deref(), helpers, tasks, |(slices, prefixes, first)| {
            large::scanning::<O::Acc, _>(|| {
                float_environment::check()?;
                processor::widest(Outputs { op, is_inclusive, slices, first, before, prefixes })
            })?
        })
    }

    /// Returns the number of threads worth waking for `len` elements. Counting the threads starts them, so small inputs
    /// avoid it.
    pub(super) fn scan_threads<T: Element, O: Op<T>>(&self, len: usize) -> usize {
        self.threads_for(bytes::<T, O>(len))
    }
}

/// Returns the number of elements of a task, which consists of whole tiles.
fn task_len<T: Element, O: Op<T>>() -> usize {
    (TASK_BYTES / bytes::<T, O>(tile_len::<T>())).max(1) * tile_len::<T>()
}
