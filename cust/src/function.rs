//! Kernels that are ready to launch.

use std::ffi::{c_int, c_uint};
use std::marker::PhantomData;
use std::ptr;
use std::sync::Arc;

use crate::context::Context;
use crate::error::CudaResult;
use crate::module::Module;
use crate::stream::Observer;
use crate::sys;

/// A kernel, which keeps its module loaded. A launch takes its arguments, `A`: the struct that
/// [`kernel!`](cuda_std::kernel) declares beside the kernel.
#[derive(Debug)]
pub struct Function<A> {
    module: Arc<Module>,
    raw: sys::Handle,
    arguments: PhantomData<fn(A)>,
}

// SAFETY: the driver takes functions from any thread; nothing changes them after loading.
unsafe impl<A> Send for Function<A> {}
// SAFETY: as above.
unsafe impl<A> Sync for Function<A> {}

/// A numeric attribute of a kernel (`CUfunction_attribute`, cuda.h).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
#[non_exhaustive]
pub enum FunctionAttribute {
    /// Most threads of a block for which this device has enough registers.
    MaxThreadsPerBlock = 0,
    /// Bytes of static shared memory per block.
    SharedMemorySizeBytes = 1,
    /// Registers per thread.
    NumRegisters = 4,
}

/// `CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES`.
pub(crate) const MAX_DYNAMIC_SHARED_SIZE_BYTES: c_uint = 8;

const DURING: &str = "asking for a kernel's properties";

impl<A> Function<A> {
    pub(crate) fn new(module: Arc<Module>, raw: sys::Handle) -> Self {
        Self { module, raw, arguments: PhantomData }
    }

    /// Returns an attribute of the kernel. This loads the code now, which the driver would otherwise do at the first
    /// launch.
    ///
    /// # Errors
    /// [`CudaError::Driver`](crate::error::CudaError::Driver) if the driver refuses.
    pub fn get_attribute(&self, attribute: FunctionAttribute) -> CudaResult<u32> {
        self.number(|value| {
            // SAFETY: the function lives as long as `self`; `number` binds the context; writes one number.
            unsafe { sys::cuFuncGetAttribute(value, attribute as c_uint, self.raw) }
        })
    }

    /// Returns how many blocks of `threads` threads, each with `shared_bytes` bytes of dynamic shared memory, are
    /// resident on a multiprocessor at once.
    ///
    /// # Errors
    /// As [`get_attribute`](Self::get_attribute).
    pub fn max_active_blocks_per_multiprocessor(&self, threads: u32, shared_bytes: usize) -> CudaResult<u32> {
        let threads = c_int::try_from(threads).unwrap_or(c_int::MAX);
        self.number(|value| {
            // SAFETY: as in `get_attribute`.
            unsafe {
                sys::cuOccupancyMaxActiveBlocksPerMultiprocessor(value, self.raw, threads, shared_bytes)
            }
        })
    }

    /// Allows launches with up to `bytes` bytes of dynamic shared memory per block. Without this, 48 KiB are allowed.
    ///
    /// # Errors
    /// As [`get_attribute`](Self::get_attribute); also if blocks of this device have less.
    pub fn allow_shared(&self, bytes: u32) -> CudaResult<()> {
        let _bound = self.context().bind()?;
        let bytes = c_int::try_from(bytes).unwrap_or(c_int::MAX);
        // SAFETY: the function lives as long as `self`, and its context is bound.
        let code = unsafe { sys::cuFuncSetAttribute(self.raw, MAX_DYNAMIC_SHARED_SIZE_BYTES, bytes) };
        self.context().check(code, "asking for shared memory")
    }

    /// Returns the fewest blocks that fill the device, and the threads of each.
    ///
    /// # Errors
    /// As [`get_attribute`](Self::get_attribute).
    pub fn suggested_launch_configuration(&self) -> CudaResult<(u32, u32)> {
        let mut threads = 0;
        let blocks = self.number(|blocks| {
            // SAFETY: as in `get_attribute`; the shared memory does not depend on the threads; writes two numbers.
            unsafe {
                sys::cuOccupancyMaxPotentialBlockSize(blocks, &raw mut threads, self.raw, ptr::null(), 0, 0)
            }
        })?;
        Ok((blocks, u32::try_from(threads).unwrap_or(0)))
    }

    /// Calls `ask` with the context bound, and returns the number that it writes.
    fn number(&self, ask: impl FnOnce(*mut c_int) -> u32) -> CudaResult<u32> {
        let _bound = self.context().bind()?;
        let mut value = 0;
        self.context().check(ask(&raw mut value), DURING)?;
        Ok(u32::try_from(value).unwrap_or(0))
    }

    /// Returns the driver's handle.
    pub(crate) fn raw(&self) -> sys::Handle {
        self.raw
    }

    /// Returns the context in which the kernel was loaded.
    #[must_use]
    pub fn context(&self) -> &Arc<Context> {
        self.module.context()
    }
}

/// A stream keeps the kernels that it has launched.
impl<A> Observer for Function<A> {}
