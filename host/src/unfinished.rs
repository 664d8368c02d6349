//! An operator whose results are its accumulators, for what is finished elsewhere: by another rank, or at another position.

use gpu_kernels::{Element, Op};

/// An operator over a part of an array: it does not finish accumulators, and its indices begin at `first`.
#[derive(Clone, Copy)]
pub(crate) struct Unfinished<O> {
    pub(crate) op: O,
    pub(crate) first: u64,
}

impl<T: Element, O: Op<T>> Op<T> for Unfinished<O> {
    type Acc = O::Acc;
    type Out = O::Acc;
    const IDENTITY: O::Acc = O::IDENTITY;
    const COMMUTATIVE: bool = O::COMMUTATIVE;
    const ASSOCIATIVE: bool = O::ASSOCIATIVE;
    const NEEDS_LEN: bool = false;
    const NEEDS_INDEX: bool = O::NEEDS_INDEX;

    #[inline(always)]
    fn lift(self, x: T, index: u64) -> O::Acc {
        self.op.lift(x, self.first.wrapping_add(index))
    }
    #[inline(always)]
    fn combine(left: O::Acc, right: O::Acc) -> O::Acc {
        O::combine(left, right)
    }
    #[inline(always)]
    fn append(self, acc: O::Acc, x: T, index: u64) -> O::Acc {
        self.op.append(acc, x, self.first.wrapping_add(index))
    }
    #[inline(always)]
    fn append_rows<const V: usize, const R: usize>(
        self,
        acc: O::Acc,
        rows: [[T; V]; R],
        first: u64,
        stride: u64,
    ) -> O::Acc {
        self.op.append_rows(acc, rows, self.first.wrapping_add(first), stride)
    }
    #[inline(always)]
    fn absent(self) -> Option<T> {
        self.op.absent()
    }
    #[inline(always)]
    fn append_slice(self, acc: O::Acc, x: &[T], first: u64) -> O::Acc {
        self.op.append_slice(acc, x, self.first.wrapping_add(first))
    }
    #[inline(always)]
    fn finish(acc: O::Acc, _len: u64) -> O::Acc {
        acc
    }
}
