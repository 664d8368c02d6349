//! Page-locked buffers through which bytes go to a device and come from it, at the full speed of the bus: the host uses one
//! while another one is copied.

use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::ptr;
use std::slice;
use std::sync::Arc;

use bytemuck::AnyBitPattern;

use super::{Memory, Region};
use crate::context::Context;
use crate::error::{CudaError, CudaResult};
use crate::mark::Mark;
use crate::stream::Stream;
use crate::sys;

/// A buffer of page-locked host memory, which knows when the last copy from it or to it has ended.
#[derive(Debug)]
pub struct LockedBuffer {
    room: Arc<Room>,
    copied: Mark,
    is_zeroed: bool,
}

/// The memory itself. Streams keep it while they copy from it, or to it.
#[derive(Debug)]
struct Room {
    context: Arc<Context>,
    host: *mut c_void,
    bytes: usize,
}

// SAFETY: the pointer is to memory that this owns alone; only the one buffer that has it reads or writes there.
unsafe impl Send for Room {}
// SAFETY: as above; nothing reads or writes the memory through a room that streams share but the device.
unsafe impl Sync for Room {}

impl LockedBuffer {
    /// Allocates `bytes`, at least one. What they hold is not defined.
    ///
    /// # Errors
    /// [`CudaError::Driver`] if the system has no memory that it would lock.
    pub fn new(context: &Arc<Context>, bytes: usize) -> CudaResult<Self> {
        Ok(Self { copied: Mark::new(context)?, room: Room::new(context, bytes.max(1))?, is_zeroed: false })
    }

    /// Allocates `bytes`, at least one, which are zero: as [`received`](Self::received) needs it.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn zeroed(context: &Arc<Context>, bytes: usize) -> CudaResult<Self> {
        let mut buffer = Self::new(context, bytes)?;
        // SAFETY: the driver has just given these bytes.
        unsafe { ptr::write_bytes(buffer.room.host.cast::<u8>(), 0, buffer.room.bytes) };
        buffer.is_zeroed = true;
        Ok(buffer)
    }

    /// Its size.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.room.bytes
    }

    /// The memory, to be filled, once the last copy has ended.
    ///
    /// # Errors
    /// [`CudaError::Poisoned`], [`CudaError::Driver`] if the wait fails.
    pub fn room(&mut self) -> CudaResult<&mut [MaybeUninit<u8>]> {
        self.copied.wait()?;
        // Whoever has the slice may write what is not initialised.
        self.is_zeroed = false;
        // SAFETY: the driver has given that many bytes; no copy uses them (waited for above), and `self` is borrowed
        // as long as the slice, so that none begins.
        Ok(unsafe { slice::from_raw_parts_mut(self.room.host.cast(), self.room.bytes) })
    }

    /// Enqueues the copy of its first `bytes` to `to`, from byte `at` on.
    ///
    /// # Errors
    /// [`CudaError::OutOfBounds`], [`CudaError::OtherDevice`], [`CudaError::Driver`].
    pub fn send(&mut self, stream: &Stream, bytes: usize, to: &Arc<Memory>, at: usize) -> CudaResult<()> {
        self.within(0, bytes)?;
        runs_now(stream)?;
        stream.keep(&self.room);
        // SAFETY: the room has that many bytes, the stream keeps it, and nobody writes there until `copied`.
        unsafe { stream.copy_in(self.room.host, bytes, to, at) }?;
        self.mark(stream)
    }

    /// Enqueues the copy of a region to its bytes from `at` on.
    ///
    /// # Errors
    /// As [`send`](Self::send).
    pub fn receive(&mut self, stream: &Stream, from: Region<'_>, at: usize) -> CudaResult<()> {
        self.within(at, from.bytes())?;
        runs_now(stream)?;
        let (address, bytes) = (from.address(), from.bytes());
        stream.keep_memory(from.memory())?;
        stream.keep(&self.room);
        stream.enqueue("copying from the device", |stream| {
            // SAFETY: the region has that many bytes and the room has place for them (above); the stream keeps both, and
            // nothing uses the room until the copy's end, which is marked, was waited for.
            unsafe { sys::cuMemcpyDtoHAsync_v2(self.room.host.wrapping_byte_add(at), address, bytes, stream) }
        })?;
        self.mark(stream)
    }

    /// The `count` values of `A` from byte `at` on, once the last copy has ended: of a buffer that was made
    /// [`zeroed`](Self::zeroed), and not filled since.
    ///
    /// # Errors
    /// [`CudaError::OutOfBounds`] if there are not so many, aligned and defined; [`CudaError::Driver`] if the wait fails.
    pub fn received<A: AnyBitPattern>(&self, at: usize, count: usize) -> CudaResult<&[A]> {
        self.within(at, count.saturating_mul(size_of::<A>()))?;
        let place = self.room.host.wrapping_byte_add(at).cast::<A>();
        if !self.is_zeroed || !place.is_aligned() {
            return Err(CudaError::OutOfBounds { range: at..at, len: 0 });
        }
        self.copied.wait()?;
        // SAFETY: within the room, aligned and initialised (above), and not written: all copies have ended, and `self` is
        // borrowed as long as the slice, so that none begins. Any bits are an `A`. The room is not null.
        Ok(unsafe { slice::from_raw_parts(place, count) })
    }

    /// Fails unless the buffer has `bytes` from `at` on.
    fn within(&self, at: usize, bytes: usize) -> CudaResult<()> {
        let end = at.saturating_add(bytes);
        if end <= self.room.bytes {
            return Ok(());
        }
        Err(CudaError::OutOfBounds { range: at..end, len: self.room.bytes })
    }

    /// Marks the end of the copy that was enqueued last.
    fn mark(&mut self, stream: &Stream) -> CudaResult<()> {
        self.copied.set(stream).inspect_err(|_| {
            // Without the mark, the end of all work is the end of the copy. What that says, the mark's error does.
            let _ = stream.wait();
        })
    }
}

/// Fails while the stream records: a graph would copy whenever it is launched, also while the host uses the buffer.
fn runs_now(stream: &Stream) -> CudaResult<()> {
    if stream.is_recording() {
        return Err(CudaError::Capturing { during: "copying by way of a page-locked buffer" });
    }
    Ok(())
}

impl Room {
    fn new(context: &Arc<Context>, bytes: usize) -> CudaResult<Arc<Self>> {
        let _bound = context.bind()?;
        let mut host = ptr::null_mut();
        // SAFETY: writes one pointer to a local; the context is bound.
        let code = unsafe { sys::cuMemHostAlloc(&raw mut host, bytes, sys::MEMHOSTALLOC_DEVICEMAP) };
        context.check(code, "allocating page-locked host memory")?;
        Ok(Arc::new(Self { context: context.clone(), host, bytes }))
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        // SAFETY: allocated in this context and freed here alone. No stream copies from it or to it: one that did would keep
        // it.
        self.context.release(|| unsafe { sys::cuMemFreeHost(self.host) });
    }
}

impl Stream {
    /// Enstreams the copy of host memory to `to`, from byte `at` on.
    ///
    /// # Safety
    /// `from` has that many readable bytes until the copy has ended.
    pub(crate) unsafe fn copy_in(
        &self,
        from: *const c_void,
        bytes: usize,
        to: &Arc<Memory>,
        at: usize,
    ) -> CudaResult<()> {
        let address = to.region(at, bytes)?.address();
        self.keep_memory(to)?;
        self.enqueue("copying to the device", |stream| {
            // SAFETY: the region has that many bytes (above) and the stream keeps them; `from` is the caller's promise.
            unsafe { sys::cuMemcpyHtoDAsync_v2(address, from, bytes, stream) }
        })
    }
}
