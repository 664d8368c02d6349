//! How backends are opened. Before the other methods in `lib.rs`, and so on the page of each backend.

use crate::auto::Auto;
#[cfg(feature = "cuda")]
use crate::cuda::Cuda;
#[cfg(feature = "cuda")]
use crate::cuda::launch::Driver;
#[cfg(feature = "cuda")]
use crate::error::Error;

impl Auto {
    /// Creates the backend of the CPU with all its threads, and the first GPU.
    ///
    /// ```
    /// use warpfold::{Auto, Sum};
    ///
    /// assert_eq!(Auto::new().reduce(Sum, &[1.5f32, 2.5])?, 4.0);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

#[cfg(feature = "cuda")]
impl Cuda {
    /// Opens device `ordinal`. Devices are counted from 0 among those that CUDA_VISIBLE_DEVICES leaves.
    ///
    /// Uses launch configurations that were measured and kept for this device ([`Tuning`](crate::plans::Tuning)), unless the
    /// environment variable `WARPFOLD_TUNING` is `off`.
    ///
    /// The first call for a device checks its arithmetic: the device computes some sums, products, quotients and roots,
    /// and their bits are compared with the CPU's. This loads and runs two small kernels: tens of
    /// milliseconds once per driver and user, a few milliseconds from then on.
    ///
    /// # Errors
    /// [`Error::FloatEnvironment`] if the arithmetic of the device or of the calling thread differs.
    /// [`Error::Unavailable`] with the reason if the device cannot be used: no driver, no such device, a device before
    /// compute capability 7.5, or a driver before CUDA 11.0. [`Error::Setting`] if `WARPFOLD_JIT_LEVEL` has an
    /// unknown value. [`Error::Kernel`], [`Error::PtxTooNew`], [`Error::OutOfMemory`] and [`Error::Driver`] if the check of
    /// its arithmetic cannot run.
    ///
    /// ```no_run
    /// use warpfold::{Cuda, Sum};
    ///
    /// let cuda = Cuda::open(0)?;
    /// let x = cuda.upload(&[1.0f32, 2.0])?;
    /// assert_eq!(cuda.reduce(Sum, &x)?, 3.0);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn open(ordinal: usize) -> Result<Self, Error> {
        Self::open_by(Driver::open()?, ordinal)
    }

    /// Returns the number of devices, at least 1.
    ///
    /// # Errors
    /// [`Error::Unavailable`] if there is no driver or no device, [`Error::Forked`] in a forked process.
    ///
    /// ```no_run
    /// use warpfold::Cuda;
    ///
    /// for ordinal in 0..Cuda::device_count()? {
    ///     println!("{}", Cuda::open(ordinal)?.properties().name);
    /// }
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn device_count() -> Result<usize, Error> {
        Ok(Driver::open()?.count)
    }

    /// Opens an emulated device, for tests of programs that use a GPU: kernels run on this machine's CPU, slowly, and are checked. It
    /// needs no GPU and no driver. **It is not a GPU**: its [name](crate::DeviceProperties::name) says so, and [`Auto`] never
    /// picks it.
    ///
    /// A process has either GPUs or this device, whichever it uses first. The environment variable `WARPFOLD_DEVICE=emulated`
    /// puts the device in the place of GPUs in all of a program, for [`open`](Self::open) and `Auto` too.
    ///
    /// Work that was enqueued is done as late as the driver's rules allow. A kernel that reads or writes beyond its memory, reads
    /// memory that was never written, races, or waits for threads that do not come is named on standard error, and ends the device's
    /// work: the call that waits for it returns [`Error::Driver`] with code 719. Kernels of your own run too, if `ship_kernels!` ships
    /// them; those that you load by yourself are offered to `cust::emulated::offer` first.
    ///
    /// # Errors
    /// [`Error::Unavailable`] if the process has used, or looked for, GPUs. Otherwise as [`open`](Self::open).
    ///
    /// ```
    /// use warpfold::{Cuda, Sum};
    ///
    /// let device = Cuda::emulated()?;
    /// let x = device.upload(&[1.0f32, 2.0, 3.0])?;
    /// assert_eq!(device.reduce(Sum, &x)?, 6.0);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    #[cfg(feature = "emulator")]
    pub fn emulated() -> Result<Self, Error> {
        Self::open_by(Driver::emulated()?, 0)
    }
}
