//! Device memory: allocated, filled from the host, read back, and freed in its own context; or another library's.

use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::sync::Arc;

use bytemuck::AnyBitPattern;

use super::spare::Allocation;
use super::{Context, Queue, raw};
use crate::Element;
use crate::error::{DriverCode, Error};

/// Bytes of device memory. Ours are 256-byte aligned.
#[derive(Debug)]
pub(in crate::cuda) struct Memory {
    context: Arc<Context>,
    address: raw::Address,
    bytes: usize,
    end: End,
}

/// What becomes of memory when it is dropped.
#[derive(Clone, Copy, Debug)]
enum End {
    /// It is freed.
    Freed,
    /// It is kept for a later call, or freed.
    Kept,
    /// It is another library's.
    NotOurs,
}

impl Memory {
    /// Allocates at least one byte. What they hold is not defined.
    pub(in crate::cuda) fn allocate(context: &Arc<Context>, bytes: usize) -> Result<Self, Error> {
        Self::allocate_to(context, bytes, End::Freed)
    }

    fn allocate_to(context: &Arc<Context>, bytes: usize, end: End) -> Result<Self, Error> {
        let _bound = context.bind()?;
        let mut address = 0;
        // SAFETY: writes one address to a local; the context is bound.
        let mut allocate = || unsafe { raw::cuMemAlloc_v2(&raw mut address, bytes.max(1)) };
        let mut code = allocate();
        if code == DriverCode::OUT_OF_MEMORY.0
            && let Some(spare) = context.spare().take(0)
        {
            context.free(spare);
            code = allocate();
        }
        if code == DriverCode::OUT_OF_MEMORY.0 {
            return Err(Error::OutOfMemory { bytes: bytes as u64 });
        }
        context.check(code, "allocating device memory")?;
        Ok(Self { context: context.clone(), address, bytes, end })
    }

    /// At least so many bytes for the work of one call: what an earlier one has left, if that is enough. What they hold is not
    /// defined.
    pub(in crate::cuda) fn scratch(context: &Arc<Context>, bytes: usize) -> Result<Self, Error> {
        context.usable()?;
        match context.spare().take(bytes) {
            Some(Allocation { address, bytes }) => {
                Ok(Self { context: context.clone(), address, bytes, end: End::Kept })
            }
            None => {
                // Too little: it would not be kept beside the new one.
                if let Some(spare) = context.spare().take(0) {
                    context.free(spare);
                }
                Self::allocate_to(context, bytes, End::Kept)
            }
        }
    }

    /// Another library's memory, which is not freed with this. Its first and its last byte must be on this device, as
    /// far as the driver knows.
    ///
    /// # Safety
    /// The bytes are readable by this device, initialised and not written until all work that uses them has ended.
    pub(in crate::cuda) unsafe fn borrow(
        context: &Arc<Context>,
        address: raw::Address,
        bytes: usize,
    ) -> Result<Arc<Self>, Error> {
        if bytes > 0 {
            let refuse = |why| Err(Error::Foreign { address, why });
            if address == 0 {
                return refuse("null is no array: only one of no elements may be null");
            }
            let Some(last) = address.checked_add(bytes as u64 - 1) else {
                return refuse("the array would end after the last address: check its length");
            };
            let _bound = context.bind()?;
            for byte in [address, last] {
                is_readable(context, byte)?;
            }
        }
        Ok(Arc::new(Self { context: context.clone(), address, bytes, end: End::NotOurs }))
    }

    /// Allocates zeroed bytes, and waits until they are.
    pub(in crate::cuda) fn zeroed(queue: &Queue, bytes: usize) -> Result<Arc<Self>, Error> {
        let memory = Arc::new(Self::allocate(queue.context(), bytes)?);
        queue.run("clearing device memory", &memory, |stream| {
            // SAFETY: the memory holds that many bytes, and the queue keeps it until it has waited.
            unsafe { raw::cuMemsetD8Async(memory.address, 0, bytes, stream) }
        })?;
        Ok(memory)
    }

    /// Allocates a copy of host elements, and waits until it is one.
    pub(in crate::cuda) fn uploaded<T: Element>(queue: &Queue, from: &[T]) -> Result<Arc<Self>, Error> {
        let memory = Arc::new(Self::allocate(queue.context(), size_of_val(from))?);
        if from.is_empty() {
            return Ok(memory);
        }
        queue.run("copying to the device", &memory, |stream| {
            // SAFETY: both hold as many bytes; `T` has none that are uninitialised (NoUninit). The queue keeps
            // the memory and waits before `from` can go.
            unsafe {
                raw::cuMemcpyHtoDAsync_v2(memory.address, from.as_ptr().cast(), size_of_val(from), stream)
            }
        })?;
        Ok(memory)
    }

    /// Copies `len` elements, from the `first` byte on, to the host, and waits for them.
    pub(in crate::cuda) fn download<T: Element + AnyBitPattern>(
        self: &Arc<Self>,
        queue: &Queue,
        first: usize,
        len: usize,
    ) -> Result<Vec<T>, Error> {
        let bytes = len.checked_mul(size_of::<T>());
        let Some(bytes) =
            bytes.filter(|&bytes| first.checked_add(bytes).is_some_and(|end| end <= self.bytes))
        else {
            return Err(Error::OutOfBounds { range: first..first.saturating_add(len), len: self.bytes });
        };
        let mut elements: Vec<T> = Vec::new();
        if bytes == 0 {
            return Ok(elements);
        }
        if elements.try_reserve_exact(len).is_err() {
            return Err(Error::Driver {
                code: DriverCode::OUT_OF_MEMORY,
                during: "allocating host memory for a download",
            });
        }
        let spare: &mut [MaybeUninit<T>] = elements.spare_capacity_mut();
        let copied = queue.run("copying from the device", self, |stream| {
            // SAFETY: `first + bytes` is within the memory (checked above), and `spare` holds `len` elements.
            unsafe {
                raw::cuMemcpyDtoHAsync_v2(
                    spare.as_mut_ptr().cast(),
                    self.address + first as u64,
                    bytes,
                    stream,
                )
            }
        });
        if let Err(error) = copied {
            // The copy may still be under way, if the wait has failed: the room for it must stay.
            std::mem::forget(elements);
            return Err(error);
        }
        // SAFETY: `len` fit the capacity and were written by the copy, which has ended; any bits are a `T`
        // (AnyBitPattern).
        unsafe { elements.set_len(len) };
        Ok(elements)
    }

    /// Where it is.
    pub(in crate::cuda) fn address(&self) -> raw::Address {
        self.address
    }

    /// How many bytes.
    pub(in crate::cuda) fn bytes(&self) -> usize {
        self.bytes
    }

    /// All of it.
    pub(in crate::cuda) fn whole(self: &Arc<Self>) -> Region<'_> {
        Region { memory: self, first: 0, bytes: self.bytes }
    }

    /// `bytes` of it from the `first` on, if it has them.
    pub(in crate::cuda) fn region(self: &Arc<Self>, first: usize, bytes: usize) -> Result<Region<'_>, Error> {
        let end = first.saturating_add(bytes);
        if end > self.bytes {
            return Err(Error::OutOfBounds { range: first..end, len: self.bytes });
        }
        Ok(Region { memory: self, first, bytes })
    }

    /// Whose it is.
    pub(in crate::cuda) fn context(&self) -> &Arc<Context> {
        &self.context
    }
}

/// Bytes within some device memory.
#[derive(Clone, Copy, Debug)]
pub(in crate::cuda) struct Region<'a> {
    memory: &'a Arc<Memory>,
    first: usize,
    bytes: usize,
}

impl<'a> Region<'a> {
    /// Where in the memory it begins, in bytes.
    pub(super) fn first(self) -> usize {
        self.first
    }

    /// Its address.
    pub(in crate::cuda) fn address(self) -> raw::Address {
        self.memory.address + self.first as u64
    }

    /// The memory that it is within.
    pub(super) fn memory(self) -> &'a Arc<Memory> {
        self.memory
    }

    /// Bytes of it.
    pub(super) fn len(self) -> usize {
        self.bytes
    }

    /// The part of it that holds `count` values of `bytes` each, from the `first` on, if there are so many.
    pub(in crate::cuda) fn part(self, first: u64, count: u64, bytes: usize) -> Result<Self, Error> {
        let size = |count: u64| usize::try_from(count).unwrap_or(usize::MAX).saturating_mul(bytes);
        let (start, len) = (size(first), size(count));
        let end = start.saturating_add(len);
        if end > self.bytes {
            return Err(Error::OutOfBounds { range: start..end, len: self.bytes });
        }
        Ok(Self { memory: self.memory, first: self.first + start, bytes: len })
    }

    /// Copies its first `len` elements to the host, and waits for them.
    pub(in crate::cuda) fn download<T: Element + AnyBitPattern>(
        self,
        queue: &Queue,
        len: usize,
    ) -> Result<Vec<T>, Error> {
        self.part(0, len as u64, size_of::<T>())?;
        self.memory.download(queue, self.first, len)
    }

    /// Where it begins, if `count` values of type `A` lie there, aligned.
    pub(super) fn array_of<A>(self, count: u64) -> Result<*mut A, Error> {
        let bytes = usize::try_from(count).ok().and_then(|count| count.checked_mul(size_of::<A>()));
        if bytes.is_none_or(|bytes| bytes > self.bytes) || !self.first.is_multiple_of(align_of::<A>()) {
            let end = self.first.saturating_add(bytes.unwrap_or(usize::MAX));
            return Err(Error::OutOfBounds { range: self.first..end, len: self.memory.bytes });
        }
        Ok(std::ptr::without_provenance_mut(self.address() as usize))
    }
}

impl Queue {
    /// Where `count` values of type `A` lie in a region, aligned; the queue keeps it.
    pub(super) fn opened<A>(&self, region: Region<'_>, count: u64) -> Result<*mut A, Error> {
        let address = region.array_of::<A>(count)?;
        self.keep_memory(region.memory())?;
        Ok(address)
    }

    /// Sets every byte of a region, in its turn.
    pub(in crate::cuda) fn fill(&self, region: Region<'_>, byte: u8) -> Result<(), Error> {
        let (address, bytes) = (region.address(), region.len());
        self.keep_memory(region.memory())?;
        self.enqueue("filling device memory", |stream| {
            // SAFETY: the region has that many bytes, as its making saw, and the queue keeps their memory.
            unsafe { raw::cuMemsetD8Async(address, byte, bytes, stream) }
        })
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // No queue uses it: one that did would keep it.
        let allocation = Allocation { address: self.address, bytes: self.bytes };
        match self.end {
            End::Freed => self.context.free(allocation),
            End::Kept => self.context.give_back(allocation),
            End::NotOurs => {}
        }
    }
}

/// Fails unless the driver knows the byte for managed memory, or memory of this device. The context is bound.
fn is_readable(context: &Context, address: raw::Address) -> Result<(), Error> {
    let ask = |attribute| {
        let mut value: u32 = 0;
        // SAFETY: these attributes are written as 4 bytes, at most: to a local; any address may be asked about.
        let code =
            unsafe { raw::cuPointerGetAttribute((&raw mut value).cast::<c_void>(), attribute, address) };
        if code == raw::INVALID_VALUE {
            return Err(Error::Foreign { address, why: "the driver knows of no such memory" });
        }
        context.check(code, "asking what memory a pointer is to").map(|()| value)
    };
    // Known to the driver at all: the other attributes of an unknown pointer are not to be relied on.
    let kind = ask(raw::POINTER_ATTRIBUTE_MEMORY_TYPE)?;
    if ask(raw::POINTER_ATTRIBUTE_IS_MANAGED)? & 0xff != 0 {
        return Ok(());
    }
    if kind != raw::MEMORYTYPE_DEVICE {
        return Err(Error::Foreign { address, why: "it is not device memory: copy it there (Cuda::upload)" });
    }
    let device = ask(raw::POINTER_ATTRIBUTE_DEVICE_ORDINAL)? as usize;
    if device == context.ordinal() {
        return Ok(());
    }
    Err(Error::OtherDevice { array: device, stream: context.ordinal() })
}
