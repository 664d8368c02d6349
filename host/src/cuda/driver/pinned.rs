//! Page-locked host memory that kernels write words to.

use std::ffi::c_void;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use super::{Context, raw};
use crate::error::{DriverCode, Error};

/// Words of 64 bits in host memory that the device writes to directly, without a copy.
#[derive(Debug)]
pub(super) struct Pinned {
    context: Arc<Context>,
    host: *mut c_void,
    device: raw::Address,
    bytes: usize,
}

// SAFETY: the pointer is to memory that this owns alone; the host only gives it out as atomics.
unsafe impl Send for Pinned {}
// SAFETY: as above.
unsafe impl Sync for Pinned {}

impl Pinned {
    /// Allocates it, zeroed.
    pub(super) fn new(context: &Arc<Context>, bytes: usize) -> Result<Self, Error> {
        let _bound = context.bind()?;
        let mut host = ptr::null_mut();
        // SAFETY: writes one pointer to a local; the context is bound.
        let code = unsafe { raw::cuMemHostAlloc(&raw mut host, bytes, raw::MEMHOSTALLOC_DEVICEMAP) };
        if code == DriverCode::OUT_OF_MEMORY.0 {
            return Err(Error::Driver {
                code: DriverCode(code),
                during: "allocating page-locked host memory",
            });
        }
        context.check(code, "allocating page-locked host memory")?;
        // SAFETY: the driver has just given these bytes.
        unsafe { ptr::write_bytes(host.cast::<u8>(), 0, bytes) };
        let mut pinned = Self { context: context.clone(), host, device: 0, bytes };
        // SAFETY: `host` was allocated for mapping; writes one address to a field.
        let code = unsafe { raw::cuMemHostGetDevicePointer_v2(&raw mut pinned.device, host, 0) };
        context.check(code, "mapping page-locked host memory")?;
        Ok(pinned)
    }

    /// Where it is, for kernels.
    pub(super) fn address(&self) -> raw::Address {
        self.device
    }

    /// Its words from the `first` on. A kernel may write to them at any time, by stores of whole words.
    pub(super) fn words(&self, first: usize) -> &[AtomicU64] {
        let len = self.bytes / size_of::<AtomicU64>();
        // SAFETY: page-aligned and initialised, owned by `self`, and touched by nothing but atomics: the host's, and
        // the kernels' 8-byte stores, which are single-copy atomic on the host (they are aligned).
        let all = unsafe { std::slice::from_raw_parts(self.host.cast::<AtomicU64>(), len) };
        all.get(first..).unwrap_or_default()
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        // SAFETY: allocated in this context and freed here alone. No queue uses it: one that did would have it still.
        self.context.release(|| unsafe { raw::cuMemFreeHost(self.host) });
    }
}
