//! An operator with the kernels that reduce with it to one value. The elements may lie in one array or in two, and the
//! kernels may come from the compiler or from a table of the running program.

use bytemuck::Pod;
use gpu_kernels::addresses::Two;
use gpu_kernels::{Element, Op};

use crate::kernel::family::FoldEntries;
use crate::kernel::zipped::Zipped;
use crate::kernel::{Kernel, ZipKernel};

/// An operator and its kernels.
pub(crate) struct FoldKernel<I: Copy, T: Element, O: Op<T>> {
    pub(crate) op: O,
    pub(crate) entries: FoldEntries<I, T, O>,
}

impl<T: Element, O: Kernel<T>> FoldKernel<*const T, T, O> {
    /// Pairs `op` with its kernels over one array.
    pub(crate) fn new(op: O) -> Self {
        Self { op, entries: O::FOLD }
    }
}

impl<T: Element + Pod, O: ZipKernel<T>> FoldKernel<Two<T>, [T; 2], Zipped<O>> {
    /// Pairs `op` with its kernels over two arrays.
    pub(crate) fn of_two(op: O) -> Self {
        // Sound: `Zipped` has the layout of the operator in it.
        Self { op: Zipped(op), entries: O::FOLD.cast() }
    }
}

impl<I: Copy, T: Element, O: Op<T>> Clone for FoldKernel<I, T, O> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<I: Copy, T: Element, O: Op<T>> Copy for FoldKernel<I, T, O> {}
