//! The hand-over between blocks.

use crate::imp;

/// Takes a ticket: adds one to `counter`, from 0 to `last` and then round to 0 again, and gives the value
/// before. What the caller wrote before is visible to whoever takes a later ticket, at device scope
/// (PTX ISA 8.7, release and acquire patterns).
///
/// With `last` = blocks - 1, exactly one block of a launch gets `last`, every other block's writes are
/// visible to it, and the counter stands at 0 again for the next launch.
///
/// # Safety
/// `counter` is an aligned u32 in global memory that only tickets touch during the launch.
#[inline(always)]
#[must_use]
#[track_caller]
pub unsafe fn ticket(counter: *mut u32, last: u32) -> u32 {
    // SAFETY: by this function's contract.
    unsafe { imp::ticket(counter, last) }
}
