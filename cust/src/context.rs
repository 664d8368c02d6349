//! A device's primary context: made current for the time of a call, and remembered as dead once it is.

use std::marker::PhantomData;
use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use crate::device::Device;
use crate::error::{CudaError, CudaResult, DriverCode, plain};
use crate::memory::Spare;
use crate::{fork, sys};

/// The primary context of a device, which libraries on CUDA's runtime use too, retained.
#[derive(Debug)]
pub struct Context {
    device: Device,
    raw: sys::Handle,
    first_cause: OnceLock<Arc<CudaError>>,
    failed_frees: AtomicU64,
    /// Freed with this.
    spare: Spare,
}

// SAFETY: the driver takes a context from any thread; calls make it current on theirs first.
unsafe impl Send for Context {}
// SAFETY: as above.
unsafe impl Sync for Context {}

/// A thread's previous context is restored when this is dropped.
#[derive(Debug)]
pub(crate) struct Bound {
    pushed: bool,
    /// The context is current on one thread.
    not_send: PhantomData<*const ()>,
}

impl Context {
    /// Retains the device's primary context. The calling thread's current context stays what it was.
    ///
    /// # Errors
    /// [`CudaError::Driver`] if the driver refuses.
    pub fn open(device: Device) -> CudaResult<Arc<Self>> {
        let mut raw = ptr::null_mut();
        // SAFETY: writes one handle to a local; the device comes from the driver.
        let code = unsafe { sys::cuDevicePrimaryCtxRetain(&raw mut raw, device.raw()) };
        plain(code, "opening the device")?;
        let (first_cause, failed_frees) = (OnceLock::new(), AtomicU64::new(0));
        Ok(Arc::new(Self { device, raw, first_cause, failed_frees, spare: Spare::default() }))
    }

    /// The device's number.
    pub fn ordinal(&self) -> usize {
        self.device.ordinal()
    }

    /// The driver's handle (`CUcontext`).
    pub(crate) fn raw(&self) -> sys::Handle {
        self.raw
    }

    /// Whether both are the same device's context.
    pub fn is(&self, other: &Self) -> bool {
        self.raw == other.raw
    }

    /// Fails if both are not of one device. `self` is that of what is given to `stream`.
    ///
    /// # Errors
    /// [`CudaError::OtherDevice`].
    pub fn same_device(&self, stream: &Self) -> CudaResult<()> {
        if self.is(stream) {
            return Ok(());
        }
        Err(CudaError::OtherDevice { memory: self.ordinal(), stream: stream.ordinal() })
    }

    /// How many allocations and other things could not be given back.
    pub fn failed_frees(&self) -> u64 {
        self.failed_frees.load(Ordering::Relaxed)
    }

    /// Free bytes of device memory at this moment.
    ///
    /// # Errors
    /// [`CudaError::Driver`] if the driver refuses.
    pub fn free_bytes(&self) -> CudaResult<u64> {
        Ok(self.free_and_total()?.0 as u64)
    }

    /// All bytes of device memory.
    pub(crate) fn total_bytes(&self) -> CudaResult<usize> {
        Ok(self.free_and_total()?.1)
    }

    /// Waits until all work on the device has ended, of other libraries too.
    ///
    /// # Errors
    /// [`CudaError::Poisoned`], [`CudaError::Driver`].
    pub fn synchronize(&self) -> CudaResult<()> {
        let _bound = self.bind()?;
        // SAFETY: no arguments; the context is bound.
        self.check(unsafe { sys::cuCtxSynchronize() }, "waiting for the device")
    }

    fn free_and_total(&self) -> CudaResult<(usize, usize)> {
        let _bound = self.bind()?;
        let (mut free, mut total) = (0, 0);
        // SAFETY: writes two numbers to locals; the context is bound.
        self.check(unsafe { sys::cuMemGetInfo_v2(&raw mut free, &raw mut total) }, "asking for free memory")?;
        Ok((free, total))
    }

    /// Memory for a later call.
    pub(crate) fn spare(&self) -> &Spare {
        &self.spare
    }

    /// Fails in a forked child and once the context is dead. Asked before any lock is taken: in a forked child, a lock
    /// that another thread of the parent held is held for ever.
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

    /// Makes the context current on this thread until the answer is dropped. Every call to the driver is under
    /// one: a forked child and a dead context do not get past it.
    pub(crate) fn bind(&self) -> CudaResult<Bound> {
        const DURING: &str = "making the device current";
        self.usable()?;
        let ours = self.raw();
        let mut current = ptr::null_mut();
        // SAFETY: writes one handle to a local.
        self.check(unsafe { sys::cuCtxGetCurrent(&raw mut current) }, DURING)?;
        let pushed = current != ours;
        if pushed {
            // SAFETY: `ours` is retained as long as `self`.
            self.check(unsafe { sys::cuCtxPushCurrent_v2(ours) }, DURING)?;
        }
        Ok(Bound { pushed, not_send: PhantomData })
    }

    /// Turns a code into a result, and remembers the first that says the context is dead.
    pub(crate) fn check(&self, code: u32, during: &'static str) -> CudaResult<()> {
        plain(code, during).inspect_err(|error| {
            if DriverCode(code).is_sticky() {
                self.first_cause.get_or_init(|| Arc::new(error.clone()));
            }
        })
    }

    /// Gives something back, from a `Drop`: never panics, and makes no call when the context is dead or the
    /// process forked; what could not be given back is counted.
    pub(crate) fn release(&self, free: impl FnOnce() -> u32) {
        let freed = self.bind().and_then(|_bound| self.check(free(), "giving something back"));
        if freed.is_err() {
            self.leaked(1);
        }
    }

    /// Counts things that are not given back.
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
            // SAFETY: retained by `open`, and given back here alone. What the driver answers cannot be told to anybody.
            unsafe { sys::cuDevicePrimaryCtxRelease_v2(self.device.raw()) };
        }
    }
}

impl Drop for Bound {
    fn drop(&mut self) {
        if self.pushed {
            let mut popped = ptr::null_mut();
            // SAFETY: pops what `bind` pushed on this very thread (a `Bound` cannot leave it); guards are
            // dropped in the reverse order of their making.
            unsafe { sys::cuCtxPopCurrent_v2(&raw mut popped) };
        }
    }
}
