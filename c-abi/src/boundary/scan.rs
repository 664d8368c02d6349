//! Scans.

use std::ffi::{c_char, c_void};

use super::{answer, code, opened};
use crate::device::{Array as DeviceArray, Input, Stream};
use crate::dispatch::of_operator;
use crate::failure::Failure;
use crate::host::{Array, Room};
use crate::requests::Scans;

/// Returns whether a number of `enum warpfold_scan_kind` is the exclusive scan.
fn is_exclusive(scan: i32) -> Result<bool, Failure> {
    match scan {
        0 => Ok(false),
        1 => Ok(true),
        _ => Err(Failure::invalid("no such scan: see enum warpfold_scan_kind")),
    }
}

/// Scans an array in host memory on the CPU.
///
/// # Safety
/// As `warpfold.h` says: arrays have the lengths given, in elements of the type; `out` is writable for its length and
/// overlaps no other array; `error` has `error_bytes` writable bytes or is null.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn warpfold_scan_host(
    op: i32,
    kind: i32,
    scan: i32,
    x: *const c_void,
    len: u64,
    out: *mut c_void,
    error: *mut c_char,
    error_bytes: usize,
) -> i32 {
    // SAFETY: the caller's promise.
    let (x, out) = unsafe { (Array::new(x, len), Room::new(out, len)) };
    // SAFETY: the caller's promise.
    unsafe {
        code(
            || of_operator(op, kind, Scans { x, is_exclusive: is_exclusive(scan)? }, out),
            (error, error_bytes),
        )
    }
}

/// Scans an array in device memory, in stream order.
///
/// # Safety
/// As `warpfold.h` says: `stream` is null, or open; arrays are memory that the device can read and nobody
/// writes; `out` is writable or null; `error` has `error_bytes` writable bytes or is null.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn warpfold_scan(
    stream: *const Stream,
    op: i32,
    kind: i32,
    scan: i32,
    x: *const c_void,
    len: u64,
    out: *mut *mut DeviceArray,
    error: *mut c_char,
    error_bytes: usize,
) -> i32 {
    // SAFETY: the caller's promise.
    let (stream, x) = unsafe { (opened(stream), Input::new(x.addr() as u64, len)) };
    let call = || {
        stream?
            .of_operator(op, kind, Scans { x, is_exclusive: is_exclusive(scan)? })
            .map(|array| Box::into_raw(Box::new(array)))
    };
    // SAFETY: the caller's promise.
    unsafe { answer(call, out, (error, error_bytes)) }
}
