//! The folds of a row: on one thread, or with all. Sums of what is made of each element.

use gpu_kernels::{Element, FloatElement, Op, Real};

use crate::cpu::batch::row::part_len;
use crate::cpu::{Cpu, neighbours, processor};
use crate::error::Error;
use crate::memory;

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
