//! An open device: its properties, arrays on it, and reductions that wait for their result.

use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::{Arc, Mutex};

use crate::cuda::feed::feeder::Feeder;
use crate::cuda::lane::lanes::Lanes;
use crate::cuda::lane::{self, Lane};
use crate::cuda::launch::{Context, DeviceProperties, Driver, Kernels};
use crate::cuda::tuning::{Table, Tuning};
use crate::cuda::{DeviceArray, DeviceElements, DeviceInput, DeviceScalar, DeviceSlice, Stream, canary};
use crate::error::Error;
use crate::kernel::fold::{FoldEntries, FoldKernel};
use crate::told::told;
use crate::{Element, Kernel, Op, Plan};

/// An open GPU. Cheap to clone; any thread may use it, several at once.
///
/// Its calls run in the device's primary context, which is made current for their time and then what was current
/// before is restored, so that they can be mixed with other libraries that use CUDA.
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

/// A tuning, and the table that plans are looked up in.
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
    /// Lanes for blocking calls.
    lanes: Lanes,
    /// Feeders of calls that have ended, for the next.
    feeders: Mutex<Vec<Feeder>>,
}

impl Cuda {
    /// How many devices there are, at least 1.
    ///
    /// # Errors
    /// [`Error::Unavailable`] if there is no driver or no device, [`Error::Forked`] in a forked process.
    pub fn count() -> Result<usize, Error> {
        Ok(Driver::open()?.count)
    }

    /// What device `ordinal` is, and its driver, without opening it.
    pub(crate) fn identity(ordinal: usize) -> Result<String, Error> {
        let driver = Driver::open()?;
        let (_, properties) = driver.device(ordinal)?;
        Ok(format!("{}, {}, CUDA {}", properties.name, properties.compute_capability, driver.version))
    }

    /// Opens device `ordinal`, counted from 0 over the devices that CUDA_VISIBLE_DEVICES leaves.
    ///
    /// Plans that were measured on such a device and kept ([`Tuning`]) are used, unless the environment variable
    /// `WARPFOLD_TUNING` is `off`.
    ///
    /// The first call for a device has it compute sums, products, quotients and roots whose bits show whether its
    /// arithmetic is the one that results are defined by. That loads and runs two small kernels: tens of milliseconds
    /// once per driver and user, a few from then on.
    ///
    /// # Errors
    /// [`Error::FloatEnvironment`] if the device's arithmetic, or the calling thread's, is another one.
    /// [`Error::Unavailable`] says why there is no such device: no driver, no device, one that is too old (before
    /// compute capability 7.5), or a driver that is (before CUDA 11.0). [`Error::Forked`] in a process that was
    /// forked from one which had used the GPU.
    pub fn open(ordinal: usize) -> Result<Self, Error> {
        let driver = Driver::open()?;
        let (device, properties) = driver.device(ordinal)?;
        let context = Context::open(device)?;
        canary::check(&context, driver.version)?;
        let kernels = Kernels::new(context.clone(), properties.compute_capability, driver.version);
        let inner =
            Inner { context, properties, kernels, lanes: Lanes::default(), feeders: Mutex::default() };
        let tuning = Tuning::in_use(&inner.properties);
        told!(info, ordinal, name = inner.properties.name, driver = %driver.version, %tuning, "a device is opened");
        Ok(Self { inner: Arc::new(inner), tuned: Tuned::new(tuning) })
    }

    /// What it is: its number, name, compute capability, multiprocessors, memory and driver.
    #[must_use]
    pub fn properties(&self) -> &DeviceProperties {
        &self.inner.properties
    }

    /// Bytes of its memory that are free at this moment; other programs use it too.
    ///
    /// # Errors
    /// [`Error::Driver`] if the driver refuses.
    pub fn free_bytes(&self) -> Result<u64, Error> {
        Ok(self.inner.context.free_bytes()?)
    }

    /// How many things (arrays, streams, ...) could not be given back to the driver when they were dropped: 0
    /// unless the device has stopped working or the process was forked.
    #[must_use]
    pub fn failed_frees(&self) -> u64 {
        self.inner.context.failed_frees()
    }

    /// Copies `x` to the device, and waits until it is there.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`] with the bytes asked for, after which everything works as before; [`Error::Driver`].
    pub fn upload<T: Element>(&self, x: &[T]) -> Result<DeviceArray<T>, Error> {
        self.lease(|lane| DeviceArray::upload(self, lane, x))
    }

    /// Makes an array of `len` elements that are all zero bytes.
    ///
    /// # Errors
    /// As [`upload`](Self::upload).
    pub fn zeroed<T: Element + bytemuck::Zeroable>(&self, len: usize) -> Result<DeviceArray<T>, Error> {
        self.lease(|lane| DeviceArray::zeroed(self, lane, len))
    }

    /// Makes room for a result of [`Stream::reduce_into`]: until then it is the result of no elements.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], [`Error::Driver`].
    pub fn scalar<T: Element, O: Op<T>>(&self) -> Result<DeviceScalar<T, O>, Error> {
        self.lease(|lane| DeviceScalar::new(self, lane))
    }

    /// Makes a stream, with 512 KiB of device memory of its own.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], [`Error::Driver`].
    pub fn stream(&self) -> Result<Stream, Error> {
        Ok(Stream::new(self.clone(), Lane::new(&self.inner.context)?))
    }

    /// Loads the kernels now that reduce `input` with `op`, whatever its length, and those that finish results on the device.
    /// Otherwise each is loaded by the first call that needs it: tens of milliseconds once per driver and user, for the longest
    /// kernels some hundred, and about one from then on (the driver caches what it has compiled).
    ///
    /// # Errors
    /// [`Error::PtxTooNew`] if the driver is older than the kernels, [`Error::Kernel`] with the compiler's log.
    ///
    /// ```no_run
    /// use warpfold::{Cuda, Sum, rows};
    ///
    /// let cuda = Cuda::open(0)?;
    /// let x = cuda.upload(&[1.0f32; 6])?;
    /// cuda.prepare(Sum, rows(&x, [2, 3]))?;
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn prepare<O, I: DeviceInput<O>>(&self, _op: O, input: I) -> Result<(), Error> {
        input.prepare_on(self)
    }

    /// The plan by which this device reduces `n` elements with `O`: that of its [tuning](Self::tuning) if it has one for
    /// them, otherwise as many threads as the kernel's registers leave room for, and tiles dealt evenly. Loads the kernel.
    ///
    /// # Errors
    /// [`Error::PtxTooNew`] and [`Error::Kernel`] from the first call of each operator.
    pub fn plan<T: Element, O: Kernel<T>>(&self, n: u64) -> Result<Plan, Error> {
        self.plan_of(&FoldEntries::<_, T, O>::ONE, n)
    }

    /// [`plan`](Self::plan) of these kernels.
    pub(super) fn plan_of<I: Copy, T: Element, O: Op<T>>(
        &self,
        entries: &FoldEntries<I, T, O>,
        n: u64,
    ) -> Result<Plan, Error> {
        let kernels = &self.inner.kernels;
        let (most_threads, resident) = (|entry| kernels.most_threads(entry), |entry| kernels.resident(entry));
        lane::plan(entries, n, self.multiprocessors(), self.table(), most_threads, resident)
    }

    /// The launch shapes that its plans are taken from, where it has any.
    #[must_use]
    pub fn tuning(&self) -> &Tuning {
        &self.tuned.tuning
    }

    /// The same device with other launch shapes, for what is reduced by this handle and its streams. Nothing is written.
    ///
    /// ```no_run
    /// # use warpfold::{Cuda, Tuning};
    /// let as_everywhere = Cuda::open(0)?.with_tuning(Tuning::empty());
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    #[must_use]
    pub fn with_tuning(&self, tuning: Tuning) -> Self {
        Self { inner: self.inner.clone(), tuned: Tuned::new(tuning) }
    }

    /// Reduces `input` with `op`, and waits: all elements of an array (`&x`), or the parts of one ([`DeviceInput`]). The results
    /// have the bits that every backend gives. One result comes to the host; those of parts stay on the device. Calls of several
    /// threads run side by side.
    ///
    /// # Errors
    /// Those of the input; [`Error::OtherDevice`] if it is on another device; [`Error::PtxTooNew`] and [`Error::Kernel`] from the
    /// first call of each operator; [`Error::OutOfMemory`]; [`Error::Poisoned`] once the device has stopped working;
    /// [`Error::Driver`].
    ///
    /// ```no_run
    /// use warpfold::{ArgMax, Cuda, Sum, groups, rows};
    ///
    /// let cuda = Cuda::open(0)?;
    /// let x = cuda.upload(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0])?;
    /// assert_eq!(cuda.reduce(ArgMax, &x)?.map(|at| at.index), Some(5));
    /// assert_eq!(cuda.reduce(Sum, rows(&x, [2, 3]))?.to_vec()?, [6.0, 15.0]);
    /// let ids = cuda.upload(&[1u32, 0, 1, 0, 1, 0])?;
    /// assert_eq!(cuda.reduce(Sum, groups(&ids, &x, 2))?.to_vec()?, [12.0, 9.0]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn reduce<O, I: DeviceInput<O>>(&self, op: O, input: I) -> Result<I::Results, Error> {
        input.reduce_on(self, op)
    }

    /// Folds all elements of `x`, and does not finish: the accumulator, [`Op::IDENTITY`] of no elements. It has the CPU's bits but
    /// for those of a NaN in it: see [`Op`].
    ///
    /// # Errors
    /// As [`reduce`](Self::reduce).
    pub fn fold<X: DeviceElements, O: Kernel<X::Element>>(&self, op: O, x: X) -> Result<O::Acc, Error> {
        self.fold_slice(op, &x.device_slice(), x.plan())
    }

    /// Folds a slice, by a plan if there is one.
    pub(super) fn fold_slice<T: Element, O: Kernel<T>>(
        &self,
        op: O,
        x: &DeviceSlice<'_, T>,
        plan: Option<Plan>,
    ) -> Result<O::Acc, Error> {
        let kernel = FoldKernel::new(op);
        self.lease(|lane| {
            let plan = match plan {
                Some(plan) => plan,
                None => lane.plan(&kernel.entries, self, x.len() as u64)?,
            };
            lane.fold(kernel, self.kernels(), &plan, x.input()?)
        })
    }

    /// Lends a lane that nobody else uses. After an error it is not lent again.
    pub(super) fn lease<R>(&self, call: impl FnOnce(&Lane) -> Result<R, Error>) -> Result<R, Error> {
        // Before any lock: see `usable`.
        self.inner.context.usable()?;
        self.inner.lanes.lease(|| Lane::new(&self.inner.context), call)
    }

    /// The launch shapes of its [tuning](Self::tuning), as they are looked up.
    pub(super) fn table(&self) -> &Table {
        &self.tuned.table
    }

    /// Its kernels.
    pub(super) fn kernels(&self) -> &Kernels {
        &self.inner.kernels
    }

    /// Its context.
    pub(super) fn context(&self) -> &Arc<Context> {
        &self.inner.context
    }

    /// Feeders that nobody uses.
    pub(super) fn feeders(&self) -> &Mutex<Vec<Feeder>> {
        &self.inner.feeders
    }

    /// Its multiprocessors.
    pub(in crate::cuda) fn multiprocessors(&self) -> u32 {
        self.inner.properties.multiprocessors
    }
}

// A lane whose call panicked is not lent again, and what else threads share is behind locks or never changes.
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
        unwound::<crate::Cpu>();
        unwound::<crate::Auto>();
        both::<Cuda>();
        both::<DeviceArray<f32>>();
        both::<DeviceSlice<'_, f32>>();
        both::<DeviceScalar<f32, crate::Sum>>();
        both::<Error>();
        both::<crate::cuda::Pending<f32, crate::Sum>>();
        sent::<Stream>();
        sent::<crate::cuda::Graph>();
        both::<crate::cuda::Event>();
    }

    #[test]
    fn without_a_driver_the_reason_is_said_and_the_process_goes_on() {
        for _ in 0..2 {
            match (Cuda::open(0), Cuda::count()) {
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
