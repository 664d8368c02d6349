//! Reductions of whole arrays.

use std::ffi::{c_char, c_void};

use super::{answer, opened};
use crate::device::{Input, Stream};
use crate::dispatch::of_operator;
use crate::host::Array;
use crate::outcome::Outcome;
use crate::requests::Reduce;

/// Reduces an array in host memory on the CPU.
///
/// # Safety
/// As `warpfold.h` says: `x` has `len` elements of the type, `out` is writable or null, `error` has `error_bytes`
/// writable bytes or is null.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn warpfold_reduce_host(
    op: i32,
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
    unsafe { answer(|| of_operator(op, kind, Reduce { x }, ()), out, (error, error_bytes)) }
}

/// Reduces an array in device memory, in stream order.
///
/// # Safety
/// As `warpfold.h` says: `stream` is null, or open; `x` is memory that the device can read and nobody writes;
/// `out` and `error` as for [`warpfold_reduce_host`].
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn warpfold_reduce(
    stream: *const Stream,
    op: i32,
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
    unsafe { answer(|| stream?.of_operator(op, kind, Reduce { x }), out, (error, error_bytes)) }
}
