//! Stacks for the emulated threads, kept for reuse: mapping one costs as much as running a small block.

use std::sync::{Mutex, PoisonError};

use corosensei::stack::DefaultStack;

/// Bytes of a stack unless a launch sets another size. Only touched pages take memory.
/// [rustc 1.95, level 0: a function of the kernels over rows has a frame of 396 KiB, and calls others.]
pub(super) const STACK_BYTES: usize = 1024 * 1024;

/// Most idle stacks of that size that the process keeps: those of eight full blocks.
const KEPT: usize = 8 * 1024;

/// Number of idle stacks that a launch takes at once.
const BATCH: usize = 32;

static IDLE: Mutex<Vec<DefaultStack>> = Mutex::new(Vec::new());

/// The stacks of one launch that are not in use.
pub(super) struct Stacks {
    bytes: usize,
    free: Vec<DefaultStack>,
}

impl Stacks {
    pub(super) fn new(bytes: usize) -> Self {
        Self { bytes, free: Vec::new() }
    }

    /// Returns a stack: one that this launch used before, an idle one of the process, or a new one.
    pub(super) fn take(&mut self) -> std::io::Result<DefaultStack> {
        if self.free.is_empty() && self.bytes == STACK_BYTES {
            let mut idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
            let keep = idle.len().saturating_sub(BATCH);
            self.free.extend(idle.drain(keep..));
        }
        match self.free.pop() {
            Some(stack) => Ok(stack),
            None => DefaultStack::new(self.bytes),
        }
    }

    pub(super) fn give_back(&mut self, stack: DefaultStack) {
        self.free.push(stack);
    }
}

impl Drop for Stacks {
    fn drop(&mut self) {
        if self.bytes == STACK_BYTES {
            let mut idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
            let room = KEPT.saturating_sub(idle.len());
            self.free.truncate(room);
            idle.append(&mut self.free);
        }
    }
}
