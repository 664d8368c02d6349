//! The kernels of a reduction, whether its elements lie in one array or in two.

use bytemuck::Pod;
use gpu_kernels::addresses::{Addresses, Two};
use gpu_kernels::arguments::{Block, Grid, Partials};
use gpu_kernels::{Element, Op};

use crate::zip::Zipped;
use crate::{Entry, Kernel, ZipKernel};

/// An operator that has kernels which fold elements `T`.
pub(crate) trait Fold<T: Element>: Op<T> {
    /// Where they find the elements.
    type Input: Addresses<T>;
    /// [`Kernel::BLOCK`].
    const BLOCK: Entry<Block<Self::Input, T, Self>>;
    /// [`Kernel::GRID`].
    const GRID: Entry<Grid<Self::Input, T, Self>>;
    /// [`Kernel::PARTIALS`].
    const PARTIALS: Entry<Partials<T, Self>>;
}

impl<T: Element, O: Kernel<T>> Fold<T> for O {
    type Input = *const T;
    const BLOCK: Entry<Block<*const T, T, O>> = <O as Kernel<T>>::BLOCK;
    const GRID: Entry<Grid<*const T, T, O>> = <O as Kernel<T>>::GRID;
    const PARTIALS: Entry<Partials<T, O>> = <O as Kernel<T>>::PARTIALS;
}

/// The kernels over two arrays take an operator of the same layout.
impl<T: Element + Pod, O: ZipKernel<T>> Fold<[T; 2]> for Zipped<O> {
    type Input = Two<T>;
    const BLOCK: Entry<Block<Two<T>, [T; 2], Self>> = O::BLOCK.cast();
    const GRID: Entry<Grid<Two<T>, [T; 2], Self>> = O::GRID.cast();
    const PARTIALS: Entry<Partials<[T; 2], Self>> = O::PARTIALS.cast();
}
