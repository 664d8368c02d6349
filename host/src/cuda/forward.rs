//! Exponentials, softmax, norms and gradients of rows on a device.

use gpu_kernels::forward::SumExpResult;
use gpu_kernels::{Accumulator, Element, FloatElement};

use crate::cuda::array::lens::Lens;
use crate::cuda::executor::Executor;
use crate::cuda::launch::{Input, Kernels, Labels, LogOf, Matrix, NormOf, Queue, Region};
use crate::cuda::parts::EqualParts;
use crate::cuda::rows::checked;
use crate::cuda::{Cuda, DeviceArray, DeviceElements, DeviceSlice, DeviceValues, Stream};
use crate::error::{Error, check_results};
use crate::index_type::{IndexType, check_labels};
use crate::input::{Chunks, Rows};
use crate::kernel::forward::ForwardKernel;
use crate::verb::{
    Backend, CrossEntropy, CrossEntropyGradient, LayerNorm, LayerNormGradient, LogSoftmax,
    LogSoftmaxGradient, MapRows, RmsNorm, RmsNormGradient, Softmax, SoftmaxGradient, SumExp, WriteTo,
};

/// The type in which the exponentials of an array are returned.
type CarrierOf<D> = <<D as DeviceElements>::Element as FloatElement>::Carrier;

/// Where the rows of a launch are, and what it is enqueued to.
pub(crate) struct Launch<'a> {
    queue: &'a Queue,
    kernels: &'a Kernels,
    matrix: Matrix<'a>,
    out: Region<'a>,
}

/// An operation from rows to rows.
pub(crate) trait Map<T: ForwardKernel>: Copy {
    /// Fails unless each parameter has an element for each column, or for each element of rows of this shape, and is on the device.
    fn check(self, _cuda: &Cuda, _shape: [usize; 2]) -> Result<(), Error> {
        Ok(())
    }

    /// Fails if a value of a parameter is wrong. It waits for parameters, so a stream does not call it.
    fn check_values(self, _shape: [usize; 2]) -> Result<(), Error> {
        Ok(())
    }

    /// Enqueues the launches over a matrix with elements.
    fn launch(self, to: &Launch<'_>) -> Result<(), Error>;
}

impl<T: ForwardKernel> Map<T> for Softmax {
    fn launch(self, to: &Launch<'_>) -> Result<(), Error> {
        to.queue.softmax_rows::<T>(to.kernels, to.matrix, to.out)
    }
}

impl<T: ForwardKernel> Map<T> for LogSoftmax {
    fn launch(self, to: &Launch<'_>) -> Result<(), Error> {
        to.queue.logarithms_of_rows::<T>(to.kernels, to.matrix, LogOf::Softmax, to.out)
    }
}

/// Fails unless each parameter has an element for each column, and is on the device.
fn check_columns<T: Element>(
    parameters: [Option<&DeviceArray<T>>; 2],
    cuda: &Cuda,
    columns: usize,
) -> Result<(), Error> {
    parameters.into_iter().flatten().try_for_each(|all| check_shape(all, cuda, &[columns]))
}

/// Fails unless an array has the elements of a shape, and is on the device.
fn check_shape<T: Element>(all: &DeviceArray<T>, cuda: &Cuda, shape: &[usize]) -> Result<(), Error> {
    if shape.iter().try_fold(1usize, |product, &len| product.checked_mul(len)) != Some(all.len()) {
        return Err(Error::Shape { shape: shape.into(), given: all.len() as u64 });
    }
    Ok(all.cuda().context().same_device(cuda.context())?)
}

/// Calls `launch` with where arrays are, as far as they are there.
fn with_regions<T: Element, const N: usize>(
    arrays: [Option<&DeviceArray<T>>; N],
    launch: impl FnOnce([Option<Region<'_>>; N]) -> Result<(), Error>,
) -> Result<(), Error> {
    let slices = arrays.map(|array| array.map(DeviceArray::as_slice));
    let mut regions = [None; N];
    for (region, slice) in regions.iter_mut().zip(&slices) {
        *region = slice.as_ref().map(DeviceSlice::input).transpose()?.map(Input::region);
    }
    launch(regions)
}

/// Implements norms and their gradients: which of their arrays have an element for each column, and whether elements are centred.
macro_rules! norms {
    ($($Norm:ident, $Gradient:ident: |$norm:ident| $bias:expr, $is_centred:literal;)*) => { $(
        impl<T: ForwardKernel> Map<T> for $Norm<&DeviceArray<T>> {
            fn check(self, cuda: &Cuda, [_, columns]: [usize; 2]) -> Result<(), Error> {
                let $norm = self;
                check_columns([self.weight, $bias], cuda, columns)
            }
            fn launch(self, to: &Launch<'_>) -> Result<(), Error> {
                let $norm = self;
                with_regions([self.weight, $bias], |[weight, bias]| {
                    let of = NormOf { weight, bias, is_centred: $is_centred, epsilon: self.epsilon };
                    to.queue.norm_rows::<T>(to.kernels, to.matrix, of, to.out)
                })
            }
        }

        impl<T: ForwardKernel> Map<T> for $Gradient<&DeviceArray<T>> {
            fn check(self, cuda: &Cuda, shape: [usize; 2]) -> Result<(), Error> {
                check_shape(self.gradient, cuda, &shape)?;
                check_columns([self.weight, None], cuda, shape[1])
            }
            fn launch(self, to: &Launch<'_>) -> Result<(), Error> {
                with_regions([self.weight], |[weight]| {
                    let of = NormOf { weight, bias: None, is_centred: $is_centred, epsilon: self.epsilon };
                    let gradient = self.gradient.as_slice();
                    let gradient = gradient.input()?.region();
                    to.queue.norm_gradients::<T>(to.kernels, to.matrix, gradient, of, to.out)
                })
            }
        }
    )* };
}
norms! {
    RmsNorm, RmsNormGradient: |_norm| None, false;
    LayerNorm, LayerNormGradient: |norm| norm.bias, true;
}

/// Implements the gradients of softmax and of its logarithm.
macro_rules! softmax_gradients {
    ($($Gradient:ident: $is_logarithm:literal;)*) => { $(
        impl<T: ForwardKernel> Map<T> for $Gradient<&DeviceArray<T>> {
            fn check(self, cuda: &Cuda, shape: [usize; 2]) -> Result<(), Error> {
                check_shape(self.gradient, cuda, &shape)
            }
            fn launch(self, to: &Launch<'_>) -> Result<(), Error> {
                let gradient = self.gradient.as_slice();
                let gradient = gradient.input()?.region();
                to.queue.softmax_gradients::<T>(to.kernels, to.matrix, gradient, $is_logarithm, to.out)
            }
        }
    )* };
}
softmax_gradients! {
    SoftmaxGradient: false;
    LogSoftmaxGradient: true;
}

impl<T: ForwardKernel, L: IndexType + Element> Map<T>
    for CrossEntropyGradient<&DeviceArray<L>, &DeviceArray<T::Carrier>>
{
    fn check(self, cuda: &Cuda, [rows, _]: [usize; 2]) -> Result<(), Error> {
        check_shape(self.labels, cuda, &[rows])?;
        check_shape(self.gradient, cuda, &[rows])
    }
    fn check_values(self, [_, columns]: [usize; 2]) -> Result<(), Error> {
        check_labels(&self.labels.to_vec()?, columns)
    }
    fn launch(self, to: &Launch<'_>) -> Result<(), Error> {
        let (labels, gradient) = (self.labels.as_slice(), self.gradient.as_slice());
        let (labels, gradient) = (Labels::new(labels.input()?), gradient.input()?.region());
        to.queue.cross_entropy_gradients::<T>(to.kernels, to.matrix, labels, gradient, to.out)
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
            map.check(cuda, shape)?;
        }
        let queue = self.queue();
        queue.context().usable()?;
        queue.make_room()?;
        if rows == 0 || len == 0 {
            return Ok(());
        }
        map.launch(&Launch { queue, kernels: cuda.kernels(), matrix: Matrix { input, rows, len }, out })
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
                    LogOf::Sums(result),
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
        if shape[0] > 0 {
            map.check(self, shape)?;
            map.check_values(shape)?;
        }
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

impl Executor {
    /// Enqueues the launches that write the cross-entropy of each row to `out`. Does nothing without rows.
    fn enqueue_losses<T: ForwardKernel, L: IndexType + Element>(
        &self,
        cuda: &Cuda,
        (input, shape): (Region<'_>, [usize; 2]),
        labels: &DeviceArray<L>,
        out: Region<'_>,
    ) -> Result<(), Error> {
        check_shape(labels, cuda, &shape[..1])?;
        let queue = self.queue();
        queue.context().usable()?;
        queue.make_room()?;
        let [rows, len] = shape.map(|len| len as u64);
        if rows == 0 {
            return Ok(());
        }
        let labels = labels.as_slice();
        let of = LogOf::Loss(Labels::new(labels.input()?));
        queue.logarithms_of_rows::<T>(cuda.kernels(), Matrix { input, rows, len }, of, out)
    }
}

impl<D, L> Backend<CrossEntropy<Rows<D>, &DeviceArray<L>>> for Cuda
where
    D: DeviceElements<Element: ForwardKernel>,
    L: IndexType + Element,
{
    type Results = DeviceArray<CarrierOf<D>>;

    fn run(
        &self,
        CrossEntropy { input, labels }: CrossEntropy<Rows<D>, &DeviceArray<L>>,
    ) -> Result<Self::Results, Error> {
        let x = input.x.device_slice();
        let shape = checked(x.len(), input.shape)?;
        check_shape(labels, self, &shape[..1])?;
        check_labels(&labels.to_vec()?, shape[1])?;
        self.lease(|executor| {
            let out = executor.allocate(shape[0], size_of::<CarrierOf<D>>())?;
            let from = (x.input()?.region(), shape);
            executor.then_wait(|executor| {
                executor.enqueue_losses::<D::Element, L>(self, from, labels, out.whole())
            })?;
            Ok(DeviceArray::of(self, out, shape[0]))
        })
    }
}

impl<D, L> Backend<WriteTo<CrossEntropy<Rows<D>, &DeviceArray<L>>, &mut DeviceValues<CarrierOf<D>>>>
    for Stream
where
    D: DeviceElements<Element: ForwardKernel>,
    L: IndexType + Element,
{
    type Results = ();

    fn run(
        &self,
        WriteTo { request, out }: WriteTo<
            CrossEntropy<Rows<D>, &DeviceArray<L>>,
            &mut DeviceValues<CarrierOf<D>>,
        >,
    ) -> Result<(), Error> {
        let CrossEntropy { input, labels } = request;
        let x = input.x.device_slice();
        let shape = checked(x.len(), input.shape)?;
        check_results(shape[0], out.len())?;
        let (from, to) = ((x.input()?.region(), shape), out.cell());
        self.write(to, Lens::WRITTEN, || {
            self.executor().enqueue_losses::<D::Element, L>(self.cuda(), from, labels, to.region())
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
