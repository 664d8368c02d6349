//! Device memory of another library.

use std::ffi::c_void;
use std::sync::Arc;

use super::Memory;
use super::device::End;
use crate::context::Context;
use crate::error::{CudaError, CudaResult};
use crate::sys;

impl Memory {
    /// Another library's memory, which is not freed with this. Its first and its last byte must be on this device, as
    /// far as the driver knows.
    ///
    /// # Safety
    /// The bytes are readable by this device, initialised and not written until all work that uses them has ended.
    ///
    /// # Errors
    /// [`CudaError::Foreign`] if the driver does not know both bytes for memory that the device can read;
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

/// Fails unless the driver knows the byte for managed memory, or memory of this device. The context is bound.
fn is_readable(context: &Context, address: sys::Address) -> CudaResult<()> {
    let ask = |attribute| {
        let mut value: u32 = 0;
        // SAFETY: these attributes are written as 4 bytes, at most: to a local; any address may be asked about.
        let code =
            unsafe { sys::cuPointerGetAttribute((&raw mut value).cast::<c_void>(), attribute, address) };
        if code == sys::INVALID_VALUE {
            return Err(CudaError::Foreign { address, why: "the driver knows of no such memory" });
        }
        context.check(code, "asking what memory a pointer is to").map(|()| value)
    };
    // Known to the driver at all: the other attributes of an unknown pointer are not to be relied on.
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
