//! Loads from and stores to global memory.

use crate::imp;

/// Reads a `T` that nothing writes during the launch. A `T` with 16-byte size and alignment is one vector
/// load.
///
/// # Safety
/// `address` is aligned, readable for a `T`, and written by nobody during the launch.
#[inline(always)]
#[must_use]
#[track_caller]
pub unsafe fn load<T: Copy>(address: *const T) -> T {
    // SAFETY: by this function's contract.
    unsafe { imp::load(address) }
}

/// Reads 16 bytes that nothing writes during the launch through the read-only path (`ld.global.nc.v4`).
///
/// # Safety
/// `address` is 16-byte aligned, readable for 16 bytes, and written by nobody during the launch.
#[inline(always)]
#[must_use]
#[track_caller]
pub unsafe fn load_read_only(address: *const [u32; 4]) -> [u32; 4] {
    // SAFETY: by this function's contract.
    unsafe { imp::load_read_only(address) }
}

/// Reads a `T` that another block wrote before it took its [ticket](crate::atomic::ticket).
///
/// # Safety
/// `address` is aligned and readable for a `T`, and its writer is ordered before by a ticket.
#[inline(always)]
#[must_use]
#[track_caller]
pub unsafe fn load_handed_over<T: Copy>(address: *const T) -> T {
    // SAFETY: by this function's contract.
    unsafe { imp::load_handed_over(address) }
}

/// Writes a `T`.
///
/// # Safety
/// `address` is aligned and writable for a `T`, and no other thread touches it unless ordered by a ticket or
/// a barrier.
#[inline(always)]
#[track_caller]
pub unsafe fn store<T: Copy>(address: *mut T, value: T) {
    // SAFETY: by this function's contract.
    unsafe { imp::store(address, value) }
}
