//! Ranges of device memory.

use std::alloc::Layout;
use std::sync::Arc;

use bytemuck::{AnyBitPattern, NoUninit, Pod};
use cuda_std::memory::{Optional, Pointer};

use super::Memory;
use crate::error::{CudaError, CudaResult};
use crate::stream::Stream;
use crate::sys;

/// A range of device memory.
#[derive(Clone, Copy, Debug)]
pub struct Region<'a> {
    pub(super) memory: &'a Arc<Memory>,
    pub(super) first: usize,
    pub(super) bytes: usize,
}

impl<'a> Region<'a> {
    /// Returns the byte of the memory at which the region begins.
    #[must_use]
    pub fn first(self) -> usize {
        self.first
    }

    /// Returns the address.
    #[must_use]
    pub fn address(self) -> sys::Address {
        self.memory.address + self.first as u64
    }

    /// Returns the memory that contains the region.
    #[must_use]
    pub fn memory(self) -> &'a Arc<Memory> {
        self.memory
    }

    /// Returns the number of bytes.
    #[must_use]
    pub fn bytes(self) -> usize {
        self.bytes
    }

    /// Returns the part with `count` values of `bytes` bytes each, from value `first` on, if there are that many.
    ///
    /// # Errors
    /// [`CudaError::OutOfBounds`].
    pub fn part(self, first: u64, count: u64, bytes: usize) -> CudaResult<Self> {
        let size = |count: u64| usize::try_from(count).unwrap_or(usize::MAX).saturating_mul(bytes);
        let (start, len) = (size(first), size(count));
        let end = start.saturating_add(len);
        if end > self.bytes {
            return Err(CudaError::OutOfBounds { range: start..end, len: self.bytes });
        }
        Ok(Self { memory: self.memory, first: self.first + start, bytes: len })
    }

    /// Copies the first `len` elements to the host, and waits for them.
    ///
    /// # Errors
    /// As [`Memory::download`].
    pub fn download<T: AnyBitPattern>(self, stream: &Stream, len: usize) -> CudaResult<Vec<T>> {
        self.part(0, len as u64, size_of::<T>())?;
        self.memory.download(stream, self.first, len)
    }

    /// Copies host elements to the region's start, and waits for the copy.
    ///
    /// # Errors
    /// [`CudaError::OutOfBounds`], [`CudaError::Capturing`], [`CudaError::Driver`].
    pub fn copy_from<T: NoUninit>(self, stream: &Stream, from: &[T]) -> CudaResult<()> {
        let to = self.part(0, from.len() as u64, size_of::<T>())?;
        stream.keep_memory(to.memory)?;
        stream.run("copying to the device", to.memory, |stream| {
            // SAFETY: both have the same number of bytes (checked above), and all bytes of `T` are initialized
            // (NoUninit). The stream keeps the memory, and `run` waits before the borrow of `from` ends.
            unsafe { sys::cuMemcpyHtoDAsync_v2(to.address(), from.as_ptr().cast(), to.bytes, stream) }
        })
    }

    /// Enqueues a copy to `to`, of as many bytes on the same device. The regions must not overlap.
    ///
    /// # Errors
    /// [`CudaError::OutOfBounds`] if `to` has another number of bytes, [`CudaError::OtherDevice`], [`CudaError::Driver`].
    pub fn enqueue_copy(self, stream: &Stream, to: Region<'_>) -> CudaResult<()> {
        if to.bytes != self.bytes {
            return Err(CudaError::OutOfBounds { range: 0..self.bytes, len: to.bytes });
        }
        stream.keep_memory(self.memory)?;
        stream.keep_memory(to.memory)?;
        stream.enqueue("copying on the device", |stream| {
            // SAFETY: both regions have that many bytes, and the stream keeps their memory.
            unsafe { sys::cuMemcpyDtoDAsync_v2(to.address(), self.address(), self.bytes, stream) }
        })
    }

    /// Overwrites all of `to` with the region's first elements, and waits for them. If the wait fails, `to` is leaked,
    /// because the device may still write there.
    ///
    /// # Errors
    /// As [`copy_from`](Self::copy_from).
    pub fn copy_to<T: Pod>(self, stream: &Stream, mut to: Vec<T>) -> CudaResult<Vec<T>> {
        let from = self.part(0, to.len() as u64, size_of::<T>())?;
        stream.keep_memory(from.memory)?;
        let copied = stream.run("copying from the device", from.memory, |stream| {
            // SAFETY: both have the same number of bytes (checked above), and any bits are a `T`. The stream keeps the
            // memory; `to` exists until the wait has succeeded, and is leaked otherwise.
            unsafe { sys::cuMemcpyDtoHAsync_v2(to.as_mut_ptr().cast(), from.address(), from.bytes, stream) }
        });
        match copied {
            Ok(()) => Ok(to),
            Err(error) => {
                std::mem::forget(to);
                Err(error)
            }
        }
    }

    /// Returns the region's start, as kernels take it, if it is aligned and has room for `count` elements.
    ///
    /// # Errors
    /// [`CudaError::OutOfBounds`].
    pub fn array_of<P: Pointer>(self, count: u64) -> CudaResult<P> {
        self.array(Layout::new::<P::Element>(), count)
    }

    /// Does [`array_of`](Self::array_of) for elements of a layout.
    ///
    /// # Errors
    /// [`CudaError::OutOfBounds`].
    pub fn array<P: Pointer>(self, of: Layout, count: u64) -> CudaResult<P> {
        let bytes = usize::try_from(count).ok().and_then(|count| count.checked_mul(of.size()));
        if bytes.is_none_or(|bytes| bytes > self.bytes) || !self.first.is_multiple_of(of.align()) {
            let end = self.first.saturating_add(bytes.unwrap_or(usize::MAX));
            return Err(CudaError::OutOfBounds { range: self.first..end, len: self.memory.bytes });
        }
        // SAFETY: the region has aligned room for the elements, as checked above.
        Ok(unsafe { P::new(std::ptr::without_provenance_mut(self.address() as usize)) })
    }
}

impl Stream {
    /// Keeps memory, which must be of the stream's device, until a wait succeeds. Borrowed memory is kept by its owner, so that a stream
    /// of calls on it alone never has to wait.
    ///
    /// # Errors
    /// [`CudaError::OtherDevice`].
    pub fn keep_memory(&self, memory: &Arc<Memory>) -> CudaResult<()> {
        memory.context().same_device(self.context())?;
        if !memory.is_borrowed() {
            self.keep(memory);
        }
        Ok(())
    }

    /// Keeps a region's memory, and returns its start if it is aligned and has room for `count` elements.
    ///
    /// # Errors
    /// [`CudaError::OutOfBounds`], [`CudaError::OtherDevice`].
    pub fn opened<P: Pointer>(&self, region: Region<'_>, count: u64) -> CudaResult<P> {
        let start = region.array_of(count)?;
        self.keep_memory(region.memory())?;
        Ok(start)
    }

    /// [Opens](Self::opened) a region, if there is one.
    ///
    /// # Errors
    /// As [`opened`](Self::opened).
    pub fn opened_if<P: Pointer>(&self, region: Option<Region<'_>>, count: u64) -> CudaResult<Optional<P>> {
        Ok(region.map(|region| self.opened(region, count)).transpose()?.into())
    }

    /// Enqueues work that sets every byte of a region.
    ///
    /// # Errors
    /// [`CudaError::OtherDevice`], [`CudaError::Driver`].
    pub fn fill(&self, region: Region<'_>, byte: u8) -> CudaResult<()> {
        let (address, bytes) = (region.address(), region.bytes());
        self.keep_memory(region.memory())?;
        self.enqueue("filling device memory", |stream| {
            // SAFETY: the region has that many bytes, as checked when it was made, and the stream keeps their memory.
            unsafe { sys::cuMemsetD8Async(address, byte, bytes, stream) }
        })
    }
}
