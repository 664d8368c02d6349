//! A device's primary context: made current for the time of a call, and remembered as dead once it is.

use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use super::spare::Spare;
use super::{Device, fork, raw};
use crate::error::{DriverCode, Error};

/// The primary context of a device, which libraries on CUDA's runtime use too, retained.
#[derive(Debug)]
pub(in crate::cuda) struct Context {
    /// Dropped by hand: not in a forked child, and not when the context is dead.
    primary: ManuallyDrop<cust::context::Context>,
    ordinal: usize,
    first_cause: OnceLock<Arc<Error>>,
    failed_frees: AtomicU64,
    /// Freed with this.
    spare: Spare,
}

/// A thread's previous context is restored when this is dropped.
#[derive(Debug)]
pub(super) struct Bound {
    pushed: bool,
    /// The context is current on one thread.
    not_send: PhantomData<*const ()>,
}

impl Context {
    /// Retains the device's primary context. The calling thread's current context stays what it was.
    pub(in crate::cuda) fn open(device: &Device) -> Result<Arc<Self>, Error> {
        const DURING: &str = "opening the device";
        let number = device.cust.as_raw();
        let (mut retained, mut before) = (ptr::null_mut(), ptr::null_mut());
        // The call whose code may be anything is ours; cust's succeeds where it has.
        // SAFETY: both write one handle to a local; `number` comes from the driver.
        unsafe {
            plain(raw::cuCtxGetCurrent(&raw mut before), DURING)?;
            plain(raw::cuDevicePrimaryCtxRetain(&raw mut retained, number), DURING)?;
        }
        let primary = cust::context::Context::new(device.cust);
        // SAFETY: cust made its context current; `before` is what was current, or null for none. The first
        // retain of the two is given back.
        unsafe {
            raw::cuCtxSetCurrent(before);
            raw::cuDevicePrimaryCtxRelease_v2(number);
        }
        let primary = primary.map_err(|e| Error::Driver { code: DriverCode(e as u32), during: DURING })?;
        Ok(Arc::new(Self {
            primary: ManuallyDrop::new(primary),
            ordinal: device.ordinal,
            first_cause: OnceLock::new(),
            failed_frees: AtomicU64::new(0),
            spare: Spare::default(),
        }))
    }

    /// The device's number.
    pub(in crate::cuda) fn ordinal(&self) -> usize {
        self.ordinal
    }

    /// The driver's handle (`CUcontext`).
    pub(super) fn raw(&self) -> raw::Handle {
        self.primary.as_raw().cast()
    }

    /// Whether both are the same device's context.
    pub(in crate::cuda) fn is(&self, other: &Self) -> bool {
        self.primary.as_raw() == other.primary.as_raw()
    }

    /// How many allocations and other things could not be given back.
    pub(in crate::cuda) fn failed_frees(&self) -> u64 {
        self.failed_frees.load(Ordering::Relaxed)
    }

    /// Free bytes of device memory at this moment.
    pub(in crate::cuda) fn free_bytes(&self) -> Result<u64, Error> {
        Ok(self.free_and_total()?.0 as u64)
    }

    /// All bytes of device memory.
    pub(super) fn total_bytes(&self) -> Result<usize, Error> {
        Ok(self.free_and_total()?.1)
    }

    fn free_and_total(&self) -> Result<(usize, usize), Error> {
        let _bound = self.bind()?;
        let (mut free, mut total) = (0, 0);
        // SAFETY: writes two numbers to locals; the context is bound.
        self.check(unsafe { raw::cuMemGetInfo_v2(&raw mut free, &raw mut total) }, "asking for free memory")?;
        Ok((free, total))
    }

    /// Memory for a later call.
    pub(super) fn spare(&self) -> &Spare {
        &self.spare
    }

    /// Fails in a forked child and once the context is dead. Asked before any lock is taken: in a forked child, a lock
    /// that another thread of the parent held is held for ever.
    pub(in crate::cuda) fn usable(&self) -> Result<(), Error> {
        if fork::forked() {
            return Err(Error::Forked);
        }
        match self.first_cause.get() {
            Some(first_cause) => Err(Error::Poisoned { first_cause: first_cause.clone() }),
            None => Ok(()),
        }
    }

    /// Makes the context current on this thread until the answer is dropped. Every call to the driver is under
    /// one: a forked child and a dead context do not get past it.
    pub(super) fn bind(&self) -> Result<Bound, Error> {
        const DURING: &str = "making the device current";
        self.usable()?;
        let ours = self.raw();
        let mut current = ptr::null_mut();
        // SAFETY: writes one handle to a local.
        self.check(unsafe { raw::cuCtxGetCurrent(&raw mut current) }, DURING)?;
        let pushed = current != ours;
        if pushed {
            // SAFETY: `ours` is retained as long as `self`.
            self.check(unsafe { raw::cuCtxPushCurrent_v2(ours) }, DURING)?;
        }
        Ok(Bound { pushed, not_send: PhantomData })
    }

    /// Turns a code into a result, and remembers the first that says the context is dead.
    pub(super) fn check(&self, code: u32, during: &'static str) -> Result<(), Error> {
        plain(code, during).inspect_err(|error| {
            if DriverCode(code).is_sticky() {
                self.first_cause.get_or_init(|| Arc::new(error.clone()));
            }
        })
    }

    /// Gives something back, from a `Drop`: never panics, and makes no call when the context is dead or the
    /// process forked; what could not be given back is counted.
    pub(super) fn release(&self, free: impl FnOnce() -> u32) {
        let freed = self.bind().and_then(|_bound| self.check(free(), "giving something back"));
        if freed.is_err() {
            self.leaked(1);
        }
    }

    /// Counts things that are not given back.
    pub(super) fn leaked(&self, things: usize) {
        self.failed_frees.fetch_add(things as u64, Ordering::Relaxed);
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        if !fork::forked() && self.first_cause.get().is_none() {
            if let Some(spare) = self.spare.take(0) {
                self.free(spare);
            }
            // SAFETY: dropped here alone, and not used afterwards.
            unsafe { ManuallyDrop::drop(&mut self.primary) }
        }
    }
}

impl Drop for Bound {
    fn drop(&mut self) {
        if self.pushed {
            let mut popped = ptr::null_mut();
            // SAFETY: pops what `bind` pushed on this very thread (a `Bound` cannot leave it); guards are
            // dropped in the reverse order of their making.
            unsafe { raw::cuCtxPopCurrent_v2(&raw mut popped) };
        }
    }
}

/// A code as a result.
fn plain(code: u32, during: &'static str) -> Result<(), Error> {
    if code == raw::SUCCESS { Ok(()) } else { Err(Error::Driver { code: DriverCode(code), during }) }
}
