//! Histograms.

use std::ffi::{c_char, c_void};

use super::{answer, code, opened};
use crate::device::{Array as DeviceArray, Input, Stream};
use crate::dispatch::of_type;
use crate::failure::Failure;
use crate::host::{Array, Room};
use crate::requests::Histogram;

/// Stores the numbers of elements below and above the bins, and NaN.
///
/// # Safety
/// `outside` is writable or null.
unsafe fn store(found: [u64; 3], outside: *mut [u64; 3]) -> Result<(), Failure> {
    if outside.is_null() {
        return Err(Failure::invalid(
            "`outside` is null: there is nowhere to put the counts beside the bins",
        ));
    }
    // SAFETY: not null (above), so writable: the caller's promise.
    unsafe { outside.write(found) };
    Ok(())
}

/// Counts the elements of an array in host memory by bins, on the CPU.
///
/// # Safety
/// As `warpfold.h` says: `x` has `len` elements of the type, and `edges` has `bins + 1`; `out` is writable for `bins` counts and
/// overlaps no other array; `outside` is writable or null; `error` has `error_bytes` writable bytes or is null.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn warpfold_histogram_host(
    kind: i32,
    edges: *const c_void,
    bins: u64,
    x: *const c_void,
    len: u64,
    out: *mut u64,
    outside: *mut [u64; 3],
    error: *mut c_char,
    error_bytes: usize,
) -> i32 {
    // SAFETY: the caller's promise.
    let (edges, x, out) = unsafe {
        (Array::new(edges, bins.saturating_add(1)), Array::new(x, len), Room::new(out.cast(), bins))
    };
    // SAFETY: the caller's promise.
    let call = || unsafe { store(of_type(kind, Histogram { x, edges }, out)?, outside) };
    // SAFETY: the caller's promise.
    unsafe { code(call, (error, error_bytes)) }
}

/// Counts the elements of an array in device memory by bins, in stream order.
///
/// # Safety
/// As `warpfold.h` says: `stream` is null, or open; `edges` has `bins + 1` elements of the type in host memory; `x` is memory that the
/// device can read and nobody writes; `out` and `outside` are writable or null; `error` has `error_bytes` writable bytes or is null.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn warpfold_histogram(
    stream: *const Stream,
    kind: i32,
    edges: *const c_void,
    bins: u64,
    x: *const c_void,
    len: u64,
    out: *mut *mut DeviceArray,
    outside: *mut [u64; 3],
    error: *mut c_char,
    error_bytes: usize,
) -> i32 {
    // SAFETY: the caller's promise.
    let (stream, edges, x) = unsafe {
        (opened(stream), Array::new(edges, bins.saturating_add(1)), Input::new(x.addr() as u64, len))
    };
    let call = || {
        let (counts, found) = stream?.of_type(kind, Histogram { x, edges })?;
        // SAFETY: the caller's promise.
        unsafe { store(found, outside) }?;
        Ok(Box::into_raw(Box::new(counts)))
    };
    // SAFETY: the caller's promise.
    unsafe { answer(call, out, (error, error_bytes)) }
}
