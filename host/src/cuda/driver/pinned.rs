//! A piece of page-locked host memory that kernels write to: where a blocking reduction's result arrives.

use std::ffi::c_void;
use std::ptr;
use std::sync::Arc;

use super::{Context, raw};
use crate::Accumulator;
use crate::error::{DriverCode, Error};

/// Room for one accumulator in host memory that the device writes to directly, without a copy.
#[derive(Debug)]
pub(in crate::cuda) struct Pinned {
    context: Arc<Context>,
    host: *mut c_void,
    device: raw::Address,
}

// SAFETY: the pointer is to memory that this owns alone; the host only reads it, by volatile loads.
unsafe impl Send for Pinned {}
// SAFETY: as above.
unsafe impl Sync for Pinned {}

/// A cache line; an accumulator has at most 16 bytes.
const BYTES: usize = 64;

impl Pinned {
    /// Allocates it, zeroed.
    pub(in crate::cuda) fn new(context: &Arc<Context>) -> Result<Arc<Self>, Error> {
        let _bound = context.bind()?;
        let mut host = ptr::null_mut();
        // SAFETY: writes one pointer to a local; the context is bound.
        let code = unsafe { raw::cuMemHostAlloc(&raw mut host, BYTES, raw::MEMHOSTALLOC_DEVICEMAP) };
        if code == DriverCode::OUT_OF_MEMORY.0 {
            return Err(Error::Driver {
                code: DriverCode(code),
                during: "allocating page-locked host memory",
            });
        }
        context.check(code, "allocating page-locked host memory")?;
        // SAFETY: the driver has just given these bytes.
        unsafe { ptr::write_bytes(host.cast::<u8>(), 0, BYTES) };
        let mut pinned = Self { context: context.clone(), host, device: 0 };
        // SAFETY: `host` was allocated for mapping; writes one address to a field.
        let code = unsafe { raw::cuMemHostGetDevicePointer_v2(&raw mut pinned.device, host, 0) };
        context.check(code, "mapping page-locked host memory")?;
        Ok(Arc::new(pinned))
    }

    /// Where it is, for kernels.
    pub(super) fn address(&self) -> raw::Address {
        self.device
    }

    /// What the last kernel wrote, once its queue has been waited for.
    pub(in crate::cuda) fn read<A: Accumulator>(&self) -> A {
        const { assert!(size_of::<A>() <= BYTES && align_of::<A>() <= BYTES) }
        // SAFETY: an `A` fits (above), the memory is page-aligned and initialised, and any bits are an `A` (Pod).
        unsafe { self.host.cast::<A>().read_volatile() }
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        // SAFETY: allocated in this context and freed here alone. No queue uses it: one that did would keep it.
        self.context.release(|| unsafe { raw::cuMemFreeHost(self.host) });
    }
}
