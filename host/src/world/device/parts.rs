//! Rows of a matrix that is cut between rows; segments and chunks of an array that is cut anywhere.

use std::ops::Range;

use bytemuck::{CheckedBitPattern, NoUninit};

use gpu_kernels::{Element, Op};

use crate::arrays::AsElements;
use crate::cpu::Cpu;
use crate::cuda::input::{Parts, reduce_parts};
use crate::cuda::{Cuda, DeviceArray, DeviceSlice};
use crate::error::Error;
use crate::index_type::IndexType;
use crate::input::{Chunks, Rows, Segments};
use crate::kernel::RowsKernel;
use crate::memory;
use crate::verb::{Backend, Reduce};
use crate::world::input::rows::reduce_rows;
use crate::world::input::segments::{reduce_chunks, reduce_segments};
use crate::world::part::Sequence;
use crate::world::{Communicator, World};

impl<T: Element + CheckedBitPattern<Bits: NoUninit>, O: RowsKernel<T>> Sequence<T, O> for DeviceSlice<'_, T> {
    fn within(&self, range: Range<usize>) -> Result<Self, Error> {
        self.slice(range)
    }
    fn segments(&self, _: &Cpu, op: O, offsets: &[u64]) -> Result<Vec<O::Acc>, Error> {
        let offsets = self.cuda().upload(offsets)?;
        accs(&Segments { x: *self, offsets: &offsets }, self.cuda(), op)
    }
}

/// Reduces each part, and returns the accumulators.
pub(super) fn accs<P: Parts<O>, O: Op<P::Element>>(
    parts: &P,
    cuda: &Cuda,
    op: O,
) -> Result<Vec<O::Acc>, Error> {
    let results = reduce_parts(parts, cuda, op)?;
    let (mut accs, _) = results.cell().read::<O::Acc>(cuda, results.len())?;
    // Empty input leaves none.
    memory::resize(&mut accs, results.len(), O::IDENTITY)?;
    Ok(accs)
}

/// Implements the inputs of a kind of elements in device memory.
macro_rules! inputs {
    ($($x:ty),*) => { $(
        impl<C: Communicator, T: Element, O: RowsKernel<T>> Backend<Reduce<O, Rows<$x>>> for World<C> {
            type Results = Vec<O::Out>;

            fn run(&self, Reduce { op, input }: Reduce<O, Rows<$x>>) -> Result<Vec<O::Out>, Error> {
                let cuda = input.x.cuda();
                reduce_rows::<T, O, C>(self, input.x.len(), input.shape, None, || accs(&input, cuda, op))
            }
        }

        impl<C: Communicator, T, O> Backend<Reduce<O, Chunks<$x>>> for World<C>
        where
            T: Element + CheckedBitPattern<Bits: NoUninit>,
            O: RowsKernel<T>,
        {
            type Results = Vec<O::Out>;

            fn run(&self, Reduce { op, input }: Reduce<O, Chunks<$x>>) -> Result<Vec<O::Out>, Error> {
                reduce_chunks(self, op, (&input.x.slice(..)?, None), input.len)
            }
        }

        impl<C: Communicator, T, I, O> Backend<Reduce<O, Segments<$x, &I>>> for World<C>
        where
            T: Element + CheckedBitPattern<Bits: NoUninit>,
            I: AsElements<Element: IndexType> + ?Sized,
            O: RowsKernel<T>,
        {
            type Results = Vec<O::Out>;

            fn run(&self, Reduce { op, input }: Reduce<O, Segments<$x, &I>>) -> Result<Vec<O::Out>, Error> {
                let offsets = self.known(input.offsets.try_elements())?;
                reduce_segments(self, op, (&input.x.slice(..)?, None), self.known(offsets.as_offsets())?)
            }
        }
    )* };
}
inputs!(&DeviceArray<T>, DeviceSlice<'_, T>, &DeviceSlice<'_, T>);
