//! Page-locked buffers for copies to and from a device at the full speed of the bus: the host uses one while another is
//! copied.

use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::ptr;
use std::slice;
use std::sync::Arc;

use bytemuck::AnyBitPattern;

use super::{Memory, Region};
use crate::context::Context;
use crate::error::{CudaError, CudaResult};
use crate::handle::StreamHandle;
use crate::mark::Mark;
use crate::stream::Stream;
use crate::sys;

/// A buffer of page-locked host memory that knows when its copies have ended. Those that have not are all on one stream: a copy
/// on another one is enqueued when they have.
#[derive(Debug)]
pub struct LockedBuffer {
    room: Arc<Room>,
    /// The stream of the copies that may not have ended.
    stream: Option<Arc<StreamHandle>>,
    /// The end of the last copy, if it is marked.
    copied: Mark,
    is_marked: bool,
    is_zeroed: bool,
}

/// The memory of a buffer. Streams keep it while they copy from or to it.
#[derive(Debug)]
struct Room {
    context: Arc<Context>,
    host: *mut c_void,
    bytes: usize,
}

// SAFETY: `Room` alone owns the memory; only its one buffer reads or writes there.
unsafe impl Send for Room {}
// SAFETY: as above; through a room that streams share, only the device accesses the memory.
unsafe impl Sync for Room {}

impl LockedBuffer {
    /// Allocates `bytes` bytes, at least one, with unspecified contents.
    ///
    /// # Errors
    /// [`CudaError::Driver`] if the system cannot lock enough memory.
    pub fn new(context: &Arc<Context>, bytes: usize) -> CudaResult<Self> {
        let (copied, room) = (Mark::new(context)?, Room::new(context, bytes.max(1))?);
        Ok(Self { room, stream: None, copied, is_marked: true, is_zeroed: false })
    }

    /// Allocates `bytes` zeroed bytes, at least one, as [`received`](Self::received) needs them.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn zeroed(context: &Arc<Context>, bytes: usize) -> CudaResult<Self> {
        let mut buffer = Self::new(context, bytes)?;
        // SAFETY: the driver has just allocated these bytes.
        unsafe { ptr::write_bytes(buffer.room.host.cast::<u8>(), 0, buffer.room.bytes) };
        buffer.is_zeroed = true;
        Ok(buffer)
    }

    /// Returns the size in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.room.bytes
    }

    /// Waits until all copies have ended, and returns the memory, to be filled.
    ///
    /// # Errors
    /// [`CudaError::Poisoned`], [`CudaError::Driver`] if the wait fails.
    pub fn room(&mut self) -> CudaResult<&mut [MaybeUninit<u8>]> {
        self.settle()?;
        self.stream = None;
        // The caller may write uninitialized bytes to the slice.
        self.is_zeroed = false;
        // SAFETY: the driver allocated that many bytes. No copy uses them: all have ended, and none begins while
        // the slice borrows `self`.
        Ok(unsafe { slice::from_raw_parts_mut(self.room.host.cast(), self.room.bytes) })
    }

    /// Enqueues the copy of the first `bytes` bytes to `to`, from byte `at` on. Waits for the copies of another stream before.
    ///
    /// # Errors
    /// [`CudaError::OutOfBounds`], [`CudaError::OtherDevice`], [`CudaError::Driver`].
    pub fn send(&mut self, stream: &Stream, bytes: usize, to: &Arc<Memory>, at: usize) -> CudaResult<()> {
        self.within(0, bytes)?;
        self.begin(stream)?;
        // SAFETY: the room has that many bytes, the stream keeps it, and nothing writes there until `settle` has waited for
        // the copy.
        unsafe { stream.copy_in(self.room.host, bytes, to, at) }?;
        self.mark(stream)
    }

    /// Enqueues the copy of a region to the buffer's bytes from `at` on.
    ///
    /// # Errors
    /// As [`send`](Self::send).
    pub fn receive(&mut self, stream: &Stream, from: Region<'_>, at: usize) -> CudaResult<()> {
        self.within(at, from.bytes())?;
        let (address, bytes) = (from.address(), from.bytes());
        stream.keep_memory(from.memory())?;
        self.begin(stream)?;
        stream.enqueue("copying from the device", |stream| {
            // SAFETY: the region has that many bytes, and the room has space for them (checked above). The stream keeps
            // both, and nothing uses the room until `settle` has waited for the copy.
            unsafe { sys::cuMemcpyDtoHAsync_v2(self.room.host.wrapping_byte_add(at), address, bytes, stream) }
        })?;
        self.mark(stream)
    }

    /// Waits until all copies have ended, and returns the `count` values of `A` from byte `at` on. The buffer must
    /// have been created [`zeroed`](Self::zeroed) and not filled by the host since.
    ///
    /// # Errors
    /// [`CudaError::OutOfBounds`] unless there are that many values, aligned and initialized; [`CudaError::Driver`] if
    /// the wait fails.
    pub fn received<A: AnyBitPattern>(&self, at: usize, count: usize) -> CudaResult<&[A]> {
        self.within(at, count.saturating_mul(size_of::<A>()))?;
        let place = self.room.host.wrapping_byte_add(at).cast::<A>();
        if !self.is_zeroed || !place.is_aligned() {
            return Err(CudaError::OutOfBounds { range: at..at, len: 0 });
        }
        self.settle()?;
        // SAFETY: within the room, which is not null, aligned and initialized (checked above). Nothing writes there:
        // all copies have ended, and none begins while the slice borrows `self`. Any bits are an `A`.
        Ok(unsafe { slice::from_raw_parts(place, count) })
    }

    /// Fails unless the buffer has `bytes` bytes from `at` on.
    fn within(&self, at: usize, bytes: usize) -> CudaResult<()> {
        let end = at.saturating_add(bytes);
        if end <= self.room.bytes {
            return Ok(());
        }
        Err(CudaError::OutOfBounds { range: at..end, len: self.room.bytes })
    }

    /// Prepares for a copy on `stream`, which is not marked yet.
    fn begin(&mut self, stream: &Stream) -> CudaResult<()> {
        runs_now(stream)?;
        self.room.context.same_device(stream.context())?;
        let is_another = self.stream.as_ref().is_some_and(|last| !Arc::ptr_eq(last, stream.handle()));
        if is_another || !self.is_marked {
            self.settle()?;
        }
        stream.keep(&self.room);
        (self.stream, self.is_marked) = (Some(stream.handle().clone()), false);
        Ok(())
    }

    /// Marks the end of the last enqueued copy.
    fn mark(&mut self, stream: &Stream) -> CudaResult<()> {
        self.copied.set(stream)?;
        self.is_marked = true;
        Ok(())
    }

    /// Waits until all copies have ended: for the mark or, without one, for all work of the stream.
    fn settle(&self) -> CudaResult<()> {
        match &self.stream {
            Some(stream) if !self.is_marked => stream.wait_apart()?.ended,
            _ => self.copied.wait(),
        }
    }
}

/// Fails while the stream records, because a graph's copies would run at each of its launches, also while the host uses
/// the buffer.
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
        // SAFETY: allocated in this context and freed only here. No stream copies from or to it, as a stream would keep
        // it.
        self.context.release(|| unsafe { sys::cuMemFreeHost(self.host) });
    }
}

impl Stream {
    /// Enqueues the copy of host memory to `to`, from byte `at` on.
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
            // SAFETY: the region has that many bytes, and the stream keeps them; the caller promised the bytes of
            // `from`.
            unsafe { sys::cuMemcpyHtoDAsync_v2(address, from, bytes, stream) }
        })
    }
}
