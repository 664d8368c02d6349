//! A kernel's PTX, compiled by the driver and loaded.

use std::borrow::Cow;
use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_void};
use std::ptr;
use std::sync::Arc;

use super::{Context, raw, registers};
use crate::error::{DriverCode, Error, Version};
use crate::{Entry, tree};

/// A kernel that is ready to be launched.
#[derive(Debug)]
pub(super) struct Function {
    module: Module,
    raw: raw::Handle,
    most_threads: u32,
    resident: u32,
    registers: u32,
    may_overlap: bool,
}

#[derive(Debug)]
struct Module {
    context: Arc<Context>,
    raw: raw::Handle,
}

// SAFETY: the driver takes modules and functions from any thread; nothing changes them once loaded.
unsafe impl Send for Module {}
// SAFETY: as above.
unsafe impl Sync for Module {}
// SAFETY: as above.
unsafe impl Send for Function {}
// SAFETY: as above.
unsafe impl Sync for Function {}

/// Bytes of the compiler's log that are kept.
const LOG_BYTES: usize = 4096;

impl Function {
    /// Compiles and loads the entry's module: tens of milliseconds the first time, about one when the driver's
    /// cache (~/.nv/ComputeCache) has it. `driver` is for the message when the PTX is too new.
    ///
    /// With `overlaps`, the device and the driver can overlap launches: then the text is taken with what it marks for such
    /// devices, and the function may overlap if it waits.
    pub(super) fn load(
        context: &Arc<Context>,
        entry: Entry,
        driver: Version,
        overlaps: bool,
    ) -> Result<Self, Error> {
        let shipped = entry.ptx()?;
        let newer = overlaps.then(|| cuda_std::ptx::for_sm_90(&shipped)).flatten();
        let entry_ptx = newer.map_or(shipped, Cow::Owned);
        let failed =
            |code: DriverCode, log: String| Error::Kernel { entry: entry.name, code, log: log.into() };
        let text = |text: &str| {
            CString::new(text)
                .map_err(|_| failed(DriverCode::INVALID_PTX, "the text holds a NUL character".to_owned()))
        };
        let (name, ptx) = (text(entry.kernel)?, text(&entry_ptx)?);
        let _bound = context.bind()?;
        let (module, log) = Module::load(context, &ptx, None);
        let module = module.map_err(|error| match error {
            Error::Driver { code: DriverCode::UNSUPPORTED_PTX_VERSION, .. } => {
                Error::PtxTooNew { entry: entry.name, ptx: ptx_version(&entry_ptx), driver }
            }
            Error::Driver { code: DriverCode::OUT_OF_MEMORY, .. } => {
                Error::OutOfMemory { bytes: entry_ptx.len() as u64 }
            }
            Error::Driver { code, .. } if !code.is_sticky() => failed(code, log),
            error => error,
        })?;
        let loaded = Self::of(module, &name, overlaps && waits(&entry_ptx));
        let function = loaded.map_err(|error| match error {
            Error::Driver { code, .. } if !code.is_sticky() => failed(code, String::new()),
            error => error,
        })?;
        let Some(cap) = registers::cap(entry.name, function.registers) else {
            return Ok(function);
        };
        // With some registers less, one more block is resident. If that fails, what is loaded will do.
        match Module::load(context, &ptx, Some(cap)) {
            (Ok(module), _) => Self::of(module, &name, function.may_overlap).or(Ok(function)),
            (Err(_), _) => Ok(function),
        }
    }

    /// Finds the entry in its module, and what it needs. The context is bound.
    fn of(module: Module, name: &CStr, may_overlap: bool) -> Result<Self, Error> {
        const DURING: &str = "loading a kernel";
        let context = module.context.clone();
        let mut found = ptr::null_mut();
        // SAFETY: the module is loaded and the context bound; `name` ends in NUL; writes one handle to a local.
        let code = unsafe { raw::cuModuleGetFunction(&raw mut found, module.raw, name.as_ptr()) };
        context.check(code, DURING)?;
        let number = |ask: &dyn Fn(*mut c_int) -> u32| {
            let mut value = 0;
            context.check(ask(&raw mut value), DURING)?;
            Ok::<_, Error>(u32::try_from(value).unwrap_or(0))
        };
        // Asking for an attribute loads the code now, where the driver would do it at the first launch.
        let attribute = |which| {
            // SAFETY: the function is the one just found; writes one number to `number`'s local.
            number(&|value| unsafe { raw::cuFuncGetAttribute(value, which, found) })
        };
        let most_threads = attribute(raw::FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?;
        let registers = attribute(raw::FUNC_ATTRIBUTE_NUM_REGS)?;
        let threads = tree::THREADS as c_int;
        let resident = number(&|value| {
            // SAFETY: as above.
            unsafe { raw::cuOccupancyMaxActiveBlocksPerMultiprocessor(value, found, threads, 0) }
        })?;
        Ok(Self { module, raw: found, most_threads, resident, registers, may_overlap })
    }

    /// Threads per block that its registers leave room for on this device.
    pub(super) fn most_threads(&self) -> u32 {
        self.most_threads
    }

    /// Blocks of 256 threads that are resident on a multiprocessor at once.
    pub(super) fn resident(&self) -> u32 {
        self.resident
    }

    /// Whether a launch may start before the one before it on the stream has ended: the code waits by itself.
    pub(super) fn may_overlap(&self) -> bool {
        self.may_overlap
    }

    /// The driver's handle.
    pub(super) fn raw(&self) -> raw::Handle {
        self.raw
    }

    /// Whose it is.
    pub(super) fn context(&self) -> &Arc<Context> {
        &self.module.context
    }
}

impl Module {
    /// Loads the module, with at most `registers` per thread if given; and the compiler's log. The context is bound.
    fn load(context: &Arc<Context>, ptx: &CStr, registers: Option<u32>) -> (Result<Self, Error>, String) {
        let mut log = vec![0u8; LOG_BYTES];
        let mut names: [c_uint; 3] =
            [raw::JIT_ERROR_LOG_BUFFER, raw::JIT_ERROR_LOG_BUFFER_SIZE_BYTES, raw::JIT_MAX_REGISTERS];
        // The later values are numbers in a pointer's place: cuda.h has it so.
        let mut values: [*mut c_void; 3] = [
            log.as_mut_ptr().cast(),
            ptr::without_provenance_mut(LOG_BYTES),
            ptr::without_provenance_mut(registers.unwrap_or_default() as usize),
        ];
        let options = if registers.is_some() { 3 } else { 2 };
        let mut module = ptr::null_mut();
        // SAFETY: as many names and values as options; the buffer holds as many bytes as the second says; the text ends in
        // NUL; writes one handle to a local.
        let code = unsafe {
            let image: *const c_char = ptx.as_ptr();
            raw::cuModuleLoadDataEx(&raw mut module, image, options, names.as_mut_ptr(), values.as_mut_ptr())
        };
        let log = CStr::from_bytes_until_nul(&log).unwrap_or_default().to_string_lossy().trim().to_owned();
        let loaded = context.check(code, "loading a kernel");
        (loaded.map(|()| Self { context: context.clone(), raw: module }), log)
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        // SAFETY: loaded in this context and unloaded here alone; queues keep the functions of unfinished launches.
        self.context.release(|| unsafe { raw::cuModuleUnload(self.raw) });
    }
}

/// Whether a kernel waits by itself for the launch before it: a user's own, without `cuda_std::grid`, does not.
fn waits(ptx: &str) -> bool {
    ptx.lines().any(|line| line.trim() == "griddepcontrol.wait;")
}

/// The version in a PTX text's `.version` line; 0.0 if there is none.
fn ptx_version(ptx: &str) -> Version {
    let line = ptx.lines().find_map(|line| line.trim().strip_prefix(".version"));
    let number = |text: &str| text.trim().parse().ok();
    line.and_then(|line| line.split_once('.'))
        .and_then(|(major, minor)| Some(Version { major: number(major)?, minor: number(minor)? }))
        .unwrap_or(Version { major: 0, minor: 0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_does_not_wait_and_what_is_made_of_it_does() {
        let marked = ".version 6.3\n.target sm_75\n\t//@sm_90 griddepcontrol.wait;\n";
        assert!(!waits(marked));
        assert!(cuda_std::ptx::for_sm_90(marked).is_some_and(|newer| waits(&newer)));
    }

    #[test]
    fn the_version_of_a_ptx_text_is_found() {
        let version = |ptx| ptx_version(ptx).to_string();
        assert_eq!(version("//\n// comment .version\n.version 7.0\n.target sm_75\n"), "7.0");
        assert_eq!(version("  .version\t8.10 \n"), "8.10");
        assert_eq!(version(".version x\n"), "0.0");
        assert_eq!(version(""), "0.0");
    }
}
