//! Device memory of another library.

use std::ffi::c_void;
use std::ops::Range;
use std::ptr;
use std::sync::Arc;

use super::Memory;
use super::device::End;
use crate::context::Context;
use crate::error::{CudaError, CudaResult};
use crate::sys;

impl Memory {
    /// Borrows another library's memory, which is not freed on drop. Checks that its first and last byte are on this
    /// device, if the driver knows.
    ///
    /// # Safety
    /// Until all work that uses the bytes has ended, they are this device's to read, and to write if that work writes them. Nobody else writes
    /// them meanwhile. They are initialized before work reads them.
    ///
    /// # Errors
    /// [`CudaError::Foreign`] if the driver does not know both bytes as memory that the device can read;
    /// [`CudaError::OtherDevice`].
    pub unsafe fn borrow(
        context: &Arc<Context>,
        address: sys::Address,
        bytes: usize,
    ) -> CudaResult<Arc<Self>> {
        if bytes > 0 {
            let refuse = |why| Err(CudaError::Foreign { address, why });
            if address == 0 {
                return refuse("null is no array: only one of no elements may be null");
            }
            let Some(last) = address.checked_add(bytes as u64 - 1) else {
                return refuse("the array would end after the last address: check its length");
            };
            let _bound = context.bind()?;
            // Memory that was mapped in pieces has a range for each, so its last byte may be in another.
            let range = readable_around(context, address)?;
            if !range.contains(&last) {
                readable_around(context, last)?;
            }
        }
        Ok(Arc::new(Self { context: context.clone(), address, bytes, end: End::NotOurs }))
    }
}

/// Returns the range that has the byte at an address. Fails unless the driver knows it as managed memory or as memory of this device. The
/// caller has bound the context. Asks once, because each question takes part of a microsecond.
fn readable_around(context: &Context, address: sys::Address) -> CudaResult<Range<u64>> {
    let mut attributes = [
        sys::POINTER_ATTRIBUTE_MEMORY_TYPE,
        sys::POINTER_ATTRIBUTE_IS_MANAGED,
        sys::POINTER_ATTRIBUTE_DEVICE_ORDINAL,
        sys::POINTER_ATTRIBUTE_RANGE_START_ADDR,
        sys::POINTER_ATTRIBUTE_RANGE_SIZE,
    ];
    let mut answers = [0u64; 5];
    let mut places = answers.each_mut().map(|answer| ptr::from_mut(answer).cast::<c_void>());
    let count = attributes.len() as u32;
    let (attributes, places) = (attributes.as_mut_ptr(), places.as_mut_ptr());
    // SAFETY: the driver writes each attribute, of at most 8 bytes, to a local, and takes any address.
    let code = unsafe { sys::cuPointerGetAttributes(count, attributes, places, address) };
    if code != sys::INVALID_VALUE {
        context.check(code, "asking what memory a pointer is to")?;
    }
    let [kind, managed, device, start, size] = answers;
    // Numbers of 4 bytes or 1: this machine's order of bytes has them first.
    let [kind, device] = [kind, device].map(|answer| answer as u32);
    match kind {
        0 => return Err(CudaError::Foreign { address, why: "the driver knows of no such memory" }),
        _ if managed & 0xff != 0 => {}
        sys::MEMORYTYPE_DEVICE if device as usize == context.ordinal() => {}
        sys::MEMORYTYPE_DEVICE => {
            return Err(CudaError::OtherDevice { memory: device as usize, stream: context.ordinal() });
        }
        _ => return Err(CudaError::Foreign { address, why: "it is not device memory: copy it there" }),
    }
    Ok(start..start.saturating_add(size))
}
