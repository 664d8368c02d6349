//! Memory: of devices, and page-locked.

use std::alloc::{Layout, alloc, dealloc};
use std::ffi::{c_uint, c_void};
use std::ptr;
use std::sync::Arc;

use cuda_std::emulator::Written;

use super::context::{BYTES, device_of};
use super::state::{Answer, Driver, Id, answer};
use super::stream;
use super::work::Work;
use crate::sys::{self, Address, Handle};

/// Memory that was allocated.
pub(super) struct Allocation {
    pub(super) bytes: usize,
    pub(super) kind: Kind,
    pub(super) context: Id,
    /// The number of the allocation.
    pub(super) number: Id,
    /// Which of its bytes were written, of a device's memory. The host writes to its own unseen.
    pub(super) written: Option<Arc<Written>>,
}

/// Whose memory it is.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Kind {
    Device,
    /// Page-locked memory of the host.
    Locked,
    /// Memory of the program that was locked later.
    Registered,
}

impl Allocation {
    pub(super) fn is_device(&self) -> bool {
        self.kind == Kind::Device
    }
}

/// The alignment of all memory, as CUDA has it.
const ALIGN: usize = 256;

impl Allocation {
    fn layout(&self) -> Option<Layout> {
        Layout::from_size_align(self.bytes.max(1), ALIGN).ok()
    }
}

impl Driver {
    /// Returns the memory that holds `address`, and where it begins.
    pub(super) fn allocation(&self, address: usize) -> Option<(usize, &Allocation)> {
        let (&at, found) = self.memory.range(..=address).next_back()?;
        (address < at + found.bytes.max(1)).then_some((at, found))
    }

    /// Fails unless all these bytes are allocated.
    pub(super) fn touch(&mut self, address: usize, bytes: usize) -> Answer {
        let is_there = |(at, found): (usize, &Allocation)| {
            address.checked_add(bytes).is_some_and(|end| end <= at + found.bytes)
        };
        if bytes == 0 || self.allocation(address).is_some_and(is_there) {
            return Ok(());
        }
        Err(self.fault("work touched memory that is not allocated"))
    }

    /// Says that bytes were written.
    pub(super) fn wrote(&self, address: usize, bytes: usize) {
        if let Some((at, Allocation { written: Some(written), .. })) = self.allocation(address) {
            written.add(address - at..address - at + bytes);
        }
    }

    /// Fails if some of these bytes were not written since their memory was allocated, by this driver or by a kernel that it saw.
    pub(super) fn reads(&mut self, address: usize, bytes: usize) -> Answer {
        let Some((at, Allocation { written: Some(written), .. })) = self.allocation(address) else {
            return Ok(());
        };
        // SAFETY: the bytes are allocated, and a piece of work runs alone.
        match unsafe { written.first_unwritten(at, address - at..address - at + bytes) } {
            None => Ok(()),
            Some(_) => Err(self.fault("work read memory that was not written")),
        }
    }

    /// Returns the bytes of the current device's memory that are not allocated.
    fn free_bytes(&self) -> usize {
        let context = self.current();
        let of_device = self.memory.values().filter(|found| found.is_device() && found.context == context);
        BYTES - of_device.map(|found| found.bytes).sum::<usize>()
    }

    /// Allocates memory with bytes that no test takes for a result.
    fn allocate(&mut self, bytes: usize, kind: Kind) -> Result<usize, u32> {
        let (context, number) = (self.current(), self.next());
        let written = (kind == Kind::Device).then(|| Arc::new(Written::nothing(bytes)));
        let allocation = Allocation { bytes, kind, context, number, written };
        let layout = allocation.layout().ok_or(sys::OUT_OF_MEMORY)?;
        // SAFETY: the layout has at least one byte.
        let memory = unsafe { alloc(layout) };
        if memory.is_null() {
            return Err(sys::OUT_OF_MEMORY);
        }
        // SAFETY: as many bytes were allocated.
        unsafe { memory.write_bytes(Written::FILL, layout.size()) };
        // Kernels reach the memory by its address alone.
        let address = memory.expose_provenance();
        self.memory.insert(address, allocation);
        Ok(address)
    }

    fn free(&mut self, address: usize) -> Answer {
        let Some(allocation) = self.memory.get(&address) else {
            return Err(self.fault("freed what is not allocated"));
        };
        self.is_of(allocation.context)?;
        let Some(allocation) = self.memory.remove(&address) else { return Ok(()) };
        if let Some(layout) = allocation.layout().filter(|_| allocation.kind != Kind::Registered) {
            let memory = ptr::with_exposed_provenance_mut::<u8>(address);
            // SAFETY: `allocate` allocated it with this layout, and it has just been taken from the list.
            unsafe {
                memory.write_bytes(0x5a, layout.size());
                dealloc(memory, layout);
            }
        }
        Ok(())
    }

    /// Returns an attribute of a pointer as a number, or `None` for an attribute that there is not.
    fn attribute(&self, attribute: c_uint, (at, found): (usize, &Allocation)) -> Option<u64> {
        Some(match attribute {
            sys::POINTER_ATTRIBUTE_MEMORY_TYPE if found.is_device() => sys::MEMORYTYPE_DEVICE.into(),
            sys::POINTER_ATTRIBUTE_MEMORY_TYPE => sys::MEMORYTYPE_HOST.into(),
            sys::POINTER_ATTRIBUTE_IS_MANAGED => 0,
            sys::POINTER_ATTRIBUTE_DEVICE_ORDINAL => device_of(found.context)? as u64,
            sys::POINTER_ATTRIBUTE_RANGE_START_ADDR => at as u64,
            sys::POINTER_ATTRIBUTE_RANGE_SIZE => found.bytes as u64,
            _ => return None,
        })
    }

    /// Enqueues a copy.
    fn copy(
        &mut self,
        name: &str,
        (to, from): (usize, usize),
        bytes: usize,
        stream: Handle,
        is_from_host: bool,
    ) -> Answer {
        if !is_from_host {
            self.touch(from, bytes)?;
        }
        self.may_fail(name)?;
        // What lies in the host's memory must stay as it is until it is copied.
        let digest = is_from_host.then(|| digest(from, bytes));
        let stream = stream::of(self, stream)?;
        self.push(stream, Work::Copy { to, from, bytes, digest })
    }
}

/// Returns a number that changes when the bytes do.
pub(super) fn digest(from: usize, bytes: usize) -> u64 {
    // SAFETY: whoever enqueues a copy promises that its source is readable until the copy has ended.
    hash(unsafe { std::slice::from_raw_parts(ptr::with_exposed_provenance::<u8>(from), bytes) })
}

/// Returns a number that depends on the bytes alone. Any byte may change any bit of it.
pub(super) fn hash(bytes: &[u8]) -> u64 {
    let mut hash = bytes.len() as u64;
    for chunk in bytes.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        hash = (hash ^ u64::from_le_bytes(word)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        hash ^= hash >> 29;
    }
    hash
}

pub unsafe extern "system" fn cuMemAlloc_v2(address: *mut Address, bytes: usize) -> u32 {
    answer(|driver| {
        driver.log(|| format!("allocates {bytes} bytes"));
        if bytes > driver.free_bytes() {
            return Err(sys::OUT_OF_MEMORY);
        }
        driver.may_fail("cuMemAlloc_v2")?;
        // SAFETY: the caller's promise.
        unsafe { *address = driver.allocate(bytes, Kind::Device)? as Address };
        Ok(())
    })
}

pub unsafe extern "system" fn cuMemFree_v2(address: Address) -> u32 {
    answer(|driver| driver.free(address as usize))
}

pub unsafe extern "system" fn cuMemGetInfo_v2(free: *mut usize, total: *mut usize) -> u32 {
    answer(|driver| {
        // SAFETY: the caller's promise.
        unsafe { (*free, *total) = (driver.free_bytes(), BYTES) };
        Ok(())
    })
}

pub unsafe extern "system" fn cuMemHostAlloc(pointer: *mut *mut c_void, bytes: usize, flags: c_uint) -> u32 {
    answer(|driver| {
        if flags != sys::MEMHOSTALLOC_DEVICEMAP {
            return Err(sys::INVALID_VALUE);
        }
        driver.may_fail("cuMemHostAlloc")?;
        // SAFETY: the caller's promise.
        unsafe { *pointer = ptr::with_exposed_provenance_mut(driver.allocate(bytes, Kind::Locked)?) };
        Ok(())
    })
}

pub unsafe extern "system" fn cuMemHostGetDevicePointer_v2(
    address: *mut Address,
    pointer: *mut c_void,
    flags: c_uint,
) -> u32 {
    answer(|_| {
        // SAFETY: the caller's promise.
        unsafe { *address = pointer.expose_provenance() as Address };
        if flags == 0 { Ok(()) } else { Err(sys::INVALID_VALUE) }
    })
}

pub unsafe extern "system" fn cuMemFreeHost(pointer: *mut c_void) -> u32 {
    answer(|driver| driver.free(pointer.addr()))
}

pub unsafe extern "system" fn cuMemHostRegister_v2(pointer: *mut c_void, bytes: usize, flags: c_uint) -> u32 {
    answer(|driver| {
        let (context, number) = (driver.current(), driver.next());
        driver.memory.insert(
            pointer.expose_provenance(),
            Allocation { bytes, kind: Kind::Registered, context, number, written: None },
        );
        if flags == 0 { Ok(()) } else { Err(sys::INVALID_VALUE) }
    })
}

pub unsafe extern "system" fn cuMemHostUnregister(pointer: *mut c_void) -> u32 {
    answer(|driver| driver.free(pointer.addr()))
}

pub unsafe extern "system" fn cuMemcpyHtoDAsync_v2(
    to: Address,
    from: *const c_void,
    bytes: usize,
    stream: Handle,
) -> u32 {
    answer(|driver| {
        let from = from.expose_provenance();
        driver.touch(to as usize, bytes)?;
        driver.log(|| {
            let kind = match driver.allocation(from) {
                None => "pageable",
                Some((_, found)) => match found.kind {
                    Kind::Device => "device",
                    Kind::Locked => "locked",
                    Kind::Registered => "registered",
                },
            };
            format!("copies {bytes} bytes of {kind} memory")
        });
        if driver.allocation(from).is_some() {
            driver.touch(from, bytes)?;
        }
        driver.copy("cuMemcpyHtoDAsync_v2", (to as usize, from), bytes, stream, true)
    })
}

pub unsafe extern "system" fn cuMemcpyDtoHAsync_v2(
    to: *mut c_void,
    from: Address,
    bytes: usize,
    stream: Handle,
) -> u32 {
    answer(|driver| {
        driver.copy("cuMemcpyDtoHAsync_v2", (to.expose_provenance(), from as usize), bytes, stream, false)
    })
}

pub unsafe extern "system" fn cuMemcpyDtoDAsync_v2(
    to: Address,
    from: Address,
    bytes: usize,
    stream: Handle,
) -> u32 {
    answer(|driver| {
        driver.touch(to as usize, bytes)?;
        driver.copy("cuMemcpyDtoDAsync_v2", (to as usize, from as usize), bytes, stream, false)
    })
}

pub unsafe extern "system" fn cuMemsetD8Async(to: Address, value: u8, bytes: usize, stream: Handle) -> u32 {
    answer(|driver| {
        driver.may_fail("cuMemsetD8Async")?;
        let stream = stream::of(driver, stream)?;
        driver.push(stream, Work::Fill { to: to as usize, value, bytes })
    })
}

pub unsafe extern "system" fn cuPointerGetAttributes(
    count: c_uint,
    attributes: *mut c_uint,
    values: *mut *mut c_void,
    address: Address,
) -> u32 {
    answer(|driver| {
        for at in 0..count as usize {
            // SAFETY: the caller's promise: there are `count` attributes and values.
            let (attribute, value) = unsafe { (*attributes.add(at), *values.add(at)) };
            let number = match driver.allocation(address as usize) {
                Some(found) => driver.attribute(attribute, found).ok_or(sys::INVALID_VALUE)?,
                None => 0,
            };
            // SAFETY: the caller's promise.
            unsafe { write_attribute(value, attribute, number) };
        }
        Ok(())
    })
}

/// Writes an attribute in its type: an address, or a number of 4 bytes.
///
/// # Safety
/// `value` is writable for the attribute's type.
unsafe fn write_attribute(value: *mut c_void, attribute: c_uint, number: u64) {
    // SAFETY: the caller's promise.
    unsafe {
        match attribute {
            sys::POINTER_ATTRIBUTE_RANGE_START_ADDR | sys::POINTER_ATTRIBUTE_RANGE_SIZE => {
                value.cast::<u64>().write_unaligned(number)
            }
            _ => value.cast::<u32>().write_unaligned(number as u32),
        }
    }
}
