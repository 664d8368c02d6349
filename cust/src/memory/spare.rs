//! Device memory that one call has used and the next one is likely to want: allocating gigabytes and freeing them takes the
//! driver milliseconds, and each of the two waits for the device.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::context::Context;
use crate::{fork, sys};

/// One allocation at most, of no more than this part of the device's memory.
const MOST_PART: usize = 16;

/// A context's.
#[derive(Debug, Default)]
pub(crate) struct Spare {
    kept: Mutex<Option<Allocation>>,
    /// The most bytes that are kept.
    most: OnceLock<usize>,
}

/// Memory of the context that is freed by hand.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Allocation {
    pub(crate) address: sys::Address,
    pub(crate) bytes: usize,
}

impl Spare {
    /// Takes what is kept, if it has at least so many bytes.
    pub(crate) fn take(&self, least: usize) -> Option<Allocation> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).take_if(|kept| kept.bytes >= least)
    }

    /// Keeps the larger of what is kept and what is given, if that is not too much, and gives back the other one.
    fn swap(&self, given: Allocation, most: usize) -> Option<Allocation> {
        if given.bytes > most {
            return Some(given);
        }
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        match kept.as_ref() {
            Some(kept) if kept.bytes >= given.bytes => Some(given),
            _ => kept.replace(given),
        }
    }
}

impl Context {
    /// Keeps memory that no work uses for the next call, or frees it.
    pub(crate) fn give_back(self: &Arc<Self>, given: Allocation) {
        // In a forked child a lock of the parent's threads is held for ever.
        if fork::forked() || self.usable().is_err() {
            return self.leaked(1);
        }
        let most = *self.spare().most.get_or_init(|| self.total_bytes().map_or(0, |bytes| bytes / MOST_PART));
        if let Some(other) = self.spare().swap(given, most) {
            self.free(other);
        }
    }

    /// Frees memory that no work uses.
    pub(crate) fn free(&self, allocation: Allocation) {
        // SAFETY: allocated in this context, and whoever had it gave it here: it is freed once.
        self.release(|| unsafe { sys::cuMemFree_v2(allocation.address) });
    }
}
