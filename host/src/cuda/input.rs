//! Inputs in device memory: what [`Input`](crate::Input) lists, for a device.

use std::sync::Arc;

use gpu_kernels::{Element, Op};

use crate::cuda::array::cell::Cell;
use crate::cuda::array::lens::Lens;
use crate::cuda::executor::Executor;
use crate::cuda::{Cuda, DeviceArray, DeviceResults, DeviceScalar, DeviceSlice, Stream};
use crate::error::{Error, check_results};
use crate::float_environment;
use crate::kernel::Kernel;
use crate::kernel::entry::Entry;
use crate::plan::Plan;
use crate::verb::{Backend, Fold, Reduce, WriteTo};
use crate::view::Viewed;

/// Elements in device memory: `&array`, or a slice of one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is nothing in device memory",
    label = "neither a `&DeviceArray` nor a `DeviceSlice`",
    note = "`Cuda::upload` brings a slice there"
)]
pub trait DeviceElements {
    /// The type of the elements.
    type Element: Element;

    /// Returns all elements.
    #[doc(hidden)]
    fn device_slice(&self) -> DeviceSlice<'_, Self::Element>;

    /// Returns the plan to reduce them by, if the caller chose one.
    #[doc(hidden)]
    fn plan(&self) -> Option<Plan> {
        None
    }
}

impl<T: Element> DeviceElements for &DeviceArray<T> {
    type Element = T;

    fn device_slice(&self) -> DeviceSlice<'_, T> {
        self.as_slice()
    }
}

impl<T: Element> DeviceElements for DeviceSlice<'_, T> {
    type Element = T;

    fn device_slice(&self) -> DeviceSlice<'_, T> {
        *self
    }
}

impl<T: Element> DeviceElements for &DeviceSlice<'_, T> {
    type Element = T;

    fn device_slice(&self) -> DeviceSlice<'_, T> {
        **self
    }
}

impl<T: Element> Viewed for DeviceSlice<'_, T> {
    type Slice = Self;

    fn viewed(self) -> Result<(Self, usize), Error> {
        Ok((self, self.len()))
    }
}

impl<'a, T: Element> Viewed for &'a DeviceArray<T> {
    type Slice = DeviceSlice<'a, T>;

    fn viewed(self) -> Result<(Self::Slice, usize), Error> {
        self.as_slice().viewed()
    }
}

/// All elements of a slice, with a plan chosen by the caller: see [`DeviceSlice::with_plan`].
#[derive(Clone, Copy, Debug)]
pub struct Planned<'a, T> {
    x: DeviceSlice<'a, T>,
    plan: Plan,
}

impl<'a, T: Element> DeviceSlice<'a, T> {
    /// Returns the same elements, to be reduced by `plan`. A plan changes the time, but never a result. A plan for
    /// another length or type is refused with [`Error::Plan`]. Parts of an array have plans of their own.
    ///
    /// ```no_run
    /// use warpfold::plans::Plan;
    /// use warpfold::{Cuda, Sum};
    ///
    /// let cuda = Cuda::open(0)?;
    /// let x = cuda.upload(&[1.0f32, 2.0])?;
    /// let plan = Plan::new::<f32>(2, cuda.properties().multiprocessors);
    /// assert_eq!(cuda.reduce(Sum, x.as_slice().with_plan(plan))?, 3.0);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    #[must_use]
    pub fn with_plan(self, plan: Plan) -> Planned<'a, T> {
        Planned { x: self, plan }
    }
}

impl<T: Element> DeviceElements for Planned<'_, T> {
    type Element = T;

    fn device_slice(&self) -> DeviceSlice<'_, T> {
        self.x
    }

    fn plan(&self) -> Option<Plan> {
        Some(self.plan)
    }
}

/// Inputs that are one array.
macro_rules! flat {
    ($($flat:ty),*) => { $(
        impl<T: Element, O: Kernel<T>> Backend<Reduce<O, $flat>> for Cuda {
            type Results = O::Out;

            fn run(&self, Reduce { op, input }: Reduce<O, $flat>) -> Result<O::Out, Error> {
                let x = input.device_slice();
                float_environment::finish::<T, O>(self.fold_slice(op, &x, input.plan())?, x.len() as u64)
            }

            fn prepare(&self, _: &Reduce<O, $flat>) -> Result<(), Error> {
                let entries = <O as Kernel<T>>::FOLD.untyped();
                entries.into_iter().try_for_each(|entry| self.kernels().prepare(entry))
            }
        }

        impl<T: Element, O: Kernel<T>> Backend<Fold<O, $flat>> for Cuda {
            type Results = O::Acc;

            fn run(&self, Fold { op, input }: Fold<O, $flat>) -> Result<O::Acc, Error> {
                self.fold_slice(op, &input.device_slice(), input.plan())
            }
        }

        impl<T: Element, O: Kernel<T>> Backend<Reduce<O, $flat>> for Stream {
            type Results = O::Out;

            fn run(&self, Reduce { op, input }: Reduce<O, $flat>) -> Result<O::Out, Error> {
                self.reduce_slice(op, &input.device_slice(), input.plan())
            }
        }

        impl<T: Element, O: Kernel<T>> Backend<WriteTo<Reduce<O, $flat>, &mut DeviceScalar<T, O>>> for Stream {
            type Results = ();

            fn run(&self, WriteTo { request, out }: WriteTo<Reduce<O, $flat>, &mut DeviceScalar<T, O>>) -> Result<(), Error> {
                let Reduce { op, input } = request;
                self.reduce_slice_into(op, &input.device_slice(), input.plan(), out)
            }
        }
    )* };
}
flat!(&DeviceArray<T>, DeviceSlice<'_, T>, &DeviceSlice<'_, T>, Planned<'_, T>);

/// Where the launches of a reduction go: the caller's stream, or an executor lent to a blocking call.
#[derive(Clone, Copy)]
pub(crate) struct Work<'a> {
    pub(crate) cuda: &'a Cuda,
    pub(crate) executor: &'a Executor,
    stream: Option<&'a Stream>,
}

impl<'a> Work<'a> {
    /// Returns the work of a call that waits.
    pub(crate) fn of_call(cuda: &'a Cuda, executor: &'a Executor) -> Self {
        Self { cuda, executor, stream: None }
    }

    /// Returns whether the call waits for the results.
    pub(crate) fn waits(&self) -> bool {
        self.stream.is_none()
    }

    /// Enqueues with `enqueue`, and registers its results of `lens` elements as the contents of `cell`.
    pub(crate) fn write(
        &self,
        cell: &Arc<Cell>,
        lens: impl Into<Lens>,
        enqueue: impl FnOnce() -> Result<(), Error>,
    ) -> Result<(), Error> {
        match self.stream {
            Some(stream) => stream.write(cell, lens, enqueue),
            None => cell.write(self.executor.queue().handle(), lens, enqueue),
        }
    }
}

/// An input with parts. Each part has a result.
pub(crate) trait Parts<O: Op<Self::Element>> {
    /// The type of the elements.
    type Element: Element;

    /// Returns the number of parts.
    fn count(&self) -> Result<usize, Error>;

    /// Enqueues a reduction of each part to `out`, which has room for as many results as there are parts.
    fn enqueue(&self, work: Work<'_>, op: O, out: &DeviceResults<Self::Element, O>) -> Result<(), Error>;

    /// Returns the kernels that this input launches.
    fn kernels() -> Vec<Entry>;
}

/// Reduces each part, and waits.
pub(crate) fn reduce_parts<P: Parts<O>, O: Op<P::Element>>(
    parts: &P,
    cuda: &Cuda,
    op: O,
) -> Result<DeviceResults<P::Element, O>, Error> {
    let count = parts.count()?;
    cuda.lease(|executor| {
        let out = DeviceResults::new(cuda, executor, count)?;
        parts.enqueue(Work::of_call(cuda, executor), op, &out)?;
        executor.queue().wait()?;
        out.cell().check(executor.queue())?;
        Ok(out)
    })
}

/// Enqueues a reduction of each part to results of its own.
pub(crate) fn reduce_parts_in<P: Parts<O>, O: Op<P::Element>>(
    parts: &P,
    stream: &Stream,
    op: O,
) -> Result<DeviceResults<P::Element, O>, Error> {
    let mut out = stream.cuda().results(parts.count()?)?;
    reduce_parts_into(parts, stream, op, &mut out)?;
    Ok(out)
}

/// Enqueues a reduction of each part to `out`.
pub(crate) fn reduce_parts_into<P: Parts<O>, O: Op<P::Element>>(
    parts: &P,
    stream: &Stream,
    op: O,
    out: &mut DeviceResults<P::Element, O>,
) -> Result<(), Error> {
    // Checked before any lock is taken, because a forked child could wait for the lock for ever.
    stream.cuda().context().usable()?;
    check_results(parts.count()?, out.len())?;
    parts.enqueue(Work { cuda: stream.cuda(), executor: stream.executor(), stream: Some(stream) }, op, out)
}

/// Implements reductions of a type that implements [`Parts`].
macro_rules! parts {
    ([$($generics:tt)*] $element:ty, $parts:ty) => {
        impl<$($generics)*, O: $crate::kernels::RowsKernel<$element>> $crate::verb::Backend<$crate::verb::Reduce<O, $parts>>
            for $crate::cuda::Cuda
        {
            type Results = $crate::cuda::DeviceResults<$element, O>;

            fn run(&self, request: $crate::verb::Reduce<O, $parts>) -> Result<Self::Results, $crate::Error> {
                $crate::cuda::input::reduce_parts(&request.input, self, request.op)
            }

            fn prepare(&self, _: &$crate::verb::Reduce<O, $parts>) -> Result<(), $crate::Error> {
                let entries = <$parts as $crate::cuda::input::Parts<O>>::kernels();
                entries.into_iter().try_for_each(|entry| self.kernels().prepare(entry))
            }
        }

        impl<$($generics)*, O: $crate::kernels::RowsKernel<$element>> $crate::verb::Backend<$crate::verb::Reduce<O, $parts>>
            for $crate::cuda::Stream
        {
            type Results = $crate::cuda::DeviceResults<$element, O>;

            fn run(&self, request: $crate::verb::Reduce<O, $parts>) -> Result<Self::Results, $crate::Error> {
                $crate::cuda::input::reduce_parts_in(&request.input, self, request.op)
            }
        }

        impl<$($generics)*, O: $crate::kernels::RowsKernel<$element>>
            $crate::verb::Backend<
                $crate::verb::WriteTo<$crate::verb::Reduce<O, $parts>, &mut $crate::cuda::DeviceResults<$element, O>>,
            > for $crate::cuda::Stream
        {
            type Results = ();

            fn run(
                &self,
                $crate::verb::WriteTo { request, out }: $crate::verb::WriteTo<
                    $crate::verb::Reduce<O, $parts>,
                    &mut $crate::cuda::DeviceResults<$element, O>,
                >,
            ) -> Result<(), $crate::Error> {
                $crate::cuda::input::reduce_parts_into(&request.input, self, request.op, out)
            }
        }
    };
}
pub(crate) use parts;
