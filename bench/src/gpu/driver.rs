//! The device of this thread, for libraries that ask the driver for it.

use std::ffi::{c_int, c_void};
use std::ptr;

use libloading::Library;

use crate::Outcome;

/// Makes the primary context of the device `ordinal` current on this thread, where a peer's CUDA runtime and NCCL find it. It stays
/// retained until the process ends.
///
/// # Errors
/// There is no such device. The driver was started by [`Cuda::open`](warpfold::Cuda::open).
pub(super) fn make_current(ordinal: usize) -> Outcome<()> {
    type Handle = *mut c_void;
    // SAFETY: the driver is loaded already; cuda.h declares the functions with these types, and a CUresult is an unsigned int. The
    // device came from cuDeviceGet, the context was retained, and both are written to locals. Cuda::open keeps the library loaded.
    let codes = unsafe {
        let library = Library::new("libcuda.so.1")?;
        let get = *library.get::<unsafe extern "C" fn(*mut c_int, c_int) -> u32>(b"cuDeviceGet\0")?;
        let retain =
            *library.get::<unsafe extern "C" fn(*mut Handle, c_int) -> u32>(b"cuDevicePrimaryCtxRetain\0")?;
        let choose = *library.get::<unsafe extern "C" fn(Handle) -> u32>(b"cuCtxSetCurrent\0")?;
        let (mut device, mut context) = (0, ptr::null_mut());
        [get(&raw mut device, c_int::try_from(ordinal)?), retain(&raw mut context, device), choose(context)]
    };
    match codes {
        [0, 0, 0] => Ok(()),
        codes => Err(format!("making device {ordinal} current: the driver answers {codes:?}").into()),
    }
}
