//! An operator with the kernels that reduce with it to one value. The elements may lie in one array or in two, and the
//! kernels may come from the compiler or from a table of the running program.

use bytemuck::Pod;
use gpu_kernels::addresses::Two;
use gpu_kernels::arguments::{Block, Grid, Partials};
use gpu_kernels::{Element, Op};

use crate::kernel::zipped::Zipped;
use crate::{Entry, Kernel, ZipKernel};

/// The kernels of operator `O` over elements `T`, which they address by `I`.
pub(crate) struct FoldEntries<I: Copy, T: Element, O: Op<T>> {
    pub(crate) block: Entry<Block<I, T, O>>,
    pub(crate) grid: Entry<Grid<I, T, O>>,
    pub(crate) partials: Entry<Partials<T, O>>,
}

/// An operator and its kernels.
pub(crate) struct FoldKernel<I: Copy, T: Element, O: Op<T>> {
    pub(crate) op: O,
    pub(crate) entries: FoldEntries<I, T, O>,
}

impl<T: Element, O: Kernel<T>> FoldEntries<*const T, T, O> {
    /// The kernels over one array.
    pub(crate) const ONE: Self = Self { block: O::BLOCK, grid: O::GRID, partials: O::PARTIALS };
}

impl<T: Element + Pod, O: ZipKernel<T>> FoldEntries<Two<T>, [T; 2], Zipped<O>> {
    /// The kernels over two arrays, whose operator has the same layout.
    pub(crate) const TWO: Self =
        Self { block: O::BLOCK.cast(), grid: O::GRID.cast(), partials: O::PARTIALS.cast() };
}

impl<I: Copy, T: Element, O: Op<T>> FoldEntries<I, T, O> {
    /// Returns all entries without their types, for loading and comparing.
    pub(crate) fn untyped(&self) -> [Entry; 3] {
        [self.block.untyped(), self.grid.untyped(), self.partials.untyped()]
    }
}

impl<T: Element, O: Kernel<T>> FoldKernel<*const T, T, O> {
    /// Pairs `op` with its kernels over one array.
    pub(crate) fn new(op: O) -> Self {
        Self { op, entries: FoldEntries::ONE }
    }
}

impl<T: Element + Pod, O: ZipKernel<T>> FoldKernel<Two<T>, [T; 2], Zipped<O>> {
    /// Pairs `op` with its kernels over two arrays.
    pub(crate) fn of_two(op: O) -> Self {
        Self { op: Zipped(op), entries: FoldEntries::TWO }
    }
}

impl<I: Copy, T: Element, O: Op<T>> Clone for FoldEntries<I, T, O> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<I: Copy, T: Element, O: Op<T>> Copy for FoldEntries<I, T, O> {}

impl<I: Copy, T: Element, O: Op<T>> Clone for FoldKernel<I, T, O> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<I: Copy, T: Element, O: Op<T>> Copy for FoldKernel<I, T, O> {}
