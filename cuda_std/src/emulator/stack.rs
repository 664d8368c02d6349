//! Stacks for the emulated threads, kept for reuse: mapping one costs as much as running a small block.

use std::io::Result;
use std::sync::{Mutex, PoisonError};

#[cfg(windows)]
use corosensei::stack::StackTebFields;
use corosensei::stack::{DefaultStack, Stack, StackPointer};

/// Bytes of a stack unless a launch sets another size. Only touched pages take memory.
/// [rustc 1.95, level 0: a function of the kernels over rows has a frame of 396 KiB, and calls others.]
pub(super) const STACK_BYTES: usize = 1024 * 1024;

/// Most idle stacks of that size that the process keeps: the stacks of eight full blocks.
const KEPT: usize = 8 * 1024;

/// Number of idle stacks that a launch takes at once.
const BATCH: usize = 32;

/// Bytes of a cache line.
const LINE: usize = 64;

/// Bytes of a page, whose lines have sets of their own in every cache.
const PAGE: usize = 4096;

/// A stack that begins at another line of its page than its neighbours. What a thread uses of a stack is its beginning, so
/// stacks that all began at a page would share a few sets of each cache.
pub(super) struct Coloured {
    stack: DefaultStack,
    base: StackPointer,
}

impl Coloured {
    fn new(bytes: usize) -> Result<Self> {
        let stack = DefaultStack::new(bytes.saturating_add(PAGE))?;
        let base = stack.base();
        // Stacks are mapped one after the other.
        let base = StackPointer::new(base.get() - base.get() / PAGE * LINE % PAGE).unwrap_or(base);
        Ok(Self { stack, base })
    }
}

// SAFETY: it is the whole of a `DefaultStack` but at most the first page, which `new` asked for beyond what is needed. Lines are
// aligned to more than `STACK_ALIGNMENT`.
unsafe impl Stack for Coloured {
    fn base(&self) -> StackPointer {
        self.base
    }

    fn limit(&self) -> StackPointer {
        self.stack.limit()
    }

    #[cfg(windows)]
    fn teb_fields(&self) -> StackTebFields {
        self.stack.teb_fields()
    }

    #[cfg(windows)]
    fn update_teb_fields(&mut self, stack_limit: usize, guaranteed_stack_bytes: usize) {
        self.stack.update_teb_fields(stack_limit, guaranteed_stack_bytes);
    }
}

static IDLE: Mutex<Vec<Coloured>> = Mutex::new(Vec::new());

/// The stacks of one launch that are not in use.
pub(super) struct Stacks {
    bytes: usize,
    free: Vec<Coloured>,
}

impl Stacks {
    pub(super) fn new(bytes: usize) -> Self {
        Self { bytes, free: Vec::new() }
    }

    /// Returns a stack: one that this launch used before, an idle one of the process, or a new one.
    pub(super) fn take(&mut self) -> Result<Coloured> {
        if self.free.is_empty() && self.bytes == STACK_BYTES {
            let mut idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
            let keep = idle.len().saturating_sub(BATCH);
            self.free.extend(idle.drain(keep..));
        }
        match self.free.pop() {
            Some(stack) => Ok(stack),
            None => Coloured::new(self.bytes),
        }
    }

    pub(super) fn give_back(&mut self, stack: Coloured) {
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
