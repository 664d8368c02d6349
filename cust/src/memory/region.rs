//! Bytes within some device memory.

use std::sync::Arc;

use bytemuck::{AnyBitPattern, NoUninit, Pod};

use super::Memory;
use crate::error::{CudaError, CudaResult};
use crate::stream::Stream;
use crate::sys;

/// Bytes within some device memory.
#[derive(Clone, Copy, Debug)]
pub struct Region<'a> {
    pub(super) memory: &'a Arc<Memory>,
    pub(super) first: usize,
    pub(super) bytes: usize,
}

impl<'a> Region<'a> {
    /// Where in the memory it begins, in bytes.
    #[must_use]
    pub fn first(self) -> usize {
        self.first
    }

    /// Its address.
    #[must_use]
    pub fn address(self) -> sys::Address {
        self.memory.address + self.first as u64
    }

    /// The memory that it is within.
    #[must_use]
    pub fn memory(self) -> &'a Arc<Memory> {
        self.memory
    }

    /// Its size.
    #[must_use]
    pub fn bytes(self) -> usize {
        self.bytes
    }

    /// The part of it that holds `count` values of `bytes` each, from the `first` on, if there are so many.
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

    /// Copies its first `len` elements to the host, and waits for them.
    ///
    /// # Errors
    /// As [`Memory::download`].
    pub fn download<T: AnyBitPattern>(self, stream: &Stream, len: usize) -> CudaResult<Vec<T>> {
        self.part(0, len as u64, size_of::<T>())?;
        self.memory.download(stream, self.first, len)
    }

    /// Copies host elements to its beginning, and waits until they are there.
    ///
    /// # Errors
    /// [`CudaError::OutOfBounds`], [`CudaError::Capturing`], [`CudaError::Driver`].
    pub fn copy_from<T: NoUninit>(self, stream: &Stream, from: &[T]) -> CudaResult<()> {
        let to = self.part(0, from.len() as u64, size_of::<T>())?;
        stream.keep_memory(to.memory)?;
        stream.run("copying to the device", to.memory, |stream| {
            // SAFETY: both hold as many bytes (above); `T` has none that are uninitialised (NoUninit). The stream keeps the
            // memory and waits before `from` can go.
            unsafe { sys::cuMemcpyHtoDAsync_v2(to.address(), from.as_ptr().cast(), to.bytes, stream) }
        })
    }

    /// Overwrites `to` with its first elements, as many as that has, and waits for them. Its memory is lost if the wait fails:
    /// the device may be writing there still.
    ///
    /// # Errors
    /// As [`copy_from`](Self::copy_from).
    pub fn copy_to<T: Pod>(self, stream: &Stream, mut to: Vec<T>) -> CudaResult<Vec<T>> {
        let from = self.part(0, to.len() as u64, size_of::<T>())?;
        stream.keep_memory(from.memory)?;
        let copied = stream.run("copying from the device", from.memory, |stream| {
            // SAFETY: both hold as many bytes (above), and any are a `T`. The stream keeps the memory; `to` is there until the
            // wait has succeeded.
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

    /// Where it begins, as kernels take it, if `count` values of type `A` lie there, aligned.
    ///
    /// # Errors
    /// [`CudaError::OutOfBounds`].
    pub fn array_of<A>(self, count: u64) -> CudaResult<*mut A> {
        let bytes = usize::try_from(count).ok().and_then(|count| count.checked_mul(size_of::<A>()));
        if bytes.is_none_or(|bytes| bytes > self.bytes) || !self.first.is_multiple_of(align_of::<A>()) {
            let end = self.first.saturating_add(bytes.unwrap_or(usize::MAX));
            return Err(CudaError::OutOfBounds { range: self.first..end, len: self.memory.bytes });
        }
        Ok(std::ptr::without_provenance_mut(self.address() as usize))
    }
}

impl Stream {
    /// Keeps memory, which must be of the stream's device, until a wait succeeds.
    ///
    /// # Errors
    /// [`CudaError::OtherDevice`].
    pub fn keep_memory(&self, memory: &Arc<Memory>) -> CudaResult<()> {
        memory.context().same_device(self.context())?;
        self.keep(memory);
        Ok(())
    }

    /// Where `count` values of type `A` lie in a region, aligned; the stream keeps it.
    ///
    /// # Errors
    /// [`CudaError::OutOfBounds`], [`CudaError::OtherDevice`].
    pub fn opened<A>(&self, region: Region<'_>, count: u64) -> CudaResult<*mut A> {
        let address = region.array_of::<A>(count)?;
        self.keep_memory(region.memory())?;
        Ok(address)
    }

    /// Sets every byte of a region, in its turn.
    ///
    /// # Errors
    /// [`CudaError::OtherDevice`], [`CudaError::Driver`].
    pub fn fill(&self, region: Region<'_>, byte: u8) -> CudaResult<()> {
        let (address, bytes) = (region.address(), region.bytes());
        self.keep_memory(region.memory())?;
        self.enqueue("filling device memory", |stream| {
            // SAFETY: the region has that many bytes, as its making saw, and the stream keeps their memory.
            unsafe { sys::cuMemsetD8Async(address, byte, bytes, stream) }
        })
    }
}
