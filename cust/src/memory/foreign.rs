//! Device memory of another library.

use std::ffi::c_void;
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
            for byte in [address, last] {
                is_readable(context, byte)?;
            }
        }
        Ok(Arc::new(Self { context: context.clone(), address, bytes, end: End::NotOurs }))
    }
}

/// Fails unless the driver knows the byte as managed memory or as memory of this device. The caller has bound the
/// context.
fn is_readable(context: &Context, address: sys::Address) -> CudaResult<()> {
    let ask = |attribute| {
        let mut value: u32 = 0;
        // SAFETY: the driver writes at most 4 bytes for these attributes, to a local, and takes any address.
        let code =
            unsafe { sys::cuPointerGetAttribute((&raw mut value).cast::<c_void>(), attribute, address) };
        if code == sys::INVALID_VALUE {
            return Err(CudaError::Foreign { address, why: "the driver knows of no such memory" });
        }
        context.check(code, "asking what memory a pointer is to").map(|()| value)
    };
    // Asked first, because other attributes of a pointer that the driver does not know are unreliable.
    let kind = ask(sys::POINTER_ATTRIBUTE_MEMORY_TYPE)?;
    if ask(sys::POINTER_ATTRIBUTE_IS_MANAGED)? & 0xff != 0 {
        return Ok(());
    }
    if kind != sys::MEMORYTYPE_DEVICE {
        return Err(CudaError::Foreign { address, why: "it is not device memory: copy it there" });
    }
    let device = ask(sys::POINTER_ATTRIBUTE_DEVICE_ORDINAL)? as usize;
    if device == context.ordinal() {
        return Ok(());
    }
    Err(CudaError::OtherDevice { memory: device, stream: context.ordinal() })
}
