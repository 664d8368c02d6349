//! Medians.

use std::ffi::{c_char, c_void};

use super::{answer, opened};
use crate::device::{Input, Stream};
use crate::dispatch::of_type;
use crate::host::Array;
use crate::outcome::Outcome;
use crate::requests::Median;

/// Finds the median of an array in host memory, on the CPU.
///
/// # Safety
/// As `warpfold.h` says: `x` has `len` elements of the type, `out` is writable or null, `error` has `error_bytes`
/// writable bytes or is null.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn warpfold_median_host(
    kind: i32,
    x: *const c_void,
    len: u64,
    out: *mut Outcome,
    error: *mut c_char,
    error_bytes: usize,
) -> i32 {
    // SAFETY: the caller's promise.
    let x = unsafe { Array::new(x, len) };
    // SAFETY: the caller's promise.
    unsafe { answer(|| of_type(kind, Median { x }, ()), out, (error, error_bytes)) }
}

/// Finds the median of an array in device memory, after the work of the stream.
///
/// # Safety
/// As `warpfold.h` says: `stream` is null, or open; `x` is memory that the device can read and nobody writes;
/// `out` and `error` as for [`warpfold_median_host`].
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn warpfold_median(
    stream: *const Stream,
    kind: i32,
    x: *const c_void,
    len: u64,
    out: *mut Outcome,
    error: *mut c_char,
    error_bytes: usize,
) -> i32 {
    // SAFETY: the caller's promise.
    let (stream, x) = unsafe { (opened(stream), Input::new(x.addr() as u64, len)) };
    // SAFETY: the caller's promise.
    unsafe { answer(|| stream?.of_type(kind, Median { x }), out, (error, error_bytes)) }
}
