//! A device's primary context: made current for each call, and remembered as dead after a fatal error.

use std::marker::PhantomData;
use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use crate::device::Device;
use crate::error::{CudaError, CudaResult, DriverCode, plain};
use crate::memory::Spare;
use crate::{fork, sys};

/// The retained primary context of a device, which libraries on CUDA's runtime use too.
#[derive(Debug)]
pub struct Context {
    device: Device,
    raw: sys::Handle,
    first_cause: OnceLock<Arc<CudaError>>,
    failed_frees: AtomicU64,
    /// Memory kept for a later call; freed with the context.
    spare: Spare,
}

// SAFETY: the driver takes a context from any thread, and each call makes it current on its thread first.
unsafe impl Send for Context {}
// SAFETY: as above.
unsafe impl Sync for Context {}

/// Restores the thread's previous context when dropped.
#[derive(Debug)]
pub(crate) struct Bound {
    pushed: bool,
    /// The context is current on one thread only.
    not_send: PhantomData<*const ()>,
}

impl Context {
    /// Retains the device's primary context. The calling thread's current context does not change.
    ///
    /// # Errors
    /// [`CudaError::Driver`] if the driver refuses.
    pub fn open(device: Device) -> CudaResult<Arc<Self>> {
        let mut raw = ptr::null_mut();
        // SAFETY: writes one handle to a local; the device number comes from the driver.
        let code = unsafe { sys::cuDevicePrimaryCtxRetain(&raw mut raw, device.raw()) };
        plain(code, "opening the device")?;
        let (first_cause, failed_frees) = (OnceLock::new(), AtomicU64::new(0));
        Ok(Arc::new(Self { device, raw, first_cause, failed_frees, spare: Spare::default() }))
    }

    /// Returns the device's number.
    pub fn ordinal(&self) -> usize {
        self.device.ordinal()
    }

    /// Returns the driver's handle (`CUcontext`).
    pub(crate) fn raw(&self) -> sys::Handle {
        self.raw
    }

    /// Returns whether both are contexts of one device.
    pub fn is(&self, other: &Self) -> bool {
        self.raw == other.raw
    }

    /// Fails unless both are contexts of one device. `self` is the context of a resource, and `stream` the context of
    /// the stream to use it.
    ///
    /// # Errors
    /// [`CudaError::OtherDevice`].
    pub fn same_device(&self, stream: &Self) -> CudaResult<()> {
        if self.is(stream) {
            return Ok(());
        }
        Err(CudaError::OtherDevice { memory: self.ordinal(), stream: stream.ordinal() })
    }

    /// Returns the number of allocations and other resources that could not be freed.
    pub fn failed_frees(&self) -> u64 {
        self.failed_frees.load(Ordering::Relaxed)
    }

    /// Returns the bytes of device memory that are free now.
    ///
    /// # Errors
    /// [`CudaError::Driver`] if the driver refuses.
    pub fn free_bytes(&self) -> CudaResult<u64> {
        Ok(self.free_and_total()?.0 as u64)
    }

    /// Returns the total bytes of device memory.
    pub(crate) fn total_bytes(&self) -> CudaResult<usize> {
        Ok(self.free_and_total()?.1)
    }

    /// Waits for all work on the device, including the work of other libraries.
    ///
    /// # Errors
    /// [`CudaError::Poisoned`], [`CudaError::Driver`].
    pub fn synchronize(&self) -> CudaResult<()> {
        let _bound = self.bind()?;
        // SAFETY: no arguments; the context is bound.
        self.check(unsafe { sys::cuCtxSynchronize() }, "waiting for the device")
    }

    /// Waits for all work on the device after a wait for some of it failed with `error`, because host memory that the work uses is
    /// given back. If that fails too, nobody knows when the work ends: the context counts as dead, so that nothing uses its results.
    pub(crate) fn outlast(&self, error: &CudaError) {
        if self.usable().is_ok() && self.synchronize().is_err() {
            self.first_cause.get_or_init(|| Arc::new(error.clone()));
        }
    }

    fn free_and_total(&self) -> CudaResult<(usize, usize)> {
        let _bound = self.bind()?;
        let (mut free, mut total) = (0, 0);
        // SAFETY: writes two numbers to locals; the context is bound.
        self.check(unsafe { sys::cuMemGetInfo_v2(&raw mut free, &raw mut total) }, "asking for free memory")?;
        Ok((free, total))
    }

    /// Returns the memory kept for a later call.
    pub(crate) fn spare(&self) -> &Spare {
        &self.spare
    }

    /// Fails in a forked child, and once the context is dead. Call it before taking any lock: in a forked child, a lock
    /// that another thread of the parent held is never released.
    ///
    /// # Errors
    /// [`CudaError::Forked`], [`CudaError::Poisoned`].
    pub fn usable(&self) -> CudaResult<()> {
        if fork::forked() {
            return Err(CudaError::Forked);
        }
        match self.first_cause.get() {
            Some(first_cause) => Err(CudaError::Poisoned { first_cause: first_cause.clone() }),
            None => Ok(()),
        }
    }

    /// Makes the context current on this thread until the guard is dropped. Every call to the driver needs such a
    /// guard, so a forked child and a dead context make no calls.
    pub(crate) fn bind(&self) -> CudaResult<Bound> {
        const DURING: &str = "making the device current";
        self.usable()?;
        let ours = self.raw();
        let mut current = ptr::null_mut();
        // SAFETY: writes one handle to a local.
        self.check(unsafe { sys::cuCtxGetCurrent(&raw mut current) }, DURING)?;
        let pushed = current != ours;
        if pushed {
            // SAFETY: `ours` is retained as long as `self` exists.
            self.check(unsafe { sys::cuCtxPushCurrent_v2(ours) }, DURING)?;
        }
        Ok(Bound { pushed, not_send: PhantomData })
    }

    /// Converts a code to a result, and remembers the first error that leaves the context dead.
    pub(crate) fn check(&self, code: u32, during: &'static str) -> CudaResult<()> {
        plain(code, during).inspect_err(|error| {
            if DriverCode(code).is_sticky() {
                self.first_cause.get_or_init(|| Arc::new(error.clone()));
            }
        })
    }

    /// Frees a resource, for a `Drop`. Never panics, and makes no call if the context is dead or the process is a
    /// forked child. A failure is counted.
    pub(crate) fn release(&self, free: impl FnOnce() -> u32) {
        let freed = self.bind().and_then(|_bound| self.check(free(), "giving something back"));
        if freed.is_err() {
            self.leaked(1);
        }
    }

    /// Counts resources that are not freed.
    pub(crate) fn leaked(&self, things: usize) {
        self.failed_frees.fetch_add(things as u64, Ordering::Relaxed);
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        if !fork::forked() && self.first_cause.get().is_none() {
            if let Some(spare) = self.spare.take(0) {
                self.free(spare);
            }
            // SAFETY: retained by `open` and released only here. The result is ignored, as `drop` can report it to
            // nobody.
            unsafe { sys::cuDevicePrimaryCtxRelease_v2(self.device.raw()) };
        }
    }
}

impl Drop for Bound {
    fn drop(&mut self) {
        if self.pushed {
            let mut popped = ptr::null_mut();
            // SAFETY: pops what `bind` pushed on this same thread, as a `Bound` cannot be sent. Guards are dropped in
            // the reverse order of their creation.
            unsafe { sys::cuCtxPopCurrent_v2(&raw mut popped) };
        }
    }
}
