//! A kernel that is ready to be launched.

use std::ffi::{c_int, c_uint};
use std::marker::PhantomData;
use std::ptr;
use std::sync::Arc;

use crate::context::Context;
use crate::error::CudaResult;
use crate::module::Module;
use crate::stream::Observer;
use crate::sys;

/// A kernel, whose module stays loaded as long as this. A launch takes its arguments, `A`: the struct that
/// [`kernel!`](cuda_std::kernel) declares beside it.
#[derive(Debug)]
pub struct Function<A> {
    module: Arc<Module>,
    raw: sys::Handle,
    arguments: PhantomData<fn(A)>,
}

// SAFETY: the driver takes functions from any thread; nothing changes them once loaded.
unsafe impl<A> Send for Function<A> {}
// SAFETY: as above.
unsafe impl<A> Sync for Function<A> {}

/// A number that the driver knows of a kernel (`CUfunction_attribute`, cuda.h).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
#[non_exhaustive]
pub enum FunctionAttribute {
    /// Threads per block that its registers leave room for on this device.
    MaxThreadsPerBlock = 0,
    /// Bytes of shared memory of a block.
    SharedMemorySizeBytes = 1,
    /// Registers of a thread.
    NumRegisters = 4,
}

const DURING: &str = "asking for a kernel's properties";

impl<A> Function<A> {
    pub(crate) fn new(module: Arc<Module>, raw: sys::Handle) -> Self {
        Self { module, raw, arguments: PhantomData }
    }

    /// A number that the driver knows of it. Asking loads the code now, where the driver would do it at the first launch.
    ///
    /// # Errors
    /// [`CudaError::Driver`](crate::error::CudaError::Driver) if the driver refuses.
    pub fn get_attribute(&self, attribute: FunctionAttribute) -> CudaResult<u32> {
        self.number(|value| {
            // SAFETY: the function lives as long as `self`; the context is bound; writes one number.
            unsafe { sys::cuFuncGetAttribute(value, attribute as c_uint, self.raw) }
        })
    }

    /// Blocks of so many threads, with so many bytes of shared memory that the launch gives, which a multiprocessor holds at
    /// once.
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

    /// The fewest blocks that fill the device, and the threads of each.
    ///
    /// # Errors
    /// As [`get_attribute`](Self::get_attribute).
    pub fn suggested_launch_configuration(&self) -> CudaResult<(u32, u32)> {
        let mut threads = 0;
        let blocks = self.number(|blocks| {
            // SAFETY: as in `get_attribute`, and no function of shared memory by threads; writes two numbers.
            unsafe {
                sys::cuOccupancyMaxPotentialBlockSize(blocks, &raw mut threads, self.raw, ptr::null(), 0, 0)
            }
        })?;
        Ok((blocks, u32::try_from(threads).unwrap_or(0)))
    }

    /// Asks for a number, with the context bound.
    fn number(&self, ask: impl FnOnce(*mut c_int) -> u32) -> CudaResult<u32> {
        let _bound = self.context().bind()?;
        let mut value = 0;
        self.context().check(ask(&raw mut value), DURING)?;
        Ok(u32::try_from(value).unwrap_or(0))
    }

    /// The driver's handle.
    pub(crate) fn raw(&self) -> sys::Handle {
        self.raw
    }

    /// Whose it is.
    #[must_use]
    pub fn context(&self) -> &Arc<Context> {
        self.module.context()
    }
}

/// A stream keeps the kernels that it has launched.
impl<A> Observer for Function<A> {}
