//! The functions that C calls. No panic unwinds out of them.

mod array;
mod dot;
#[cfg(fuzzing)]
mod fuzz;
mod groups;
mod histogram;
mod median;
#[cfg(test)]
#[allow(clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]
mod memory;
mod reduce;
mod rows;
mod scan;
mod sort;
mod stream;
#[cfg(test)]
#[allow(clippy::expect_used, reason = "a test fails by panicking")]
mod tests;

use std::ffi::c_char;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;

use crate::device::Stream;
use crate::failure::Failure;

/// `WARPFOLD_ABI`.
const ABI: i32 = 1;

/// Returns `WARPFOLD_ABI` of the library.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn warpfold_abi() -> i32 {
    ABI
}

/// Returns the stream of a handle.
///
/// # Safety
/// `stream` is null, or comes from `warpfold_stream_open` and is not closed during `'a`.
unsafe fn opened<'a>(stream: *const Stream) -> Result<&'a Stream, Failure> {
    // SAFETY: null or open: the caller's promise.
    let stream = unsafe { stream.as_ref() };
    stream.ok_or_else(|| Failure::invalid("`stream` is null: call warpfold_stream_open first"))
}

/// Runs `call`, writes its result to `out` or its message to the buffer, and returns the code.
///
/// # Safety
/// `out` is writable or null; the buffer is null, or writable for its length.
unsafe fn answer<R>(
    call: impl FnOnce() -> Result<R, Failure>,
    out: *mut R,
    error: (*mut c_char, usize),
) -> i32 {
    let call = || {
        if out.is_null() {
            return Err(Failure::invalid("`out` is null: there is nowhere to put the result"));
        }
        // SAFETY: not null (above), so writable: the caller's promise.
        call().map(|result| unsafe { out.write(result) })
    };
    // SAFETY: the caller's promise.
    unsafe { code(call, error) }
}

/// Runs `call`, writes its message to the buffer if it fails, and returns the code.
///
/// # Safety
/// The buffer is null, or writable for its length.
unsafe fn code(
    call: impl FnOnce() -> Result<(), Failure>,
    (error, error_bytes): (*mut c_char, usize),
) -> i32 {
    let (code, message) = match catch_unwind(AssertUnwindSafe(call)) {
        Ok(Ok(())) => (0, String::new()),
        Ok(Err(failure)) => (failure.code(), failure.message()),
        Err(panic) => {
            // The payload may itself panic when dropped, so it is not dropped.
            std::mem::forget(panic);
            (Failure::Panicked.code(), Failure::Panicked.message())
        }
    };
    if !error.is_null() && error_bytes > 0 {
        // As many whole characters as fit, and a NUL.
        let fits = |&end: &usize| message.is_char_boundary(end);
        let end = (0..=message.len().min(error_bytes - 1)).rev().find(fits).unwrap_or(0);
        // SAFETY: `end` is less than `error_bytes`, which are writable: the caller's promise. The message is ours.
        unsafe {
            ptr::copy_nonoverlapping(message.as_ptr(), error.cast::<u8>(), end);
            error.add(end).write(0);
        }
    }
    code
}

/// Drops what a handle owns.
///
/// # Safety
/// `handle` is null, or comes from `Box::into_raw` and is not used by anybody now or later.
unsafe fn close<H>(handle: *mut H) {
    if handle.is_null() {
        return;
    }
    // SAFETY: from `Box::into_raw`, and closed once: the caller's promise.
    let owned = unsafe { Box::from_raw(handle) };
    // A panic's payload may itself panic when dropped, so it is not dropped.
    let _ended = catch_unwind(AssertUnwindSafe(|| drop(owned))).map_err(std::mem::forget);
}
