//! Reductions of pairs of elements from two arrays.

use bytemuck::Pod;

use gpu_kernels::Element;
use gpu_kernels::addresses::Two;

use crate::cuda::input::DeviceElements;
use crate::cuda::{Cuda, DeviceScalar, DeviceSlice, Stream};
use crate::error::Error;
use crate::float_environment;
use crate::input::Zip;
use crate::kernel::Kernel;
use crate::kernel::fold::FoldKernel;
use crate::verb::{Backend, Reduce, WriteTo};

impl<T, X, Y, O> Backend<Reduce<O, Zip<X, Y>>> for Cuda
where
    T: Element + Pod,
    X: DeviceElements<Element = T>,
    Y: DeviceElements<Element = T>,
    O: Kernel<[T; 2], Two<T>>,
{
    type Results = O::Out;

    fn run(&self, Reduce { op, input }: Reduce<O, Zip<X, Y>>) -> Result<O::Out, Error> {
        let (x, y) = (input.x.device_slice(), input.y.device_slice());
        let input = x.input()?.zipped(y.input()?)?;
        let kernel = FoldKernel::new(op);
        let acc = self.lease(|executor| {
            let plan = executor.plan(&kernel.entries, self, input.len())?;
            executor.fold(kernel, self.kernels(), &plan, input)
        })?;
        float_environment::finish::<[T; 2], O>(acc, input.len())
    }

    fn prepare(&self, _: &Reduce<O, Zip<X, Y>>) -> Result<(), Error> {
        let entries = <O as Kernel<[T; 2], Two<T>>>::FOLD.untyped();
        entries.into_iter().try_for_each(|entry| self.kernels().prepare(entry))
    }
}

impl<T, X, Y, O> Backend<Reduce<O, Zip<X, Y>>> for Stream
where
    T: Element + Pod,
    X: DeviceElements<Element = T>,
    Y: DeviceElements<Element = T>,
    O: Kernel<[T; 2], Two<T>>,
{
    type Results = O::Out;

    fn run(&self, Reduce { op, input }: Reduce<O, Zip<X, Y>>) -> Result<O::Out, Error> {
        let (x, y) = (input.x.device_slice(), input.y.device_slice());
        let input = x.input()?.zipped(y.input()?)?;
        let (executor, cuda, kernel) = (self.executor(), self.cuda(), FoldKernel::new(op));
        let plan = executor.plan(&kernel.entries, cuda, input.len())?;
        let acc = executor.fold(kernel, cuda.kernels(), &plan, input)?;
        float_environment::finish::<[T; 2], O>(acc, input.len())
    }
}

impl<T, X, Y, O> Backend<WriteTo<Reduce<O, Zip<X, Y>>, &mut DeviceScalar<[T; 2], O>>> for Stream
where
    T: Element + Pod,
    X: DeviceElements<Element = T>,
    Y: DeviceElements<Element = T>,
    O: Kernel<[T; 2], Two<T>>,
{
    type Results = ();

    fn run(
        &self,
        WriteTo { request, out }: WriteTo<Reduce<O, Zip<X, Y>>, &mut DeviceScalar<[T; 2], O>>,
    ) -> Result<(), Error> {
        let Reduce { op, input } = request;
        let (x, y): (DeviceSlice<'_, T>, DeviceSlice<'_, T>) =
            (input.x.device_slice(), input.y.device_slice());
        let (input, cell) = (x.input()?.zipped(y.input()?)?, out.cell());
        let (executor, cuda, kernel) = (self.executor(), self.cuda(), FoldKernel::new(op));
        self.write(cell, input.len(), || {
            if input.len() == 0 {
                return Ok(());
            }
            let plan = executor.plan(&kernel.entries, cuda, input.len())?;
            executor.enqueue(&(kernel, input), cuda.kernels(), &plan, cell.output())
        })
    }
}
