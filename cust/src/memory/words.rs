//! Page-locked host memory to which kernels write words.

use std::ffi::c_void;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use crate::context::Context;
use crate::error::CudaResult;
use crate::sys;

/// Words of 64 bits in host memory, to which the device writes directly, without a copy.
#[derive(Debug)]
pub struct LockedWords {
    context: Arc<Context>,
    host: *mut c_void,
    device: sys::Address,
    bytes: usize,
}

// SAFETY: it alone owns the memory; the host accesses it only as atomics.
unsafe impl Send for LockedWords {}
// SAFETY: as above.
unsafe impl Sync for LockedWords {}

impl LockedWords {
    /// Allocates `bytes` zeroed bytes.
    ///
    /// # Errors
    /// [`CudaError::Driver`](crate::error::CudaError::Driver) if the system cannot lock enough memory.
    pub fn new(context: &Arc<Context>, bytes: usize) -> CudaResult<Self> {
        let _bound = context.bind()?;
        let mut host = ptr::null_mut();
        // SAFETY: writes one pointer to a local; the context is bound.
        let code = unsafe { sys::cuMemHostAlloc(&raw mut host, bytes, sys::MEMHOSTALLOC_DEVICEMAP) };
        context.check(code, "allocating page-locked host memory")?;
        // SAFETY: the driver has just allocated these bytes.
        unsafe { ptr::write_bytes(host.cast::<u8>(), 0, bytes) };
        let mut words = Self { context: context.clone(), host, device: 0, bytes };
        // SAFETY: `host` was allocated for mapping; writes one address to a field.
        let code = unsafe { sys::cuMemHostGetDevicePointer_v2(&raw mut words.device, host, 0) };
        context.check(code, "mapping page-locked host memory")?;
        Ok(words)
    }

    /// Returns the address for kernels.
    #[must_use]
    pub fn address(&self) -> sys::Address {
        self.device
    }

    /// Returns the words from word `first` on. A kernel may write to them at any time, by stores of whole words.
    #[must_use]
    pub fn words(&self, first: usize) -> &[AtomicU64] {
        let len = self.bytes / size_of::<AtomicU64>();
        // SAFETY: page-aligned and initialized, owned by `self`, and accessed only by atomics: the host's, and the
        // kernels' aligned 8-byte stores. These are single-copy atomic on the host.
        let all = unsafe { std::slice::from_raw_parts(self.host.cast::<AtomicU64>(), len) };
        all.get(first..).unwrap_or_default()
    }
}

impl Drop for LockedWords {
    fn drop(&mut self) {
        // SAFETY: allocated in this context and freed only here. No stream uses it, as the user would still hold it.
        self.context.release(|| unsafe { sys::cuMemFreeHost(self.host) });
    }
}
