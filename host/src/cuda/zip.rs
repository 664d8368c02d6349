//! Reductions of pairs of elements from two arrays.

use bytemuck::Pod;

use crate::cuda::input::{DeviceElements, DeviceInput, StreamInput};
use crate::cuda::{Cuda, DeviceScalar, DeviceSlice, Stream};
use crate::error::Error;
use crate::float_environment;
use crate::kernel::fold::FoldKernel;
use crate::{Element, Zip, ZipKernel};

impl<T, X, Y, O> DeviceInput<O> for Zip<X, Y>
where
    T: Element + Pod,
    X: DeviceElements<Element = T>,
    Y: DeviceElements<Element = T>,
    O: ZipKernel<T>,
{
    type Results = O::Out;

    fn reduce_on(self, cuda: &Cuda, op: O) -> Result<O::Out, Error> {
        let (x, y) = (self.x.device_slice(), self.y.device_slice());
        let input = x.input()?.zipped(y.input()?)?;
        let kernel = FoldKernel::of_two(op);
        let acc = cuda.lease(|executor| {
            let plan = executor.plan(&kernel.entries, cuda, input.len())?;
            executor.fold(kernel, cuda.kernels(), &plan, input)
        })?;
        float_environment::finish::<[T; 2], O>(acc, input.len())
    }

    fn prepare_on(&self, cuda: &Cuda) -> Result<(), Error> {
        let entries = <O as ZipKernel<T>>::FOLD.untyped();
        entries.into_iter().try_for_each(|entry| cuda.kernels().prepare(entry))
    }
}

impl<T, X, Y, O> StreamInput<O> for Zip<X, Y>
where
    T: Element + Pod,
    X: DeviceElements<Element = T>,
    Y: DeviceElements<Element = T>,
    O: ZipKernel<T>,
{
    type Out = DeviceScalar<[T; 2], O>;

    fn reduce_in(self, stream: &Stream, op: O) -> Result<O::Out, Error> {
        let (x, y) = (self.x.device_slice(), self.y.device_slice());
        let input = x.input()?.zipped(y.input()?)?;
        let (executor, cuda, kernel) = (stream.executor(), stream.cuda(), FoldKernel::of_two(op));
        let plan = executor.plan(&kernel.entries, cuda, input.len())?;
        let acc = executor.fold(kernel, cuda.kernels(), &plan, input)?;
        float_environment::finish::<[T; 2], O>(acc, input.len())
    }

    fn reduce_into(self, stream: &Stream, op: O, out: &mut Self::Out) -> Result<(), Error> {
        let (x, y): (DeviceSlice<'_, T>, DeviceSlice<'_, T>) = (self.x.device_slice(), self.y.device_slice());
        let (input, cell) = (x.input()?.zipped(y.input()?)?, out.cell());
        let (executor, cuda, kernel) = (stream.executor(), stream.cuda(), FoldKernel::of_two(op));
        stream.write(cell, input.len(), || {
            if input.len() == 0 {
                return Ok(());
            }
            let plan = executor.plan(&kernel.entries, cuda, input.len())?;
            executor.enqueue(kernel, cuda.kernels(), &plan, input, cell.output())
        })
    }
}
