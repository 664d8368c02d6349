//! An open device: its properties, arrays on it, and reductions that wait for their result.

use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::{Arc, Mutex};

use gpu_kernels::{Element, Op};

use crate::cuda::executor::pool::Pool;
use crate::cuda::executor::{self, Executor};
use crate::cuda::feed::feeder::Feeder;
use crate::cuda::launch::{Context, DeviceProperties, Driver, Kernels, Queue};
use crate::cuda::tuning::{Table, Tuning};
use crate::cuda::{DeviceArray, DeviceScalar, DeviceSlice, Stream, canary};
use crate::error::Error;
use crate::events::event;
use crate::kernel::Kernel;
use crate::kernel::entry::Entry;
use crate::kernel::family::FoldEntries;
use crate::kernel::fold::FoldKernel;
use crate::plan::Plan;
use crate::verb::{Backend, Reduce};

/// An open GPU. Cheap to clone, and usable from several threads at once.
///
/// Every call that can fail returns [`Error::Forked`] in a process that was forked from one which had used the GPU, and
/// [`Error::Poisoned`] once the device has stopped working.
///
/// Each call makes the device's primary context current and restores the previous context before it returns, so you may
/// mix them with calls to other libraries that use CUDA.
///
/// ```no_run
/// use warpfold::{Cuda, Sum};
///
/// let cuda = Cuda::open(0)?;
/// let x = cuda.upload(&[1.0f32, 2.0, 3.0])?;
/// assert_eq!(cuda.reduce(Sum, &x)?, 6.0);
/// # Ok::<(), warpfold::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Cuda {
    inner: Arc<Inner>,
    tuned: Arc<Tuned>,
}

/// A tuning, and the lookup table of its launch configurations.
#[derive(Debug)]
struct Tuned {
    tuning: Tuning,
    table: Table,
}

#[derive(Debug)]
struct Inner {
    context: Arc<Context>,
    properties: DeviceProperties,
    kernels: Kernels,
    /// Pool for blocking calls.
    executors: Pool,
    /// Feeders of calls that have ended, kept for the next call.
    feeders: Mutex<Vec<Feeder>>,
}

impl Cuda {
    /// Returns the name, compute capability and driver version of device `ordinal`, without opening it.
    pub(crate) fn identity(ordinal: usize) -> Result<String, Error> {
        let driver = Driver::open()?;
        let (_, properties) = driver.device(ordinal)?;
        Ok(format!("{}, {}, CUDA {}", properties.name, properties.compute_capability, driver.version))
    }

    /// Opens a device of `driver`.
    pub(crate) fn open_by(driver: Driver, ordinal: usize) -> Result<Self, Error> {
        let (device, properties) = driver.device(ordinal)?;
        let context = Context::open(device)?;
        canary::check(&context, driver.version)?;
        let kernels = Kernels::new(context.clone(), properties.compute_capability, driver.version)?;
        let inner =
            Inner { context, properties, kernels, executors: Pool::default(), feeders: Mutex::default() };
        let tuning = Tuning::in_use(&inner.properties);
        event!(info, ordinal, name = inner.properties.name, driver = %driver.version, %tuning, "a device is opened");
        Ok(Self { inner: Arc::new(inner), tuned: Tuned::new(tuning) })
    }

    /// Returns the device's number, name, compute capability, multiprocessors, memory and driver.
    #[must_use]
    pub fn properties(&self) -> &DeviceProperties {
        &self.inner.properties
    }

    /// Returns the number of bytes of device memory that are free at this moment. Other programs use that memory too.
    ///
    /// # Errors
    /// [`Error::Driver`] if the driver refuses.
    ///
    /// ```no_run
    /// use warpfold::Cuda;
    ///
    /// let cuda = Cuda::open(0)?;
    /// println!("{} bytes are free", cuda.free_bytes()?);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn free_bytes(&self) -> Result<u64, Error> {
        Ok(self.inner.context.free_bytes()?)
    }

    /// Returns how many objects (arrays, streams, ...) could not be given back to the driver when they were dropped: 0
    /// unless the device has stopped working or the process was forked.
    #[must_use]
    pub fn failed_frees(&self) -> u64 {
        self.inner.context.failed_frees()
    }

    /// Copies `x` to the device and waits for the copy.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`] with the bytes asked for, after which the device is usable as before; [`Error::Driver`].
    ///
    /// ```no_run
    /// use warpfold::Cuda;
    ///
    /// let cuda = Cuda::open(0)?;
    /// assert_eq!(cuda.upload(&[1.0f32, 2.0])?.to_vec()?, [1.0, 2.0]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn upload<T: Element>(&self, x: &[T]) -> Result<DeviceArray<T>, Error> {
        self.lease(|executor| DeviceArray::upload(self, executor, x))
    }

    /// Creates an array of `len` elements with all bytes zero.
    ///
    /// # Errors
    /// As [`upload`](Self::upload).
    ///
    /// ```no_run
    /// use warpfold::Cuda;
    ///
    /// let cuda = Cuda::open(0)?;
    /// assert_eq!(cuda.zeroed::<f32>(2)?.to_vec()?, [0.0, 0.0]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn zeroed<T: Element + bytemuck::Zeroable>(&self, len: usize) -> Result<DeviceArray<T>, Error> {
        self.lease(|executor| DeviceArray::zeroed(self, executor, len))
    }

    /// Allocates a result for [`Stream::reduce_into`]. Before the first write it is the result of an empty input.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], [`Error::Driver`].
    ///
    /// ```no_run
    /// use warpfold::{Cuda, Sum};
    ///
    /// let cuda = Cuda::open(0)?;
    /// let (stream, x) = (cuda.stream()?, cuda.upload(&[1.0f32, 2.0])?);
    /// let mut sum = cuda.scalar::<f32, Sum>()?;
    /// stream.reduce_into(Sum, &x, &mut sum)?;
    /// assert_eq!(sum.get()?, 3.0);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn scalar<T: Element, O: Op<T>>(&self) -> Result<DeviceScalar<T, O>, Error> {
        self.lease(|executor| DeviceScalar::new(self, executor))
    }

    /// Creates a stream, with 512 KiB of device memory of its own.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], [`Error::Driver`].
    ///
    /// ```no_run
    /// use warpfold::{Cuda, Sum};
    ///
    /// let cuda = Cuda::open(0)?;
    /// let (stream, x) = (cuda.stream()?, cuda.upload(&[1.0f32, 2.0])?);
    /// assert_eq!(stream.reduce(Sum, &x)?, 3.0);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn stream(&self) -> Result<Stream, Error> {
        Ok(Stream::new(self.clone(), Executor::new(&self.inner.context)?))
    }

    /// Loads the kernels that reduce `input` with `op`, for inputs of any length, and those that finish results on the
    /// device.
    ///
    /// Without this call, the first call that needs a kernel loads it. Loading a kernel takes tens of milliseconds once
    /// per driver and user, some hundred for the longest kernels, and about one millisecond from then on (the driver
    /// caches what it has compiled).
    ///
    /// # Errors
    /// [`Error::PtxTooNew`] if the driver is too old for the kernels, [`Error::Kernel`] with the compiler's log.
    ///
    /// ```no_run
    /// use warpfold::{Cuda, Sum, rows};
    ///
    /// let cuda = Cuda::open(0)?;
    /// let x = cuda.upload(&[1.0f32; 6])?;
    /// cuda.prepare(Sum, rows(&x, [2, 3]))?;
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn prepare<O, I>(&self, op: O, input: I) -> Result<(), Error>
    where
        Self: Backend<Reduce<O, I>>,
    {
        Backend::prepare(self, &Reduce { op, input })
    }

    /// Returns the plan by which this device reduces `n` elements with `O`, and loads the kernel.
    ///
    /// The plan comes from the device's [tuning](Self::tuning) if that has one for this size. Otherwise it uses as many
    /// threads as the kernel's registers leave room for, and deals tiles evenly.
    ///
    /// # Errors
    /// [`Error::PtxTooNew`] and [`Error::Kernel`] from the first call of each operator.
    ///
    /// ```no_run
    /// use warpfold::{Cuda, Sum};
    ///
    /// let cuda = Cuda::open(0)?;
    /// println!("{}", cuda.plan::<f32, Sum>(1 << 24)?);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn plan<T: Element, O: Kernel<T>>(&self, n: u64) -> Result<Plan, Error> {
        self.plan_of(&<O as Kernel<T>>::FOLD, n)
    }

    /// Returns the [`plan`](Self::plan) for the kernels `entries`.
    pub(crate) fn plan_of<I: Copy, T: Element, O: Op<T>>(
        &self,
        entries: &FoldEntries<I, T, O>,
        n: u64,
    ) -> Result<Plan, Error> {
        self.plan_by::<T>(&entries.untyped(), n)
    }

    /// Does [`plan_of`](Self::plan_of) for any operator: compiled once for each element.
    fn plan_by<T: Element>(&self, entries: &[Entry; 3], n: u64) -> Result<Plan, Error> {
        let kernels = &self.inner.kernels;
        let (most_threads, resident) = (|entry| kernels.most_threads(entry), |entry| kernels.resident(entry));
        executor::plan::<T>(entries, n, self.multiprocessors(), self.table(), most_threads, resident)
    }

    /// Returns the measured launch configurations that plans are taken from.
    #[must_use]
    pub fn tuning(&self) -> &Tuning {
        &self.tuned.tuning
    }

    /// Returns the same device with other launch configurations. They apply to reductions by this handle and its streams.
    /// Nothing is written to disk.
    ///
    /// ```no_run
    /// # use warpfold::plans::Tuning;
    /// # use warpfold::Cuda;
    /// let as_everywhere = Cuda::open(0)?.with_tuning(Tuning::empty());
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    #[must_use]
    pub fn with_tuning(&self, tuning: Tuning) -> Self {
        Self { inner: self.inner.clone(), tuned: Tuned::new(tuning) }
    }

    /// Folds a slice, by `plan` if there is one.
    pub(crate) fn fold_slice<T: Element, O: Kernel<T>>(
        &self,
        op: O,
        x: &DeviceSlice<'_, T>,
        plan: Option<Plan>,
    ) -> Result<O::Acc, Error> {
        let kernel = FoldKernel::new(op);
        self.lease(|executor| {
            let plan = match plan {
                Some(plan) => plan,
                None => executor.plan(&kernel.entries, self, x.len() as u64)?,
            };
            executor.fold(kernel, self.kernels(), &plan, x.input()?)
        })
    }

    /// Calls `call` with exclusive access to an executor. After an error the executor is not lent again.
    pub(crate) fn lease<R>(&self, call: impl FnOnce(&Executor) -> Result<R, Error>) -> Result<R, Error> {
        // Checked before any lock is taken: see `usable`.
        self.inner.context.usable()?;
        self.inner.executors.lease(&|| Executor::new(&self.inner.context), call)
    }

    /// Calls `call` with a queue for copies to the host: an executor's queue, or the legacy default stream if the
    /// device has no memory for an executor.
    pub(crate) fn read<R>(&self, call: impl Fn(&Queue) -> Result<R, Error>) -> Result<R, Error> {
        match self.lease(|executor| call(executor.queue())) {
            Err(error) if error.lacks_device_memory() => call(&Queue::legacy(&self.inner.context)?),
            answer => answer,
        }
    }

    /// The launch shapes of the [tuning](Self::tuning), ready for lookup.
    pub(crate) fn table(&self) -> &Table {
        &self.tuned.table
    }

    /// Returns the device's kernels.
    pub(crate) fn kernels(&self) -> &Kernels {
        &self.inner.kernels
    }

    /// Returns the device's context.
    pub(crate) fn context(&self) -> &Arc<Context> {
        &self.inner.context
    }

    /// Feeders that are not in use.
    pub(crate) fn feeders(&self) -> &Mutex<Vec<Feeder>> {
        &self.inner.feeders
    }

    /// Returns the number of multiprocessors.
    pub(crate) fn multiprocessors(&self) -> u32 {
        self.inner.properties.multiprocessors
    }
}

// An executor whose call panicked is not lent again. All other shared state is behind locks or never changes.
impl UnwindSafe for Cuda {}
impl RefUnwindSafe for Cuda {}

impl Tuned {
    fn new(tuning: Tuning) -> Arc<Self> {
        Arc::new(Self { table: Table::new(&tuning), tuning })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Unavailable;

    #[test]
    fn handles_may_cross_threads() {
        fn both<X: Send + Sync>() {}
        fn sent<X: Send>() {}
        fn unwound<X: UnwindSafe + RefUnwindSafe>() {}
        unwound::<Cuda>();
        unwound::<crate::cpu::Cpu>();
        unwound::<crate::auto::Auto>();
        both::<Cuda>();
        both::<DeviceArray<f32>>();
        both::<DeviceSlice<'_, f32>>();
        both::<DeviceScalar<f32, gpu_kernels::Sum>>();
        both::<Error>();
        both::<crate::cuda::Pending<f32, gpu_kernels::Sum>>();
        sent::<Stream>();
        sent::<crate::cuda::Graph>();
        both::<crate::cuda::Event>();
    }

    #[test]
    fn without_a_driver_the_reason_is_said_and_the_process_goes_on() {
        for _ in 0..2 {
            match (Cuda::open(0), Cuda::device_count()) {
                (Ok(cuda), Ok(count)) => {
                    assert!(count >= 1 && !cuda.properties().name.is_empty() && cuda.multiprocessors() > 0);
                    let missing = Cuda::open(count);
                    let reason = Unavailable::NoSuchDevice { ordinal: count, count };
                    assert!(matches!(missing, Err(Error::Unavailable { reason: found }) if found == reason));
                }
                (Err(Error::Unavailable { reason }), Err(Error::Unavailable { reason: same })) => {
                    assert_eq!(reason, same);
                    assert!(reason.to_string().len() > 20, "{reason}");
                }
                other => panic!("{other:?}"),
            }
        }
    }
}
