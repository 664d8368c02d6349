//! Borrowed host memory, copied in place: at full speed if it is page-locked, and sound because the borrow does not end
//! before the copies have.

use std::cell::RefCell;
use std::ops::Range;
use std::sync::Arc;

use super::Memory;
use crate::context::Context;
use crate::error::{CudaError, CudaResult};
use crate::mark::Mark;
use crate::stream::Stream;
use crate::sys;

/// Bytes from which streams may copy until [`Lent::to`] returns.
#[derive(Debug)]
pub struct Lent<'a> {
    bytes: &'a [u8],
    streams: &'a [&'a Stream],
    copies: &'a RefCell<Vec<Copies>>,
}

/// The copies of a stream.
#[derive(Debug)]
struct Copies {
    /// The number of the stream.
    which: usize,
    /// The end of the last one, if it is `marked`.
    end: Mark,
    marked: bool,
}

/// Waits for all of the streams when dropped.
struct End<'a> {
    streams: &'a [&'a Stream],
    copies: RefCell<Vec<Copies>>,
}

impl Drop for End<'_> {
    fn drop(&mut self) {
        let copies = self.copies.get_mut();
        for (which, stream) in self.streams.iter().enumerate() {
            // The caller gets errors with the result. Here they matter where the bytes may still be copied: a stream that has
            // begun to record cannot be waited for, but what it was to do before can.
            if let Err(error) = stream.wait()
                && stream.is_busy()
                && let Some(copies) = copies.iter().find(|copies| copies.which == which)
                && !(copies.marked && copies.end.wait().is_ok())
            {
                stream.context().outlast(&error);
            }
        }
    }
}

impl<'a> Lent<'a> {
    /// Calls `body`, which enqueues copies of `bytes` on `streams`, and waits for all their work, also if `body` fails
    /// or panics. If a wait fails, it waits for the copies alone, and if that fails too, for the device: the borrow never ends
    /// before the copies unless the context is dead.
    pub fn to<R>(bytes: &[u8], streams: &[&Stream], body: impl FnOnce(&Lent<'_>) -> R) -> R {
        let end = End { streams, copies: RefCell::default() };
        body(&Lent { bytes, streams, copies: &end.copies })
    }

    /// Returns the bytes.
    #[must_use]
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Enqueues, on stream number `which`, the copy of a range of the bytes to `to`, from byte `at` on.
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
        let mut all = self.copies.borrow_mut();
        let copies = match all.iter_mut().position(|copies| copies.which == which) {
            Some(place) => &mut all[place],
            None => {
                all.push(Copies { which, end: Mark::new(stream.context())?, marked: false });
                let last = all.len() - 1;
                &mut all[last]
            }
        };
        copies.marked = false;
        // SAFETY: `from` is borrowed for longer than `Lent::to` runs. That waits for this stream, for the mark of its last copy or
        // for the device before it returns.
        unsafe { stream.copy_in(from.as_ptr().cast(), from.len(), to, at) }?;
        copies.end.set(stream)?;
        copies.marked = true;
        Ok(())
    }
}

/// Returns whether all of `bytes` is page-locked memory known to the driver. Such memory needs no staging. Returns
/// false if the driver does not answer.
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
    // Adjacent ranges that were locked separately cannot be copied by one call.
    let start = ask::<u64>(sys::POINTER_ATTRIBUTE_RANGE_START_ADDR, first);
    Ok(start.is_none_or(|start| ask::<u64>(sys::POINTER_ATTRIBUTE_RANGE_START_ADDR, last) == Some(start)))
}

/// Returns an attribute of the memory at an address, or 0 if the driver does not know the memory. `A` is the
/// attribute's type in cuda.h. The caller has bound the context. Uses the driver's plural call, because the singular
/// one fails for ordinary memory.
fn ask<A: Default + bytemuck::Pod>(mut attribute: u32, at: sys::Address) -> Option<A> {
    let mut answer = A::default();
    let mut place: *mut std::ffi::c_void = (&raw mut answer).cast();
    // SAFETY: the driver writes one attribute to a local of its type, which is plain data, and takes any address.
    let code = unsafe { sys::cuPointerGetAttributes(1, &raw mut attribute, &raw mut place, at) };
    (code == sys::SUCCESS).then_some(answer)
}
