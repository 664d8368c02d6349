//! Results in device memory.

use std::ffi::c_void;

use super::close;
use crate::device::Array;

/// Returns the address of the results.
///
/// # Safety
/// `array` is null, or not yet freed.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn warpfold_array_data(array: *const Array) -> *const c_void {
    // SAFETY: the caller's promise.
    let address = unsafe { array.as_ref() }.map_or(0, Array::address);
    std::ptr::without_provenance(address as usize)
}

/// Returns the number of results.
///
/// # Safety
/// `array` is null, or not yet freed.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn warpfold_array_len(array: *const Array) -> u64 {
    // SAFETY: the caller's promise.
    unsafe { array.as_ref() }.map_or(0, Array::len)
}

/// Frees the results.
///
/// # Safety
/// `array` is null, or comes from this library and is not used by anybody now or later.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn warpfold_array_free(array: *mut Array) {
    // SAFETY: made by `Box::into_raw` (in the operations); the rest is the caller's promise.
    unsafe { close(array) }
}
