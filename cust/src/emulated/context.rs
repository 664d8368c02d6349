//! Devices and their contexts.

use std::ffi::{c_char, c_int, c_uint};

use super::module::MOST_SHARED;
use super::state::{self, CONTEXTS, Id, answer, answer_anywhere, handle};
use crate::device::DeviceAttribute;
use crate::sys::{self, Handle};

/// The number of the first device. It is not 0, so that numbers and ordinals differ.
const FIRST: c_int = 7;

/// The context of the first device.
const FIRST_CONTEXT: Id = 0x1000;

/// Bytes of a device's memory.
pub(super) const BYTES: usize = 1 << 30;

/// Returns the ordinal of the device of a context.
pub(super) fn device_of(context: Id) -> Option<usize> {
    context.checked_sub(FIRST_CONTEXT).filter(|&ordinal| ordinal < 64)
}

/// Returns the ordinal of device number `device`.
fn ordinal(device: c_int) -> Result<usize, u32> {
    let ordinal = usize::try_from(device - FIRST).ok();
    ordinal.filter(|&ordinal| ordinal < devices()).ok_or(sys::INVALID_DEVICE)
}

fn devices() -> usize {
    state::with(|driver| driver.settings.devices)
}

pub unsafe extern "system" fn cuInit(flags: c_uint) -> u32 {
    if flags == 0 { sys::SUCCESS } else { sys::INVALID_VALUE }
}

pub unsafe extern "system" fn cuDriverGetVersion(version: *mut c_int) -> u32 {
    let number = state::with(|driver| driver.settings.version);
    // SAFETY: the caller's promise.
    unsafe { *version = number };
    sys::SUCCESS
}

pub unsafe extern "system" fn cuDeviceGetCount(count: *mut c_int) -> u32 {
    // SAFETY: the caller's promise.
    unsafe { *count = devices() as c_int };
    sys::SUCCESS
}

pub unsafe extern "system" fn cuDeviceGet(device: *mut c_int, ordinal: c_int) -> u32 {
    let is_there = usize::try_from(ordinal).is_ok_and(|ordinal| ordinal < devices());
    // SAFETY: the caller's promise.
    unsafe { *device = FIRST + ordinal };
    if is_there { sys::SUCCESS } else { sys::INVALID_DEVICE }
}

pub unsafe extern "system" fn cuDeviceGetName(name: *mut c_char, bytes: c_int, device: c_int) -> u32 {
    let text = format!("emulated {device} (no GPU)");
    let most = usize::try_from(bytes).unwrap_or(0).saturating_sub(1);
    for (at, byte) in text.bytes().take(most).chain([0]).enumerate() {
        // SAFETY: the caller's promise: `name` has room for `bytes` bytes.
        unsafe { name.add(at).write(byte as c_char) };
    }
    ordinal(device).map_or_else(|code| code, |_| sys::SUCCESS)
}

pub unsafe extern "system" fn cuDeviceTotalMem_v2(bytes: *mut usize, device: c_int) -> u32 {
    // SAFETY: the caller's promise.
    unsafe { *bytes = BYTES };
    ordinal(device).map_or_else(|code| code, |_| sys::SUCCESS)
}

pub unsafe extern "system" fn cuDeviceGetAttribute(
    value: *mut c_int,
    attribute: c_uint,
    device: c_int,
) -> u32 {
    let number = state::with(|driver| match attribute {
        a if a == DeviceAttribute::ComputeCapabilityMajor as c_uint => driver.settings.capability,
        a if a == DeviceAttribute::ComputeCapabilityMinor as c_uint => 0,
        a if a == DeviceAttribute::MultiprocessorCount as c_uint => driver.settings.multiprocessors,
        a if a == DeviceAttribute::MaxThreadsPerMultiprocessor as c_uint => 2048,
        a if a == DeviceAttribute::MaxSharedMemoryPerBlockOptin as c_uint => MOST_SHARED,
        _ => 1,
    });
    // SAFETY: the caller's promise.
    unsafe { *value = number };
    ordinal(device).map_or_else(|code| code, |_| sys::SUCCESS)
}

pub unsafe extern "system" fn cuGetErrorName(_code: u32, _name: *mut *const c_char) -> u32 {
    sys::NOT_FOUND
}

pub unsafe extern "system" fn cuDevicePrimaryCtxRetain(context: *mut Handle, device: c_int) -> u32 {
    let ordinal = match ordinal(device) {
        Ok(ordinal) => ordinal,
        Err(code) => return code,
    };
    // SAFETY: the caller's promise.
    unsafe { *context = handle(FIRST_CONTEXT + ordinal) };
    answer_anywhere(|driver| {
        driver.retained += 1;
        Ok(())
    })
}

pub unsafe extern "system" fn cuDevicePrimaryCtxRelease_v2(device: c_int) -> u32 {
    answer_anywhere(|driver| {
        driver.retained = driver.retained.saturating_sub(1);
        if (device - FIRST) < 0 { Err(sys::INVALID_DEVICE) } else { Ok(()) }
    })
}

pub unsafe extern "system" fn cuCtxGetCurrent(context: *mut Handle) -> u32 {
    answer_anywhere(|driver| {
        // SAFETY: the caller's promise.
        unsafe { *context = handle(driver.current()) };
        Ok(())
    })
}

pub unsafe extern "system" fn cuCtxPushCurrent_v2(context: Handle) -> u32 {
    answer_anywhere(|_| {
        CONTEXTS.with_borrow_mut(|contexts| contexts.push(context.addr()));
        Ok(())
    })
}

pub unsafe extern "system" fn cuCtxPopCurrent_v2(context: *mut Handle) -> u32 {
    answer_anywhere(|driver| match CONTEXTS.with_borrow_mut(Vec::pop) {
        Some(popped) => {
            // SAFETY: the caller's promise.
            unsafe { *context = handle(popped) };
            Ok(())
        }
        None => Err(driver.fault("popped too often")),
    })
}

pub unsafe extern "system" fn cuCtxSynchronize() -> u32 {
    let entered = answer(|driver| {
        driver.may_fail("cuCtxSynchronize")?;
        match driver.streams.values().any(|stream| stream.is_capturing()) {
            true => Err(sys::STREAM_CAPTURE_UNSUPPORTED),
            false => Ok(()),
        }
    });
    if entered != sys::SUCCESS {
        return entered;
    }
    // Not the default streams of other threads, which nobody here can reach: their threads run them.
    let all: Vec<Id> = state::with(|driver| {
        driver.streams.iter().filter(|(_, stream)| !stream.is_of_thread).map(|(&id, _)| id).collect()
    });
    let waited = all.into_iter().try_for_each(super::work::finish);
    waited.err().unwrap_or(sys::SUCCESS)
}
