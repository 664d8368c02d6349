//! An operator with the kernels that reduce with it to one value. The elements may lie in one array or in two, and the
//! kernels may come from the compiler or from a table of the running program.

use gpu_kernels::{Element, Op};

use crate::kernel::Kernel;
use crate::kernel::family::FoldEntries;

/// An operator and its kernels.
pub(crate) struct FoldKernel<I: Copy, T: Element, O: Op<T>> {
    pub(crate) op: O,
    pub(crate) entries: FoldEntries<I, T, O>,
}

impl<I: Copy, T: Element, O: Kernel<T, I>> FoldKernel<I, T, O> {
    /// Pairs `op` with its kernels.
    pub(crate) fn new(op: O) -> Self {
        Self { op, entries: O::FOLD }
    }
}

impl<I: Copy, T: Element, O: Op<T>> Clone for FoldKernel<I, T, O> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<I: Copy, T: Element, O: Op<T>> Copy for FoldKernel<I, T, O> {}
