//! Parts of one array, and of the pairs of two.

use std::borrow::Cow;
use std::ops::Range;

use bytemuck::{CheckedBitPattern, NoUninit, Pod};
use gpu_kernels::addresses::{Addresses, Two};
use gpu_kernels::shapes::{BLOCK_TILES, MAX_FAN_IN};
use gpu_kernels::{Element, Op, tree};

use crate::cpu::Cpu;
use crate::cuda::executor::Executor;
use crate::cuda::launch::Input;
use crate::cuda::{Cuda, DeviceArray, DeviceSlice};
use crate::error::{Error, check_lengths};
use crate::input::Zip;
use crate::kernel::Kernel;
use crate::kernel::fold::FoldKernel;
use crate::plan::{Passes, Plan};
use crate::verb::{Backend, Reduce};
use crate::world::input::reduce_one;
use crate::world::part::Part;
use crate::world::{Communicator, World};

impl<T: Element + CheckedBitPattern<Bits: NoUninit>, O: Kernel<T>> Part<T, O> for DeviceSlice<'_, T> {
    fn rows(&self) -> usize {
        self.len()
    }
    fn width(&self) -> usize {
        1
    }
    fn tiles(&self, _: &Cpu, op: O, rows: Range<usize>, first: u64, n: u64) -> Result<Vec<O::Acc>, Error> {
        let input = self.slice(rows)?.input()?.beginning_at(first);
        self.cuda().fold_tiles(FoldKernel::new(op), input, n)
    }
    fn in_any_order(&self, _: &Cpu, op: O, first: u64) -> Result<Vec<O::Acc>, Error> {
        self.cuda().fold_from(FoldKernel::new(op), self.input()?.beginning_at(first))
    }
    fn elements(&self, rows: Range<usize>) -> Result<Cow<'_, [T]>, Error> {
        self.slice(rows)?.to_vec().map(Cow::Owned)
    }
}

/// Two arrays of equal length on one device, as pairs of their elements.
struct Pairs<'a, T>(DeviceSlice<'a, T>, DeviceSlice<'a, T>);

impl<'a, T: Element> Pairs<'a, T> {
    fn new(x: DeviceSlice<'a, T>, y: DeviceSlice<'a, T>) -> Result<Self, Error> {
        check_lengths(x.len(), y.len())?;
        x.cuda().context().same_device(y.cuda().context())?;
        Ok(Self(x, y))
    }
}

impl<T: Element + Pod, O: Kernel<[T; 2], Two<T>>> Part<[T; 2], O> for Pairs<'_, T> {
    fn rows(&self) -> usize {
        self.0.len()
    }
    fn width(&self) -> usize {
        1
    }
    fn tiles(&self, _: &Cpu, op: O, rows: Range<usize>, first: u64, n: u64) -> Result<Vec<O::Acc>, Error> {
        let (x, y) = (self.0.slice(rows.clone())?, self.1.slice(rows)?);
        let input = x.input()?.zipped(y.input()?)?.beginning_at(first);
        self.0.cuda().fold_tiles(FoldKernel::new(op), input, n)
    }
    fn in_any_order(&self, _: &Cpu, op: O, first: u64) -> Result<Vec<O::Acc>, Error> {
        let input = self.0.input()?.zipped(self.1.input()?)?.beginning_at(first);
        self.0.cuda().fold_from(FoldKernel::new(op), input)
    }
    fn elements(&self, rows: Range<usize>) -> Result<Cow<'_, [[T; 2]]>, Error> {
        let (x, y) = (self.0.slice(rows.clone())?.to_vec()?, self.1.slice(rows)?.to_vec()?);
        crate::memory::collected(x.into_iter().zip(y).map(|(x, y)| [x, y])).map(Cow::Owned)
    }
}

/// Returns the plan by which each block folds one tile at a time, of an array of `n` elements in all.
pub(super) fn plan_of_tiles<I: Copy, T: Element, O: Op<T>>(
    executor: &Executor,
    cuda: &Cuda,
    kernel: FoldKernel<I, T, O>,
    n: u64,
) -> Result<Plan, Error> {
    let plan = executor.plan(&kernel.entries, cuda, n)?;
    // As many threads in blocks of 256.
    let blocks = plan.blocks().saturating_mul(plan.threads() / tree::THREADS as u32);
    let passes = Passes::Recursive { fan_in: MAX_FAN_IN as u32 };
    Plan::with_config::<T>(n, passes, tree::THREADS as u32, blocks.max(BLOCK_TILES as u32))
}

impl Cuda {
    /// Folds `input`, which begins with a tile of the tree over `n` elements, to a total for each tile.
    fn fold_tiles<I: Addresses<T>, T: Element, O: Op<T>>(
        &self,
        kernel: FoldKernel<I, T, O>,
        input: Input<'_, T, I>,
        n: u64,
    ) -> Result<Vec<O::Acc>, Error> {
        self.lease(|executor| {
            let plan = plan_of_tiles(executor, self, kernel, n)?;
            executor.fold_tiles(kernel, self.kernels(), &plan, input)
        })
    }

    /// Folds `input`, a part of a longer one, with a free operator, to one accumulator. The part need not begin with a
    /// tile: kernels only add the index of its first element to the indices of the others.
    fn fold_from<I: Addresses<T>, T: Element, O: Op<T>>(
        &self,
        kernel: FoldKernel<I, T, O>,
        input: Input<'_, T, I>,
    ) -> Result<Vec<O::Acc>, Error> {
        self.lease(|executor| {
            let plan = executor.plan(&kernel.entries, self, input.len())?;
            Ok(vec![executor.fold(kernel, self.kernels(), &plan, input)?])
        })
    }
}

/// Implements the inputs of a kind of elements in device memory.
macro_rules! inputs {
    ($($x:ty),*) => { $(
        impl<C: Communicator, T, O> Backend<Reduce<O, $x>> for World<C>
        where
            T: Element + CheckedBitPattern<Bits: NoUninit>,
            O: Kernel<T>,
        {
            type Results = O::Out;

            fn run(&self, Reduce { op, input }: Reduce<O, $x>) -> Result<O::Out, Error> {
                reduce_one(self, op, Ok(input.slice(..)?), "an array")
            }
        }

        impl<C: Communicator, T: Element + Pod, O: Kernel<[T; 2], Two<T>>> Backend<Reduce<O, Zip<$x, $x>>> for World<C> {
            type Results = O::Out;

            fn run(&self, Reduce { op, input }: Reduce<O, Zip<$x, $x>>) -> Result<O::Out, Error> {
                reduce_one(self, op, Pairs::new(input.x.slice(..)?, input.y.slice(..)?), "pairs")
            }
        }
    )* };
}
inputs!(&DeviceArray<T>, DeviceSlice<'_, T>, &DeviceSlice<'_, T>);
