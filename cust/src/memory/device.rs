//! Device memory: allocated, filled from the host, read back, and freed in its own context.

use std::mem::MaybeUninit;
use std::sync::Arc;

use bytemuck::{AnyBitPattern, NoUninit};

use super::Region;
use super::spare::Allocation;
use crate::context::Context;
use crate::error::{CudaError, CudaResult, DriverCode};
use crate::stream::Stream;
use crate::sys;

/// Bytes of device memory, 256-byte aligned unless [borrowed](Self::borrow). Streams keep it as an `Arc` while their
/// work uses it.
#[derive(Debug)]
pub struct Memory {
    pub(super) context: Arc<Context>,
    pub(super) address: sys::Address,
    pub(super) bytes: usize,
    pub(super) end: End,
}

/// What happens to memory when it is dropped.
#[derive(Clone, Copy, Debug)]
pub(super) enum End {
    /// It is freed.
    Freed,
    /// It is kept for a later call, or freed.
    Kept,
    /// Nothing: it belongs to another library.
    NotOurs,
}

impl Memory {
    /// Allocates `bytes` bytes, at least one, with unspecified contents.
    ///
    /// # Errors
    /// [`CudaError::OutOfMemory`], after which a smaller request may succeed; [`CudaError::Driver`].
    pub fn allocate(context: &Arc<Context>, bytes: usize) -> CudaResult<Self> {
        Self::allocate_to(context, bytes, End::Freed)
    }

    fn allocate_to(context: &Arc<Context>, bytes: usize, end: End) -> CudaResult<Self> {
        let _bound = context.bind()?;
        let mut address = 0;
        // SAFETY: writes one address to a local; the context is bound.
        let mut allocate = || unsafe { sys::cuMemAlloc_v2(&raw mut address, bytes.max(1)) };
        let mut code = allocate();
        if code == sys::OUT_OF_MEMORY
            && let Some(spare) = context.spare().take(0)
        {
            context.free(spare);
            code = allocate();
        }
        if code == sys::OUT_OF_MEMORY {
            return Err(CudaError::OutOfMemory { bytes: bytes as u64 });
        }
        context.check(code, "allocating device memory")?;
        Ok(Self { context: context.clone(), address, bytes, end })
    }

    /// Returns at least `bytes` bytes for the work of one call on `stream`, with unspecified contents. Reuses the memory of an
    /// earlier call if it is large enough. Unfinished work on the stream may still use it, so only work on this stream may use
    /// it, and the call holds the `Arc` until it has enqueued all of its work.
    ///
    /// # Errors
    /// As [`allocate`](Self::allocate).
    pub fn scratch(stream: &Stream, bytes: usize) -> CudaResult<Arc<Self>> {
        let context = stream.context();
        context.usable()?;
        if let Some(lent) = stream.lent(bytes)? {
            return Ok(lent);
        }
        // A stream does its work in order, so the memory is free when the call's work begins.
        if let Some(left) = stream.kept_alone(|memory: &Self| memory.is_scratch() && memory.bytes >= bytes) {
            return Ok(left);
        }
        if let Some(Allocation { address, bytes }) = context.spare().take(bytes) {
            return Ok(Arc::new(Self { context: context.clone(), address, bytes, end: End::Kept }));
        }
        // The kept memory is too small, and would not be kept beside the new one.
        if let Some(spare) = context.spare().take(0) {
            context.free(spare);
        }
        Self::allocate_to(context, bytes, End::Kept).map(Arc::new)
    }

    /// Allocates `bytes` bytes for work on `stream`, with unspecified contents; borrows them while the stream's owner records it.
    ///
    /// # Errors
    /// As [`allocate`](Self::allocate).
    pub fn of_work(stream: &Stream, bytes: usize) -> CudaResult<Arc<Self>> {
        match stream.lent(bytes)? {
            Some(lent) => Ok(lent),
            None => Self::allocate(stream.context(), bytes).map(Arc::new),
        }
    }

    /// Returns whether it belongs to another library, which keeps it while work uses it.
    pub(super) fn is_borrowed(&self) -> bool {
        matches!(self.end, End::NotOurs)
    }

    fn is_scratch(&self) -> bool {
        matches!(self.end, End::Kept)
    }

    /// Allocates zeroed bytes, and waits until they are zero.
    ///
    /// # Errors
    /// As [`allocate`](Self::allocate), and [`CudaError::Capturing`].
    pub fn zeroed(stream: &Stream, bytes: usize) -> CudaResult<Arc<Self>> {
        let memory = Arc::new(Self::allocate(stream.context(), bytes)?);
        stream.run("clearing device memory", &memory, |stream| {
            // SAFETY: the memory has that many bytes, and the stream keeps it until it has waited.
            unsafe { sys::cuMemsetD8Async(memory.address, 0, bytes, stream) }
        })?;
        Ok(memory)
    }

    /// Allocates a copy of host elements, and waits for the copy.
    ///
    /// # Errors
    /// As [`zeroed`](Self::zeroed).
    pub fn uploaded<T: NoUninit>(stream: &Stream, from: &[T]) -> CudaResult<Arc<Self>> {
        let memory = Arc::new(Self::allocate(stream.context(), size_of_val(from))?);
        if from.is_empty() {
            return Ok(memory);
        }
        stream.run("copying to the device", &memory, |stream| {
            // SAFETY: both have the same number of bytes, and all bytes of `T` are initialized (NoUninit). The stream
            // keeps the memory, and `run` waits before the borrow of `from` ends.
            unsafe {
                sys::cuMemcpyHtoDAsync_v2(memory.address, from.as_ptr().cast(), size_of_val(from), stream)
            }
        })?;
        Ok(memory)
    }

    /// Copies `len` elements, from byte `first` on, to the host, and waits for them.
    ///
    /// # Errors
    /// [`CudaError::OutOfBounds`], [`CudaError::Capturing`], [`CudaError::Driver`].
    pub fn download<T: AnyBitPattern>(
        self: &Arc<Self>,
        stream: &Stream,
        first: usize,
        len: usize,
    ) -> CudaResult<Vec<T>> {
        let bytes = len.checked_mul(size_of::<T>());
        let Some(bytes) =
            bytes.filter(|&bytes| first.checked_add(bytes).is_some_and(|end| end <= self.bytes))
        else {
            return Err(CudaError::OutOfBounds { range: first..first.saturating_add(len), len: self.bytes });
        };
        let mut elements: Vec<T> = Vec::new();
        if bytes == 0 {
            return Ok(elements);
        }
        if elements.try_reserve_exact(len).is_err() {
            return Err(CudaError::Driver {
                code: DriverCode(sys::OUT_OF_MEMORY),
                during: "allocating host memory for a download",
            });
        }
        let spare: &mut [MaybeUninit<T>] = elements.spare_capacity_mut();
        let copied = stream.run("copying from the device", self, |stream| {
            // SAFETY: `first + bytes` is within the memory (checked above), and `spare` has room for `len` elements.
            unsafe {
                sys::cuMemcpyDtoHAsync_v2(
                    spare.as_mut_ptr().cast(),
                    self.address + first as u64,
                    bytes,
                    stream,
                )
            }
        });
        if let Err(error) = copied {
            // If the wait failed, the copy may still be running, so its destination must not be freed.
            std::mem::forget(elements);
            return Err(error);
        }
        // SAFETY: the capacity is at least `len`, and the copy, which has ended, wrote all elements; any bits are a `T`
        // (AnyBitPattern).
        unsafe { elements.set_len(len) };
        Ok(elements)
    }

    /// Returns the address.
    #[must_use]
    pub fn address(&self) -> sys::Address {
        self.address
    }

    /// Returns the number of bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Returns all of it as a region.
    #[must_use]
    pub fn whole(self: &Arc<Self>) -> Region<'_> {
        Region { memory: self, first: 0, bytes: self.bytes }
    }

    /// Returns `bytes` bytes from byte `first` on, if the memory has them.
    ///
    /// # Errors
    /// [`CudaError::OutOfBounds`].
    pub fn region(self: &Arc<Self>, first: usize, bytes: usize) -> CudaResult<Region<'_>> {
        let end = first.saturating_add(bytes);
        if end > self.bytes {
            return Err(CudaError::OutOfBounds { range: first..end, len: self.bytes });
        }
        Ok(Region { memory: self, first, bytes })
    }

    /// Returns the context of the memory.
    #[must_use]
    pub fn context(&self) -> &Arc<Context> {
        &self.context
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // No stream uses it, as a stream would keep it.
        let allocation = Allocation { address: self.address, bytes: self.bytes };
        match self.end {
            End::Freed => self.context.free(allocation),
            End::Kept => self.context.give_back(allocation),
            End::NotOurs => {}
        }
    }
}
