//! The hand-over between blocks.

use crate::imp;

/// A counter in global memory that the blocks of a launch take numbers from.
#[derive(Clone, Copy)]
pub struct Ticket {
    counter: *mut u32,
}

impl Ticket {
    /// Makes the handle.
    ///
    /// # Safety
    /// `counter` is an aligned u32 in global memory that only tickets touch during the launch.
    #[inline(always)]
    #[must_use]
    pub unsafe fn new(counter: *mut u32) -> Self {
        Self { counter }
    }

    /// Takes a number: the counter goes from 0 to `last` and then round to 0 again, and the value before is
    /// given. What the caller wrote before is visible to whoever takes a later number, at device scope
    /// (PTX ISA, memory consistency model, release and acquire patterns).
    ///
    /// With `last` = takers - 1, exactly one of them gets `last`, what all others wrote is visible to it, and
    /// the counter stands at 0 again for the next launch.
    #[inline(always)]
    #[must_use]
    #[track_caller]
    pub fn take(self, last: u32) -> u32 {
        // SAFETY: `new`'s caller promised the counter.
        unsafe { imp::ticket(self.counter, last, true) }
    }

    /// [`take`](Self::take) by those threads for which `wanted` holds; the others get `u32::MAX`, which is never a number
    /// of fewer than 2^32 takers. Without a branch: the threads of a warp stay together.
    #[inline(always)]
    #[must_use]
    #[track_caller]
    pub fn take_if(self, wanted: bool, last: u32) -> u32 {
        // SAFETY: `new`'s caller promised the counter.
        unsafe { imp::ticket(self.counter, last, wanted) }
    }
}
