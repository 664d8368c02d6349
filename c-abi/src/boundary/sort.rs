//! Sorts.

use std::ffi::{c_char, c_void};

use warpfold::Order;

use super::{answer, code, opened};
use crate::device::{Array as DeviceArray, Input, Stream};
use crate::dispatch::of_type;
use crate::failure::Failure;
use crate::host::{Array, Room};
use crate::requests::{Argsort, Sort};

/// Returns the order for a number of `enum warpfold_order`.
fn order_of(order: i32) -> Result<Order, Failure> {
    match order {
        0 => Ok(Order::Ascending),
        1 => Ok(Order::Descending),
        _ => Err(Failure::invalid("no such order: see enum warpfold_order")),
    }
}

/// Sorts an array in host memory on the CPU.
///
/// # Safety
/// As `warpfold.h` says: arrays have the lengths given, in elements of the type; `out` is writable for its length and
/// overlaps no other array; `error` has `error_bytes` writable bytes or is null.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn warpfold_sort_host(
    kind: i32,
    order: i32,
    x: *const c_void,
    len: u64,
    out: *mut c_void,
    error: *mut c_char,
    error_bytes: usize,
) -> i32 {
    // SAFETY: the caller's promise.
    let (x, out) = unsafe { (Array::new(x, len), Room::new(out, len)) };
    // SAFETY: the caller's promise.
    unsafe { code(|| of_type(kind, Sort { x, order: order_of(order)? }, out), (error, error_bytes)) }
}

/// Sorts an array in device memory, in stream order.
///
/// # Safety
/// As `warpfold.h` says: `stream` is null, or open; arrays are memory that the device can read and nobody
/// writes; `out` is writable or null; `error` has `error_bytes` writable bytes or is null.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn warpfold_sort(
    stream: *const Stream,
    kind: i32,
    order: i32,
    x: *const c_void,
    len: u64,
    out: *mut *mut DeviceArray,
    error: *mut c_char,
    error_bytes: usize,
) -> i32 {
    // SAFETY: the caller's promise.
    let (stream, x) = unsafe { (opened(stream), Input::new(x.addr() as u64, len)) };
    let call = || {
        stream?.of_type(kind, Sort { x, order: order_of(order)? }).map(|array| Box::into_raw(Box::new(array)))
    };
    // SAFETY: the caller's promise.
    unsafe { answer(call, out, (error, error_bytes)) }
}

/// Writes the indices that sort an array in host memory, on the CPU.
///
/// # Safety
/// As `warpfold.h` says: arrays have the lengths given, in elements of the type; `out` is writable for its length and
/// overlaps no other array; `error` has `error_bytes` writable bytes or is null.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn warpfold_argsort_host(
    kind: i32,
    order: i32,
    x: *const c_void,
    len: u64,
    out: *mut c_void,
    error: *mut c_char,
    error_bytes: usize,
) -> i32 {
    // SAFETY: the caller's promise.
    let (x, out) = unsafe { (Array::new(x, len), Room::new(out, len)) };
    // SAFETY: the caller's promise.
    unsafe { code(|| of_type(kind, Argsort { x, order: order_of(order)? }, out), (error, error_bytes)) }
}

/// Writes the indices that sort an array in device memory, in stream order.
///
/// # Safety
/// As `warpfold.h` says: `stream` is null, or open; arrays are memory that the device can read and nobody
/// writes; `out` is writable or null; `error` has `error_bytes` writable bytes or is null.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn warpfold_argsort(
    stream: *const Stream,
    kind: i32,
    order: i32,
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
            .of_type(kind, Argsort { x, order: order_of(order)? })
            .map(|array| Box::into_raw(Box::new(array)))
    };
    // SAFETY: the caller's promise.
    unsafe { answer(call, out, (error, error_bytes)) }
}
