//! Device memory that one call has used and the next one probably needs. For gigabytes the driver takes milliseconds to
//! allocate and to free, and both wait for the device.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::context::Context;
use crate::{fork, sys};

/// At most one allocation is kept, of at most this fraction (1/16) of the device's memory.
const MOST_PART: usize = 16;

/// The memory that a context keeps for a later call.
#[derive(Debug, Default)]
pub(crate) struct Spare {
    kept: Mutex<Option<Allocation>>,
    /// Most bytes that are kept.
    most: OnceLock<usize>,
}

/// Memory of a context that must be freed explicitly.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Allocation {
    pub(crate) address: sys::Address,
    pub(crate) bytes: usize,
}

impl Spare {
    /// Takes the kept memory, if it has at least `least` bytes.
    pub(crate) fn take(&self, least: usize) -> Option<Allocation> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).take_if(|kept| kept.bytes >= least)
    }

    /// Keeps the larger of the kept and the given memory, if it has at most `most` bytes, and returns the other.
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
    /// Keeps memory that no work uses for a later call, or frees it.
    pub(crate) fn give_back(self: &Arc<Self>, given: Allocation) {
        // In a forked child, a lock that another thread of the parent held is never released.
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
        // SAFETY: allocated in this context, and its owner has given it up: it is freed once.
        self.release(|| unsafe { sys::cuMemFree_v2(allocation.address) });
    }
}
