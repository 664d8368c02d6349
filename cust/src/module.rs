//! Modules of PTX, compiled and loaded by the driver.

use std::ffi::{CStr, CString, c_char, c_uint, c_void};
use std::ptr;
use std::sync::Arc;

use crate::context::Context;
use crate::error::{CudaError, CudaResult, DriverCode};
use crate::function::Function;
use crate::sys;

/// A module of kernels. It stays loaded as long as this handle or one of its functions exists.
#[derive(Debug)]
pub struct Module {
    context: Arc<Context>,
    raw: sys::Handle,
}

// SAFETY: the driver takes modules from any thread; nothing changes them after loading.
unsafe impl Send for Module {}
// SAFETY: as above.
unsafe impl Sync for Module {}

/// An option of the driver's compiler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ModuleJitOption {
    /// Most registers per thread.
    MaxRegisters(u32),
    /// How much the compiler optimises.
    OptLevel(OptLevel),
}

/// How much the driver's compiler optimises, from not at all to most. The driver itself chooses the most.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)] // The names are the levels.
pub enum OptLevel {
    O0,
    O1,
    O2,
    O3,
    #[default]
    O4,
}

impl ModuleJitOption {
    /// Returns the option's number and value, as cuda.h has them.
    const fn numbers(self) -> (c_uint, usize) {
        match self {
            Self::MaxRegisters(registers) => (sys::JIT_MAX_REGISTERS, registers as usize),
            Self::OptLevel(level) => (sys::JIT_OPTIMIZATION_LEVEL, level as usize),
        }
    }
}

/// Most bytes of the compiler's log that are kept.
const LOG_BYTES: usize = 4096;

const DURING: &str = "loading a module";

impl Module {
    /// Compiles and loads PTX. Takes tens of milliseconds the first time, and about one when the driver's cache
    /// (~/.nv/ComputeCache) has the result. If an option has several values, the last one counts.
    ///
    /// # Errors
    /// [`CudaError::Module`] with the driver's code and its compiler's log, among them 222
    /// (`CUDA_ERROR_UNSUPPORTED_PTX_VERSION`) if the text is newer than the driver; [`CudaError::OutOfMemory`];
    /// [`CudaError::Driver`] if the device has stopped working.
    pub fn from_ptx(context: &Arc<Context>, ptx: &str, options: &[ModuleJitOption]) -> CudaResult<Arc<Self>> {
        let failed = |code, log: &str| CudaError::Module { code: DriverCode(code), log: log.into() };
        let text =
            CString::new(ptx).map_err(|_| failed(sys::INVALID_PTX, "the text holds a NUL character"))?;
        let mut log = vec![0u8; LOG_BYTES];
        let mut names = vec![sys::JIT_ERROR_LOG_BUFFER, sys::JIT_ERROR_LOG_BUFFER_SIZE_BYTES];
        // All values but the first are numbers in place of pointers, as cuda.h requires.
        let mut values: Vec<*mut c_void> =
            vec![log.as_mut_ptr().cast(), ptr::without_provenance_mut(LOG_BYTES)];
        for (name, value) in options.iter().map(|option| option.numbers()) {
            match names.iter().position(|known| *known == name) {
                Some(at) => values[at] = ptr::without_provenance_mut(value),
                None => {
                    names.push(name);
                    values.push(ptr::without_provenance_mut(value));
                }
            }
        }
        let mut module = ptr::null_mut();
        let _bound = context.bind()?;
        let count = names.len() as c_uint;
        // SAFETY: there are `count` names and values; the buffer has as many bytes as the second value says; the text ends
        // in NUL; writes one handle to a local.
        let code = unsafe {
            let image: *const c_char = text.as_ptr();
            sys::cuModuleLoadDataEx(&raw mut module, image, count, names.as_mut_ptr(), values.as_mut_ptr())
        };
        match context.check(code, DURING) {
            Ok(()) => Ok(Arc::new(Self { context: context.clone(), raw: module })),
            Err(CudaError::Driver { code: DriverCode(sys::OUT_OF_MEMORY), .. }) => {
                Err(CudaError::OutOfMemory { bytes: ptx.len() as u64 })
            }
            Err(CudaError::Driver { code, .. }) if !code.is_sticky() => {
                let log = CStr::from_bytes_until_nul(&log).unwrap_or_default().to_string_lossy();
                Err(failed(code.0, log.trim()))
            }
            Err(error) => Err(error),
        }
    }

    /// Returns the kernel `name`. Launches rely on `A` being its arguments.
    ///
    /// # Errors
    /// [`CudaError::Module`] with code 500 (`CUDA_ERROR_NOT_FOUND`) if the module has no such kernel.
    pub fn get_function<A>(self: &Arc<Self>, name: &str) -> CudaResult<Function<A>> {
        let missing = |log: &str| CudaError::Module { code: DriverCode(sys::NOT_FOUND), log: log.into() };
        let text = CString::new(name).map_err(|_| missing("the kernel's name holds a NUL character"))?;
        let _bound = self.context.bind()?;
        let mut found = ptr::null_mut();
        // SAFETY: the module is loaded and the context bound; `text` ends in NUL; writes one handle to a local.
        let code = unsafe { sys::cuModuleGetFunction(&raw mut found, self.raw, text.as_ptr()) };
        match self.context.check(code, DURING) {
            Err(CudaError::Driver { code: DriverCode(sys::NOT_FOUND), .. }) => {
                Err(missing(&format!("the module has no kernel `{name}`")))
            }
            answer => answer.map(|()| Function::new(self.clone(), found)),
        }
    }

    /// Returns the context in which the module is loaded.
    #[must_use]
    pub fn context(&self) -> &Arc<Context> {
        &self.context
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        // SAFETY: loaded in this context and unloaded only here; streams keep the functions of unfinished launches.
        self.context.release(|| unsafe { sys::cuModuleUnload(self.raw) });
    }
}
