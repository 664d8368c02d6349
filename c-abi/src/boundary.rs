//! The functions that C calls. Nothing unwinds out of them.

use std::ffi::{c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;

use crate::device::Stream;
use crate::dispatch::{self, HostArray};
use crate::failure::Failure;
use crate::outcome::Outcome;

/// `WARPFOLD_ABI`.
const ABI: i32 = 1;

/// `WARPFOLD_ABI` of the library.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn warpfold_abi() -> i32 {
    ABI
}

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
    let call = || {
        // SAFETY: the caller's promise.
        let array = unsafe { HostArray::new(x, len) };
        dispatch::reduce(op, kind, &array)
    };
    // SAFETY: the caller's promise.
    unsafe { answer(call, out, (error, error_bytes)) }
}

/// Makes another library's stream ready.
///
/// # Safety
/// As `warpfold.h` says: `cuda_stream` is a stream until the answer is closed, `stream` is writable or null, `error` as
/// for [`warpfold_reduce_host`].
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn warpfold_stream_open(
    device: i32,
    cuda_stream: *mut c_void,
    stream: *mut *mut Stream,
    error: *mut c_char,
    error_bytes: usize,
) -> i32 {
    // Before it is made: what could not be handed over would be closed at once.
    let is_null = stream.is_null();
    let call = || {
        if is_null {
            return Err(Failure::invalid("`stream` is null: there is nowhere to put it"));
        }
        // SAFETY: the caller's promise.
        unsafe { Stream::open(device, cuda_stream) }.map(|opened| Box::into_raw(Box::new(opened)))
    };
    // SAFETY: the caller's promise.
    unsafe { answer(call, stream, (error, error_bytes)) }
}

/// Gives the stream back.
///
/// # Safety
/// `stream` is null, or comes from [`warpfold_stream_open`] and is used by nobody now or later.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn warpfold_stream_close(stream: *mut Stream) {
    if stream.is_null() {
        return;
    }
    // SAFETY: made by `Box::into_raw`, and given back once: the caller's promise.
    let stream = unsafe { Box::from_raw(stream) };
    // What a panic carries may panic itself when dropped: it is not.
    let _ended = catch_unwind(AssertUnwindSafe(|| drop(stream))).map_err(std::mem::forget);
}

/// Reduces an array in device memory, in the order of the stream.
///
/// # Safety
/// As `warpfold.h` says: `stream` is null, or open; `x` is memory that the device reads and nobody writes; `out` and
/// `error` as for [`warpfold_reduce_host`].
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
    let call = || {
        // SAFETY: null or open: the caller's promise.
        let stream = unsafe { stream.as_ref() };
        let stream =
            stream.ok_or_else(|| Failure::invalid("`stream` is null: call warpfold_stream_open first"))?;
        // SAFETY: the caller's promise.
        unsafe { stream.reduce(op, kind, x.addr() as u64, len) }
    };
    // SAFETY: the caller's promise.
    unsafe { answer(call, out, (error, error_bytes)) }
}

/// Writes what `call` gives to `out`, or its message to the buffer, and gives the code.
///
/// # Safety
/// `out` is writable or null, and so are as many bytes of the buffer.
unsafe fn answer<R>(
    call: impl FnOnce() -> Result<R, Failure>,
    out: *mut R,
    (error, error_bytes): (*mut c_char, usize),
) -> i32 {
    let called = catch_unwind(AssertUnwindSafe(|| {
        if out.is_null() {
            return Err(Failure::invalid("`out` is null: there is nowhere to put the result"));
        }
        call()
    }));
    let (code, message) = match called.unwrap_or_else(|panic| {
        // What it carries may panic itself when dropped.
        std::mem::forget(panic);
        Err(Failure::panicked())
    }) {
        Ok(result) => {
            // SAFETY: not null (above), so writable: the caller's promise.
            unsafe { out.write(result) };
            (0, String::new())
        }
        Err(failure) => (failure.code(), failure.message()),
    };
    if !error.is_null() && error_bytes > 0 {
        // As much as fits, of whole characters, and a NUL.
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

#[cfg(test)]
#[allow(clippy::expect_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;
    use std::ffi::CStr;

    /// The code, the result and the message of a reduction on the host.
    fn reduce<T>(op: i32, kind: i32, x: *const T, len: u64, error_bytes: usize) -> (i32, Outcome, String) {
        let (mut out, mut error) = (Outcome::default(), [b'#'; 200]);
        // SAFETY: the arrays below are as long as they say, or not looked into; the rest is writable.
        let code = unsafe {
            let error = error.as_mut_ptr().cast();
            warpfold_reduce_host(op, kind, x.cast(), len, &raw mut out, error, error_bytes)
        };
        assert!(error[error_bytes..].iter().all(|&byte| byte == b'#'), "written past the end");
        let text = CStr::from_bytes_until_nul(&error[..error_bytes]).unwrap_or_default();
        (code, out, text.to_string_lossy().into_owned())
    }

    #[test]
    fn results_are_what_the_header_says() {
        let x = [3.0f32, f32::NAN, -1.0, -1.0];
        let of = |op| reduce(op, 4, x.as_ptr(), 4, 200);
        let value = |value: f32, index| Outcome { bits: value.to_bits().into(), index, kind: 4, present: 1 };
        assert_eq!(of(2), (0, value(-1.0, 0), String::new()));
        assert_eq!(of(6), (0, value(-1.0, 2), String::new()));
        assert_eq!(of(0).1, value(f32::from_bits(0x7fc0_0000), 0));
        assert_eq!(reduce::<f32>(6, 4, ptr::null(), 0, 200), (0, Outcome::default(), String::new()));
        let x = [i32::MIN, i32::MIN, 5];
        let sum = Outcome { bits: (2 * i64::from(i32::MIN) + 5) as u64, index: 0, kind: 2, present: 1 };
        assert_eq!(reduce(0, 0, x.as_ptr(), 3, 200), (0, sum, String::new()));
    }

    #[test]
    fn what_is_wrong_is_said_and_nothing_is_written_past_the_buffer() {
        let x = [1i64, 2, 3];
        for (op, kind, at, len, part) in [
            (8, 2, x.as_ptr(), 3, "no such operator"),
            (-1, 2, x.as_ptr(), 3, "no such operator"),
            (0, 6, x.as_ptr(), 3, "no such type"),
            (0, 2, ptr::null(), 3, "null"),
            (0, 2, x.as_ptr().wrapping_byte_add(4), 2, "not aligned"),
            (0, 2, x.as_ptr(), u64::MAX / 8, "more bytes"),
        ] {
            let (code, out, text) = reduce(op, kind, at, len, 200);
            assert_eq!((code, out), (1, Outcome::default()));
            assert!(text.contains(part), "{text}");
            for bytes in 0..20 {
                let (_, _, short) = reduce(op, kind, at, len, bytes);
                assert_eq!(short, text[..bytes.saturating_sub(1)]);
            }
        }
        // SAFETY: null for everything is allowed.
        unsafe {
            let (no_result, no_error) = (ptr::null_mut(), ptr::null_mut());
            assert_eq!(warpfold_reduce_host(0, 2, x.as_ptr().cast(), 3, no_result, no_error, 0), 1);
            assert_eq!(warpfold_stream_open(0, ptr::null_mut(), ptr::null_mut(), no_error, 9), 1);
            let mut out = Outcome::default();
            assert_eq!(warpfold_reduce(ptr::null(), 0, 2, ptr::null(), 3, &raw mut out, no_error, 0), 1);
            warpfold_stream_close(ptr::null_mut());
        }
    }

    #[test]
    fn a_panic_does_not_leave_the_library() {
        let mut out = 0u8;
        // SAFETY: `out` is writable, and there is no buffer.
        let code =
            unsafe { answer(|| std::panic::resume_unwind(Box::new(7)), &raw mut out, (ptr::null_mut(), 0)) };
        assert_eq!(code, 8);
    }
}
