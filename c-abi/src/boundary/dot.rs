//! Dot products.

use std::ffi::{c_char, c_void};

use super::{answer, opened};
use crate::device::{Input, Stream};
use crate::dispatch::of_dot;
use crate::host::Array;
use crate::outcome::Outcome;
use crate::requests::Dots;

/// Sums the products of pairs from two arrays in host memory, on the CPU.
///
/// # Safety
/// As `warpfold.h` says: `x` and `y` have `len` elements of the type, `out` is writable or null, `error` has `error_bytes`
/// writable bytes or is null.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn warpfold_dot_host(
    kind: i32,
    x: *const c_void,
    y: *const c_void,
    len: u64,
    out: *mut Outcome,
    error: *mut c_char,
    error_bytes: usize,
) -> i32 {
    // SAFETY: the caller's promise.
    let (x, y) = unsafe { (Array::new(x, len), Array::new(y, len)) };
    // SAFETY: the caller's promise.
    unsafe { answer(|| of_dot(kind, Dots { x, y }, ()), out, (error, error_bytes)) }
}

/// Sums the products of pairs from two arrays in device memory, in stream order.
///
/// # Safety
/// As `warpfold.h` says: `stream` is null, or open; `x` and `y` are memory that the device can read and nobody writes;
/// `out` and `error` as for [`warpfold_dot_host`].
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn warpfold_dot(
    stream: *const Stream,
    kind: i32,
    x: *const c_void,
    y: *const c_void,
    len: u64,
    out: *mut Outcome,
    error: *mut c_char,
    error_bytes: usize,
) -> i32 {
    // SAFETY: the caller's promise.
    let (stream, [x, y]) = unsafe { (opened(stream), [x, y].map(|x| Input::new(x.addr() as u64, len))) };
    // SAFETY: the caller's promise.
    unsafe { answer(|| stream?.of_dot(kind, Dots { x, y }), out, (error, error_bytes)) }
}
