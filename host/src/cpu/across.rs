//! Folds arrays of equal length element by element.

use gpu_kernels::{Element, Op};

use super::processor::{Job, Processor};
use super::{Cpu, TASK_BYTES, large, neighbours, processor, share};
use crate::error::Error;
use crate::{float_environment, memory};

/// Bytes of accumulators that are folded at once, which fit the first-level cache.
const BLOCK_BYTES: usize = 16 << 10;

impl Cpu {
    /// Folds arrays into `outs`, which has the length of each. The elements at each position are folded in pairs of
    /// neighbouring arrays, and so are the results; an odd one out moves up unchanged. The index of an element is the
    /// number of its array.
    pub(crate) fn fold_across<T: Element, O: Op<T>>(
        &self,
        op: O,
        arrays: &[&[T]],
        outs: &mut [O::Out],
    ) -> Result<(), Error> {
        let bytes = outs.len().saturating_mul(arrays.len()).saturating_mul(size_of::<T>());
        let task_len = (TASK_BYTES / (arrays.len() * size_of::<T>()).max(1)).max(1);
        let tasks = outs.chunks_mut(task_len).zip((0..).step_by(task_len));
        share(self.pool.as_deref(), self.threads_for(bytes) - 1, tasks, |(outs, first)| {
            large::reducing::<O::Acc, _>(|| {
                float_environment::check()?;
                processor::widest(Across { op, arrays, first, outs })
            })?
        })
    }
}

/// The elements of some arrays from position `first` on, one for each of `outs`.
struct Across<'a, T: Element, O: Op<T>> {
    op: O,
    arrays: &'a [&'a [T]],
    first: usize,
    outs: &'a mut [O::Out],
}

impl<T: Element, O: Op<T>> Job for Across<'_, T, O> {
    type Done = Result<(), Error>;

    #[inline(always)]
    fn run(self, _: impl Processor) -> Result<(), Error> {
        let Self { op, arrays, mut first, outs } = self;
        let len = (BLOCK_BYTES / (arrays.len() * size_of::<O::Acc>()).max(1)).max(1);
        let mut accs = memory::with_room(len * arrays.len())?;
        for outs in outs.chunks_mut(len) {
            accs.clear();
            for (array, index) in arrays.iter().zip(0..) {
                accs.extend(array[first..first + outs.len()].iter().map(|&x| op.lift(x, index)));
            }
            neighbours::fold_rows(&mut accs, outs.len(), O::combine);
            for (out, &acc) in outs.iter_mut().zip(&accs) {
                *out = O::finish(acc, arrays.len() as u64);
            }
            first += outs.len();
        }
        Ok(())
    }
}
