//! Page-locked buffers through which host memory goes to a device: the host fills one while others are copied from.

use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::ptr;
use std::slice;
use std::sync::Arc;

use super::{Context, Memory, Queue, raw};
use crate::error::Error;

/// A buffer of page-locked host memory, which knows when the last copy from it has ended.
#[derive(Debug)]
pub(in crate::cuda) struct Staging {
    room: Arc<Room>,
    copied: Mark,
}

/// The memory itself. Queues keep it while they copy from it, or to it.
#[derive(Debug)]
pub(super) struct Room {
    context: Arc<Context>,
    pub(super) host: *mut c_void,
    pub(super) bytes: usize,
}

// SAFETY: the pointer is to memory that this owns alone; only the one buffer that has it reads or writes there.
unsafe impl Send for Room {}
// SAFETY: as above; nothing reads or writes the memory through a room that queues share but the device.
unsafe impl Sync for Room {}

/// A moment in a queue's work, which is marked again and again and can be waited for.
#[derive(Debug)]
pub(in crate::cuda) struct Mark {
    context: Arc<Context>,
    event: raw::Handle,
    set: bool,
}

// SAFETY: the driver takes an event from any thread; calls bind the context first.
unsafe impl Send for Mark {}

impl Staging {
    /// Allocates `bytes`, at least one. What they hold is not defined.
    pub(in crate::cuda) fn new(context: &Arc<Context>, bytes: usize) -> Result<Self, Error> {
        Ok(Self { copied: Mark::new(context)?, room: Room::new(context, bytes.max(1))? })
    }

    /// Its size.
    pub(in crate::cuda) fn bytes(&self) -> usize {
        self.room.bytes
    }

    /// The memory, to be filled, once the last copy from it has ended.
    pub(in crate::cuda) fn room(&mut self) -> Result<&mut [MaybeUninit<u8>], Error> {
        self.copied.wait()?;
        // SAFETY: the driver has given that many bytes; no copy reads them (waited for above), and `self` is borrowed
        // as long as the slice, so that none begins.
        Ok(unsafe { slice::from_raw_parts_mut(self.room.host.cast(), self.room.bytes) })
    }

    /// Enqueues the copy of its first `bytes` to `to`, from byte `at` on.
    pub(in crate::cuda) fn send(
        &mut self,
        queue: &Queue,
        bytes: usize,
        to: &Arc<Memory>,
        at: usize,
    ) -> Result<(), Error> {
        if bytes > self.room.bytes {
            return Err(Error::OutOfBounds { range: 0..bytes, len: self.room.bytes });
        }
        queue.keep(&self.room);
        // SAFETY: the room has that many bytes, the queue keeps it, and nobody writes there until `copied`.
        unsafe { queue.copy_in(self.room.host, bytes, to, at) }?;
        self.copied.set(queue).inspect_err(|_| {
            // Without the mark, the end of all work is the end of the copy. What that says, the mark's error does.
            let _ = queue.wait();
        })
    }
}

impl Room {
    /// Allocates `bytes`, at least one.
    pub(super) fn new(context: &Arc<Context>, bytes: usize) -> Result<Arc<Self>, Error> {
        let _bound = context.bind()?;
        let mut host = ptr::null_mut();
        // SAFETY: writes one pointer to a local; the context is bound.
        let code = unsafe { raw::cuMemHostAlloc(&raw mut host, bytes, raw::MEMHOSTALLOC_DEVICEMAP) };
        context.check(code, "allocating page-locked host memory")?;
        Ok(Arc::new(Self { context: context.clone(), host, bytes }))
    }
}

impl Mark {
    /// A moment that has passed.
    pub(in crate::cuda) fn new(context: &Arc<Context>) -> Result<Self, Error> {
        let _bound = context.bind()?;
        let mut event = ptr::null_mut();
        // SAFETY: writes one handle to a local; the context is bound.
        let code = unsafe { raw::cuEventCreate(&raw mut event, raw::EVENT_DISABLE_TIMING) };
        context.check(code, "making an event")?;
        Ok(Self { context: context.clone(), event, set: false })
    }

    /// Marks the moment when all work enqueued so far has ended.
    pub(in crate::cuda) fn set(&mut self, queue: &Queue) -> Result<(), Error> {
        // SAFETY: both are of one context, which `enqueue` binds.
        queue.enqueue("marking the end of a copy or a launch", |stream| unsafe {
            raw::cuEventRecord(self.event, stream)
        })?;
        self.set = true;
        Ok(())
    }

    /// Waits for the moment that was marked last.
    pub(in crate::cuda) fn wait(&self) -> Result<(), Error> {
        if !self.set {
            return self.context.usable();
        }
        let _bound = self.context.bind()?;
        // SAFETY: the event lives as long as `self`; the context is bound.
        let code = unsafe { raw::cuEventSynchronize(self.event) };
        self.context.check(code, "waiting for a copy or a launch")
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        // SAFETY: allocated in this context and freed here alone. No queue copies from it or to it: one that did would keep it.
        self.context.release(|| unsafe { raw::cuMemFreeHost(self.host) });
    }
}

impl Drop for Mark {
    fn drop(&mut self) {
        // SAFETY: created in this context and destroyed here alone; the driver may be told so before it happens.
        self.context.release(|| unsafe { raw::cuEventDestroy_v2(self.event) });
    }
}

impl Queue {
    /// Enqueues the copy of host memory to `to`, from byte `at` on.
    ///
    /// # Safety
    /// `from` has that many readable bytes until the copy has ended.
    pub(super) unsafe fn copy_in(
        &self,
        from: *const c_void,
        bytes: usize,
        to: &Arc<Memory>,
        at: usize,
    ) -> Result<(), Error> {
        let address = to.region(at, bytes)?.array_of::<u8>(bytes as u64)?.addr() as raw::Address;
        self.keep_memory(to)?;
        self.enqueue("copying to the device", |stream| {
            // SAFETY: the region has that many bytes (above) and the queue keeps them; `from` is the caller's promise.
            unsafe { raw::cuMemcpyHtoDAsync_v2(address, from, bytes, stream) }
        })
    }
}
