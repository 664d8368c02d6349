//! Streams of other libraries.

use std::ffi::{c_char, c_void};

use super::{answer, close};
use crate::device::Stream;

/// Opens a handle to another library's stream.
///
/// # Safety
/// As `warpfold.h` says: `cuda_stream` is a stream until the handle is closed, `stream` is writable or null,
/// `error` has `error_bytes` writable bytes or is null.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn warpfold_stream_open(
    device: i32,
    cuda_stream: *mut c_void,
    stream: *mut *mut Stream,
    error: *mut c_char,
    error_bytes: usize,
) -> i32 {
    // SAFETY: the caller's promise.
    let open = || unsafe { Stream::open(device, cuda_stream) }.map(|opened| Box::into_raw(Box::new(opened)));
    // SAFETY: the caller's promise.
    unsafe { answer(open, stream, (error, error_bytes)) }
}

/// Closes the handle.
///
/// # Safety
/// `stream` is null, or comes from [`warpfold_stream_open`] and is not used by anybody now or later.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn warpfold_stream_close(stream: *mut Stream) {
    // SAFETY: made by `Box::into_raw` (`warpfold_stream_open`); the rest is the caller's promise.
    unsafe { close(stream) }
}
