//! Host memory that belongs to someone else, copied from where it lies: possible at full speed where it is page-locked,
//! and sound because the borrow does not end before the copies have.

use std::ops::Range;
use std::sync::Arc;

use super::Memory;
use crate::context::Context;
use crate::error::{CudaError, CudaResult};
use crate::stream::Stream;
use crate::sys;

/// Bytes that streams may copy from while [`Lent::to`] lasts.
#[derive(Debug)]
pub struct Lent<'a> {
    bytes: &'a [u8],
    streams: &'a [&'a Stream],
}

/// Waits for all of the streams when dropped.
struct End<'a>(&'a [&'a Stream]);

impl Drop for End<'_> {
    fn drop(&mut self) {
        for stream in self.0 {
            // A device that fails here has failed whoever asked it for a result.
            let _ = stream.wait();
        }
    }
}

impl<'a> Lent<'a> {
    /// Has `body` enqueue copies of `bytes` on `streams`, and waits for all work there: also where `body` fails, or
    /// panics.
    pub fn to<R>(bytes: &[u8], streams: &[&Stream], body: impl FnOnce(&Lent<'_>) -> R) -> R {
        let _end = End(streams);
        body(&Lent { bytes, streams })
    }

    /// The bytes.
    #[must_use]
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Enqueues, on the stream with number `which`, the copy of some of the bytes to `to`, from byte `at` on.
    ///
    /// # Errors
    /// [`CudaError::OutOfBounds`], [`CudaError::OtherDevice`]; [`CudaError::Capturing`] while the stream records a graph, which
    /// would outlive the borrow.
    pub fn send(&self, which: usize, range: Range<usize>, to: &Arc<Memory>, at: usize) -> CudaResult<()> {
        let (Some(stream), Some(from)) = (self.streams.get(which), self.bytes.get(range.clone())) else {
            return Err(CudaError::OutOfBounds { range, len: self.bytes.len() });
        };
        if stream.is_recording() {
            return Err(CudaError::Capturing { during: "copying borrowed memory" });
        }
        // SAFETY: `from` is borrowed for longer than `Lent::to` runs, which waits for this stream before it returns.
        unsafe { stream.copy_in(from.as_ptr().cast(), from.len(), to, at) }
    }
}

/// Whether all of `bytes` is page-locked memory that the driver knows of, so that it needs no staging. What the driver
/// does not answer is a no.
///
/// # Errors
/// [`CudaError::Poisoned`], [`CudaError::Forked`].
pub fn is_page_locked(context: &Context, bytes: &[u8]) -> CudaResult<bool> {
    let Some(last) = bytes.last() else { return Ok(false) };
    let _bound = context.bind()?;
    let (first, last) = (bytes.as_ptr() as u64, std::ptr::from_ref(last) as u64);
    let host = |at| {
        ask::<u32>(sys::POINTER_ATTRIBUTE_MEMORY_TYPE, at) == Some(sys::MEMORYTYPE_HOST)
            && ask::<u32>(sys::POINTER_ATTRIBUTE_IS_MANAGED, at).is_none_or(|managed| managed & 0xff == 0)
    };
    if !host(first) || !host(last) {
        return Ok(false);
    }
    // Two neighbours that were locked one by one cannot be copied from at once.
    let start = ask::<u64>(sys::POINTER_ATTRIBUTE_RANGE_START_ADDR, first);
    Ok(start.is_none_or(|start| ask::<u64>(sys::POINTER_ATTRIBUTE_RANGE_START_ADDR, last) == Some(start)))
}

/// An attribute of the memory at an address: 0 if the driver does not know it. `A` is its type in cuda.h; the context is
/// bound. The plural of the driver's two calls, because of ordinary memory it is not an error for that one to be asked.
fn ask<A: Default + bytemuck::Pod>(mut attribute: u32, at: sys::Address) -> Option<A> {
    let mut answer = A::default();
    let mut place: *mut std::ffi::c_void = (&raw mut answer).cast();
    // SAFETY: one attribute, whose answer of its type, which is plain data, is written to a local. Any address may be
    // asked about.
    let code = unsafe { sys::cuPointerGetAttributes(1, &raw mut attribute, &raw mut place, at) };
    (code == sys::SUCCESS).then_some(answer)
}
