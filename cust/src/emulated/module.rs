//! Modules of kernels.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};

use cuda_std::emulator::Entry;

use super::state::{Answer, Driver, Id, answer, handle};
use crate::function::{FunctionAttribute, MAX_DYNAMIC_SHARED_SIZE_BYTES};
use crate::sys::{self, Handle};

/// A module that is loaded.
pub(super) struct Module {
    text: String,
    pub(super) context: Id,
}

/// A kernel of a module. It stays when the module is unloaded, so that its use after this is found.
#[derive(Clone)]
pub(super) struct Function {
    pub(super) name: String,
    pub(super) kernel: Entry,
    pub(super) module: Id,
    /// Most bytes of dynamic shared memory of a launch.
    pub(super) most_shared: c_int,
}

impl Module {
    /// Returns whether the text waits for earlier launches, and is for devices that know how.
    pub(super) fn waits(&self) -> bool {
        self.text.lines().any(|line| line.trim() == "griddepcontrol.wait;")
            && self.text.contains(".target sm_90")
    }
}

impl Driver {
    /// Returns a function whose module is loaded.
    pub(super) fn function(&mut self, function: Handle) -> Result<Function, u32> {
        match self.functions.get(&function.addr()).cloned() {
            Some(found) if self.modules.contains_key(&found.module) => Ok(found),
            Some(_) => Err(self.fault("used a kernel that was unloaded")),
            None => Err(self.fault("used a kernel that there is not")),
        }
    }
}

pub unsafe extern "system" fn cuModuleLoadDataEx(
    module: *mut Handle,
    image: *const c_char,
    options: c_uint,
    names: *mut c_uint,
    values: *mut *mut c_void,
) -> u32 {
    answer(|driver| {
        // SAFETY: the caller's promise: the text ends in NUL, and there are `options` names and values.
        let (text, names, values) = unsafe {
            let count = options as usize;
            (CStr::from_ptr(image).to_string_lossy().into_owned(), slice(names, count), slice(values, count))
        };
        let log = check_options(driver, names, values)?;
        if text.contains(".version 99.") {
            return Err(sys::UNSUPPORTED_PTX_VERSION);
        }
        if driver.settings.capability < 9 && text.contains(".target sm_90") {
            return Err(sys::NO_BINARY_FOR_GPU);
        }
        if !text.contains(".entry") {
            const LOG: &[u8] = b"line 1: no entry\n\0";
            // SAFETY: `check_options` found a buffer of 4096 bytes.
            unsafe { log.copy_from_nonoverlapping(LOG.as_ptr(), LOG.len()) };
            return Err(sys::INVALID_PTX);
        }
        driver.may_fail("cuModuleLoadDataEx")?;
        driver.log(|| "loads a module".into());
        let (id, context) = (driver.next(), driver.current());
        driver.modules.insert(id, Module { text, context });
        // SAFETY: the caller's promise.
        unsafe { *module = handle(id) };
        Ok(())
    })
}

/// Returns the buffer for the compiler's log, if the options are those that a driver knows.
fn check_options(driver: &mut Driver, names: &[c_uint], values: &[*mut c_void]) -> Result<*mut u8, u32> {
    let known = [sys::JIT_ERROR_LOG_BUFFER, sys::JIT_ERROR_LOG_BUFFER_SIZE_BYTES];
    if !names.starts_with(&known) || values[1].addr() != 4096 {
        return Err(driver.fault("a module without a buffer of 4096 bytes for the log"));
    }
    for (&name, value) in names.iter().zip(values).skip(2) {
        let fits = match name {
            sys::JIT_MAX_REGISTERS => 16..256,
            sys::JIT_OPTIMIZATION_LEVEL => 0..5,
            _ => 0..0,
        };
        if !fits.contains(&value.addr()) {
            return Err(driver.fault("an option that there is not"));
        }
        driver.log(|| format!("option {name} is {}", value.addr()));
    }
    Ok(values[0].cast())
}

/// Returns `count` values as a slice, also if there are none.
///
/// # Safety
/// They are readable.
unsafe fn slice<'a, T>(from: *const T, count: usize) -> &'a [T] {
    // SAFETY: the caller's promise.
    if count == 0 { &[] } else { unsafe { std::slice::from_raw_parts(from, count) } }
}

pub unsafe extern "system" fn cuModuleUnload(module: Handle) -> u32 {
    answer(|driver| {
        let Some(found) = driver.modules.get(&module.addr()) else {
            return Err(driver.fault("unloaded a module that is not loaded"));
        };
        driver.is_of(found.context)?;
        driver.modules.remove(&module.addr());
        Ok(())
    })
}

pub unsafe extern "system" fn cuModuleGetFunction(
    function: *mut Handle,
    module: Handle,
    name: *const c_char,
) -> u32 {
    answer(|driver| {
        // SAFETY: the caller's promise: the name ends in NUL.
        let name = unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned();
        let Some(found) = driver.modules.get(&module.addr()) else {
            return Err(driver.fault("looked for a kernel in a module that is not loaded"));
        };
        if !found.text.lines().any(|line| entry(line) == Some(&name)) {
            return Err(sys::NOT_FOUND);
        }
        let Some(&kernel) = driver.offered.get(&name) else {
            super::state::say(&format!("the kernel `{name}` was not offered: nothing can run it"));
            return Err(sys::NOT_FOUND);
        };
        let id = driver.next();
        driver
            .functions
            .insert(id, Function { name, kernel, module: module.addr(), most_shared: UNASKED_SHARED });
        // SAFETY: the caller's promise.
        unsafe { *function = handle(id) };
        Ok(())
    })
}

/// Returns the name of the entry point that a line of PTX declares.
fn entry(line: &str) -> Option<&str> {
    let (_, rest) = line.split_once(".entry")?;
    rest.trim().split(['(', ' ']).next()
}

pub unsafe extern "system" fn cuFuncGetAttribute(
    value: *mut c_int,
    attribute: c_uint,
    function: Handle,
) -> u32 {
    answer(|driver| {
        driver.function(function)?;
        let number = match attribute {
            a if a == FunctionAttribute::MaxThreadsPerBlock as c_uint => 1024,
            a if a == FunctionAttribute::NumRegisters as c_uint => 32,
            _ => 0,
        };
        // SAFETY: the caller's promise.
        unsafe { *value = number };
        Ok(())
    })
}

/// Bytes of dynamic shared memory that a launch may have whose kernel has not asked for more.
const UNASKED_SHARED: c_int = 48 << 10;

/// Most bytes of shared memory of a block, as on an H100.
pub(super) const MOST_SHARED: c_int = 227 << 10;

pub unsafe extern "system" fn cuFuncSetAttribute(function: Handle, attribute: c_uint, value: c_int) -> u32 {
    answer(|driver| {
        driver.function(function)?;
        let function = driver.functions.get_mut(&function.addr());
        match function.filter(|_| attribute == MAX_DYNAMIC_SHARED_SIZE_BYTES && value <= MOST_SHARED) {
            Some(function) => function.most_shared = value,
            None => return Err(sys::INVALID_VALUE),
        }
        Ok(())
    })
}

/// Blocks of a multiprocessor at once, of any kernel.
const RESIDENT: c_int = 4;

pub unsafe extern "system" fn cuOccupancyMaxActiveBlocksPerMultiprocessor(
    blocks: *mut c_int,
    function: Handle,
    _threads: c_int,
    _shared_bytes: usize,
) -> u32 {
    answer(|driver| {
        driver.function(function)?;
        // SAFETY: the caller's promise.
        unsafe { *blocks = RESIDENT };
        Ok(())
    })
}

pub unsafe extern "system" fn cuOccupancyMaxPotentialBlockSize(
    blocks: *mut c_int,
    threads: *mut c_int,
    function: Handle,
    _shared_bytes_of_threads: *const c_void,
    _shared_bytes: usize,
    _most_threads: c_int,
) -> u32 {
    answer(|driver| -> Answer {
        driver.function(function)?;
        // SAFETY: the caller's promise.
        unsafe { (*blocks, *threads) = (driver.settings.multiprocessors * RESIDENT, 256) };
        Ok(())
    })
}
