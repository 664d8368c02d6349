//! Reductions of the rows of an array.

use std::ffi::{c_char, c_void};

use super::{answer, code, opened};
use crate::device::{Array as DeviceArray, Input, Stream};
use crate::dispatch::of_operator;
use crate::host::{Array, Room};
use crate::requests::Rows;

/// Reduces the rows of an array in host memory on the CPU.
///
/// # Safety
/// As `warpfold.h` says: arrays have the lengths given, in elements of the type; `out` is writable for its length and
/// overlaps no other array; `error` has `error_bytes` writable bytes or is null.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn warpfold_rows_host(
    op: i32,
    kind: i32,
    x: *const c_void,
    rows: u64,
    len: u64,
    out: *mut c_void,
    error: *mut c_char,
    error_bytes: usize,
) -> i32 {
    // SAFETY: the caller's promise; if the product overflows, the array refuses its length.
    let (x, out) = unsafe { (Array::new(x, rows.saturating_mul(len)), Room::new(out, rows)) };
    // SAFETY: the caller's promise.
    unsafe { code(|| of_operator(op, kind, Rows { x, shape: [rows, len] }, out), (error, error_bytes)) }
}

/// Reduces the rows of an array in device memory, in stream order.
///
/// # Safety
/// As `warpfold.h` says: `stream` is null, or open; arrays are memory that the device can read and nobody
/// writes; `out` is writable or null; `error` has `error_bytes` writable bytes or is null.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn warpfold_rows(
    stream: *const Stream,
    op: i32,
    kind: i32,
    x: *const c_void,
    rows: u64,
    len: u64,
    out: *mut *mut DeviceArray,
    error: *mut c_char,
    error_bytes: usize,
) -> i32 {
    // SAFETY: the caller's promise; if the product overflows, the array refuses its length.
    let (stream, x) = unsafe { (opened(stream), Input::new(x.addr() as u64, rows.saturating_mul(len))) };
    let call = || {
        stream?
            .of_operator(op, kind, Rows { x, shape: [rows, len] })
            .map(|array| Box::into_raw(Box::new(array)))
    };
    // SAFETY: the caller's promise.
    unsafe { answer(call, out, (error, error_bytes)) }
}
