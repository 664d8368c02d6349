//! Page-locked host memory that kernels write words to.

use std::ffi::c_void;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use crate::context::Context;
use crate::error::CudaResult;
use crate::sys;

/// Words of 64 bits in host memory that the device writes to directly, without a copy.
#[derive(Debug)]
pub struct LockedWords {
    context: Arc<Context>,
    host: *mut c_void,
    device: sys::Address,
    bytes: usize,
}

// SAFETY: the pointer is to memory that this owns alone; the host only gives it out as atomics.
unsafe impl Send for LockedWords {}
// SAFETY: as above.
unsafe impl Sync for LockedWords {}

impl LockedWords {
    /// Allocates it, zeroed.
    ///
    /// # Errors
    /// [`CudaError::Driver`](crate::error::CudaError::Driver) if the system has no memory that it would lock.
    pub fn new(context: &Arc<Context>, bytes: usize) -> CudaResult<Self> {
        let _bound = context.bind()?;
        let mut host = ptr::null_mut();
        // SAFETY: writes one pointer to a local; the context is bound.
        let code = unsafe { sys::cuMemHostAlloc(&raw mut host, bytes, sys::MEMHOSTALLOC_DEVICEMAP) };
        context.check(code, "allocating page-locked host memory")?;
        // SAFETY: the driver has just given these bytes.
        unsafe { ptr::write_bytes(host.cast::<u8>(), 0, bytes) };
        let mut words = Self { context: context.clone(), host, device: 0, bytes };
        // SAFETY: `host` was allocated for mapping; writes one address to a field.
        let code = unsafe { sys::cuMemHostGetDevicePointer_v2(&raw mut words.device, host, 0) };
        context.check(code, "mapping page-locked host memory")?;
        Ok(words)
    }

    /// Where it is, for kernels.
    #[must_use]
    pub fn address(&self) -> sys::Address {
        self.device
    }

    /// Its words from the `first` on. A kernel may write to them at any time, by stores of whole words.
    #[must_use]
    pub fn words(&self, first: usize) -> &[AtomicU64] {
        let len = self.bytes / size_of::<AtomicU64>();
        // SAFETY: page-aligned and initialised, owned by `self`, and touched by nothing but atomics: the host's, and
        // the kernels' 8-byte stores, which are single-copy atomic on the host (they are aligned).
        let all = unsafe { std::slice::from_raw_parts(self.host.cast::<AtomicU64>(), len) };
        all.get(first..).unwrap_or_default()
    }
}

impl Drop for LockedWords {
    fn drop(&mut self) {
        // SAFETY: allocated in this context and freed here alone. No stream uses it: one that did would have it still.
        self.context.release(|| unsafe { sys::cuMemFreeHost(self.host) });
    }
}
