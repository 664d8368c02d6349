//! Exponentials, softmax and norms of rows on a device.

use gpu_kernels::forward::SumExpResult;
use gpu_kernels::{Accumulator, Element, FloatElement};

use crate::cuda::array::lens::Lens;
use crate::cuda::executor::Executor;
use crate::cuda::launch::{Affine, Input, Matrix, Region};
use crate::cuda::parts::EqualParts;
use crate::cuda::rows::checked;
use crate::cuda::{Cuda, DeviceArray, DeviceElements, DeviceSlice, DeviceValues, Stream};
use crate::error::{Error, check_results};
use crate::input::{Chunks, Rows};
use crate::kernel::forward::ForwardKernel;
use crate::verb::{Backend, LayerNorm, LogSoftmax, MapRows, RmsNorm, Softmax, SumExp, WriteTo};

/// The type in which the exponentials of an array are returned.
type CarrierOf<D> = <<D as DeviceElements>::Element as FloatElement>::Carrier;

/// An operation from rows to rows.
pub(crate) trait Map<T: ForwardKernel>: Copy {
    /// Fails unless each parameter has an element for each column and is on the device.
    fn check(self, _cuda: &Cuda, _columns: usize) -> Result<(), Error> {
        Ok(())
    }

    /// Enqueues the launches over a matrix with elements.
    fn launch(
        self,
        executor: &Executor,
        cuda: &Cuda,
        matrix: Matrix<'_>,
        out: Region<'_>,
    ) -> Result<(), Error>;
}

impl<T: ForwardKernel> Map<T> for Softmax {
    fn launch(
        self,
        executor: &Executor,
        cuda: &Cuda,
        matrix: Matrix<'_>,
        out: Region<'_>,
    ) -> Result<(), Error> {
        executor.queue().softmax_rows::<T>(cuda.kernels(), matrix, out)
    }
}

impl<T: ForwardKernel> Map<T> for LogSoftmax {
    fn launch(
        self,
        executor: &Executor,
        cuda: &Cuda,
        matrix: Matrix<'_>,
        out: Region<'_>,
    ) -> Result<(), Error> {
        executor.queue().logarithms_of_rows::<T>(cuda.kernels(), matrix, None, out)
    }
}

/// Fails unless each parameter has an element for each column and is on the device.
fn check_parameters<T: Element>(
    parameters: [Option<&DeviceArray<T>>; 2],
    cuda: &Cuda,
    columns: usize,
) -> Result<(), Error> {
    for parameter in parameters.into_iter().flatten() {
        if parameter.len() != columns {
            return Err(Error::Shape { shape: [columns].into(), given: parameter.len() as u64 });
        }
        parameter.cuda().context().same_device(cuda.context())?;
    }
    Ok(())
}

/// Enqueues the launches of a norm.
fn launch_norm<T: ForwardKernel>(
    executor: &Executor,
    cuda: &Cuda,
    matrix: Matrix<'_>,
    parameters: [Option<&DeviceArray<T>>; 2],
    how: (bool, f64),
    out: Region<'_>,
) -> Result<(), Error> {
    let slices = parameters.map(|parameter| parameter.map(DeviceArray::as_slice));
    let [weight, bias] = slices.each_ref().map(|slice| slice.as_ref().map(DeviceSlice::input));
    let [weight, bias] = [weight.transpose()?, bias.transpose()?].map(|of| of.map(Input::region));
    executor.queue().norm_rows::<T>(cuda.kernels(), matrix, Affine { weight, bias }, how, out)
}

impl<T: ForwardKernel> Map<T> for RmsNorm<&DeviceArray<T>> {
    fn check(self, cuda: &Cuda, columns: usize) -> Result<(), Error> {
        check_parameters([self.weight, None], cuda, columns)
    }
    fn launch(
        self,
        executor: &Executor,
        cuda: &Cuda,
        matrix: Matrix<'_>,
        out: Region<'_>,
    ) -> Result<(), Error> {
        launch_norm(executor, cuda, matrix, [self.weight, None], (false, self.epsilon), out)
    }
}

impl<T: ForwardKernel> Map<T> for LayerNorm<&DeviceArray<T>> {
    fn check(self, cuda: &Cuda, columns: usize) -> Result<(), Error> {
        check_parameters([self.weight, self.bias], cuda, columns)
    }
    fn launch(
        self,
        executor: &Executor,
        cuda: &Cuda,
        matrix: Matrix<'_>,
        out: Region<'_>,
    ) -> Result<(), Error> {
        launch_norm(executor, cuda, matrix, [self.weight, self.bias], (true, self.epsilon), out)
    }
}

impl Executor {
    /// Enqueues the launches that write the results of rows to `out`. Does nothing without elements.
    fn enqueue_map<T: ForwardKernel, M: Map<T>>(
        &self,
        cuda: &Cuda,
        map: M,
        (input, shape): (Region<'_>, [usize; 2]),
        out: Region<'_>,
    ) -> Result<(), Error> {
        let [rows, len] = shape.map(|len| len as u64);
        if rows > 0 {
            map.check(cuda, shape[1])?;
        }
        let queue = self.queue();
        queue.context().usable()?;
        queue.make_room()?;
        if rows == 0 || len == 0 {
            return Ok(());
        }
        map.launch(self, cuda, Matrix { input, rows, len }, out)
    }

    /// Enqueues the launches that write the result of each part to `out`. Does nothing without parts.
    fn enqueue_sums_exp<T: ForwardKernel>(
        &self,
        cuda: &Cuda,
        (input, all): (Region<'_>, usize),
        [parts, len]: [usize; 2],
        result: SumExpResult,
        out: Region<'_>,
    ) -> Result<(), Error> {
        let queue = self.queue();
        queue.context().usable()?;
        queue.make_room()?;
        let (all, len, parts) = (all as u64, len as u64, parts as u64);
        // Of chunks the last one may be shorter.
        let whole = all.checked_div(len).map_or(parts, |whole| whole.min(parts));
        let begin = whole * len;
        for (rows, len, first, begin) in [(whole, len, 0, 0), (parts - whole, all - begin, whole, begin)] {
            if rows > 0 {
                let input = input.part(begin, rows * len, size_of::<T>())?;
                let out = out.part(first, rows, size_of::<T::Carrier>())?;
                queue.logarithms_of_rows::<T>(
                    cuda.kernels(),
                    Matrix { input, rows, len },
                    Some(result),
                    out,
                )?;
            }
        }
        Ok(())
    }
}

impl Cuda {
    /// Returns the result of each part of a length.
    fn sums_exp<T: ForwardKernel>(
        &self,
        x: &DeviceSlice<'_, T>,
        parts: [usize; 2],
        result: SumExpResult,
    ) -> Result<DeviceArray<T::Carrier>, Error> {
        self.lease(|executor| {
            let out = executor.allocate(parts[0], size_of::<T::Carrier>())?;
            let from = (x.input()?.region(), x.len());
            executor.then_wait(|executor| {
                executor.enqueue_sums_exp::<T>(self, from, parts, result, out.whole())
            })?;
            Ok(DeviceArray::of(self, out, parts[0]))
        })
    }
}

impl Stream {
    /// Enqueues the results of parts of a length to `out`.
    fn sums_exp_into<T: ForwardKernel>(
        &self,
        x: &DeviceSlice<'_, T>,
        parts: [usize; 2],
        result: SumExpResult,
        out: &DeviceValues<T::Carrier>,
    ) -> Result<(), Error> {
        check_results(parts[0], out.len())?;
        let (from, to) = ((x.input()?.region(), x.len()), out.cell());
        self.write(to, Lens::WRITTEN, || {
            self.executor().enqueue_sums_exp::<T>(self.cuda(), from, parts, result, to.region())
        })
    }
}

impl<D, M> Backend<MapRows<M, Rows<D>>> for Cuda
where
    D: DeviceElements<Element: ForwardKernel>,
    M: Map<D::Element>,
{
    type Results = DeviceArray<D::Element>;

    fn run(&self, MapRows { map, input }: MapRows<M, Rows<D>>) -> Result<Self::Results, Error> {
        let x = input.x.device_slice();
        let shape = checked(x.len(), input.shape)?;
        self.lease(|executor| {
            let out = executor.allocate(x.len(), size_of::<D::Element>())?;
            let from = (x.input()?.region(), shape);
            executor.then_wait(|executor| executor.enqueue_map(self, map, from, out.whole()))?;
            Ok(DeviceArray::of(self, out, x.len()))
        })
    }
}

impl<D, M> Backend<WriteTo<MapRows<M, Rows<D>>, &mut DeviceValues<D::Element>>> for Stream
where
    D: DeviceElements<Element: ForwardKernel + Accumulator>,
    M: Map<D::Element>,
{
    type Results = ();

    fn run(
        &self,
        WriteTo { request, out }: WriteTo<MapRows<M, Rows<D>>, &mut DeviceValues<D::Element>>,
    ) -> Result<(), Error> {
        let MapRows { map, input } = request;
        let x = input.x.device_slice();
        let shape = checked(x.len(), input.shape)?;
        check_results(x.len(), out.len())?;
        let (from, to) = (x.input()?.region(), out.cell());
        self.write(to, Lens::WRITTEN, || {
            self.executor().enqueue_map(self.cuda(), map, (from, shape), to.region())
        })
    }
}

/// Implements sums of exponentials of an input of [`EqualParts`].
macro_rules! parts {
    ($($parts:ident),*) => { $(
        impl<D: DeviceElements<Element: ForwardKernel>> Backend<SumExp<$parts<D>>> for Cuda {
            type Results = DeviceArray<CarrierOf<D>>;

            fn run(&self, SumExp { input, result }: SumExp<$parts<D>>) -> Result<Self::Results, Error> {
                let x = input.x.device_slice();
                self.sums_exp(&x, input.equal(x.len())?, result)
            }
        }

        impl<D: DeviceElements<Element: ForwardKernel>> Backend<WriteTo<SumExp<$parts<D>>, &mut DeviceValues<CarrierOf<D>>>>
            for Stream
        {
            type Results = ();

            fn run(
                &self,
                WriteTo { request, out }: WriteTo<SumExp<$parts<D>>, &mut DeviceValues<CarrierOf<D>>>,
            ) -> Result<(), Error> {
                let x = request.input.x.device_slice();
                self.sums_exp_into(&x, request.input.equal(x.len())?, request.result, out)
            }
        }
    )* };
}
parts!(Rows, Chunks);

/// Inputs that are one array: a row.
macro_rules! flat {
    ($($flat:ty),*) => { $(
        impl<T: ForwardKernel> Backend<SumExp<$flat>> for Cuda {
            type Results = T::Carrier;

            fn run(&self, SumExp { input, result }: SumExp<$flat>) -> Result<Self::Results, Error> {
                let x = input.device_slice();
                self.sums_exp(&x, [1, x.len()], result)?.to_vec()?.pop().ok_or(Error::NoElements)
            }
        }

        impl<T: ForwardKernel> Backend<WriteTo<SumExp<$flat>, &mut DeviceValues<T::Carrier>>> for Stream {
            type Results = ();

            fn run(
                &self,
                WriteTo { request, out }: WriteTo<SumExp<$flat>, &mut DeviceValues<T::Carrier>>,
            ) -> Result<(), Error> {
                let x = request.input.device_slice();
                self.sums_exp_into(&x, [1, x.len()], request.result, out)
            }
        }
    )* };
}
flat!(&DeviceArray<T>, DeviceSlice<'_, T>, &DeviceSlice<'_, T>);
