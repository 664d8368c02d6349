//! Pool of a device for blocking calls. Each is lent to one call at a time.

use std::cell::Cell;

use crate::cuda::executor::{Executor, KEPT};
use crate::error::Error;
use crate::sync::{Mutex, MutexGuard, TryLockError, thread_local};

/// Slots for executors. A call holds the lock of its executor's slot. Nobody waits for that lock: other calls look elsewhere.
#[derive(Debug)]
pub(crate) struct Pool {
    slots: [Slot; KEPT],
}

/// Aligned to a pair of cache lines, so that threads do not disturb each other's locks.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Slot(Mutex<Option<Executor>>);

thread_local! {
    /// Index of the slot where this thread last found an executor, on any device.
    static LAST: Cell<usize> = const { Cell::new(0) };
}

impl Default for Pool {
    fn default() -> Self {
        Self { slots: std::array::from_fn(|_| Slot::default()) }
    }
}

impl Pool {
    /// Calls `call` with exclusive access to an executor: the one this thread had last, else an idle one, else a new one.
    /// After an error the executor is not lent again.
    pub(crate) fn lease<R>(
        &self,
        make: impl FnOnce() -> Result<Executor, Error>,
        call: impl FnOnce(&Executor) -> Result<R, Error>,
    ) -> Result<R, Error> {
        let last = LAST.get();
        let waiting = |&slot: &usize| self.try_slot(slot).filter(|executor| executor.is_some());
        let empty = |&slot: &usize| self.try_slot(slot).filter(|executor| executor.is_none());
        let found = std::iter::once(last).chain(0..KEPT).find_map(|slot| Some((slot, waiting(&slot)?)));
        let found = found.or_else(|| (0..KEPT).find_map(|slot| Some((slot, empty(&slot)?))));
        let Some((slot, mut held)) = found else {
            return call(&make()?);
        };
        LAST.set(slot);
        let answer = match &*held {
            Some(executor) => call(executor),
            None => call(held.insert(make()?)),
        };
        // Dropped after the lock is released, because dropping waits for the executor's work.
        let given_up = if answer.is_err() { held.take() } else { None };
        drop(held);
        drop(given_up);
        answer
    }

    /// Locks a slot, unless a call uses it.
    fn try_slot(&self, slot: usize) -> Option<MutexGuard<'_, Option<Executor>>> {
        let Slot(executor) = self.slots.get(slot)?;
        match executor.try_lock() {
            Ok(held) => Some(held),
            Err(TryLockError::WouldBlock) => None,
            Err(TryLockError::Poisoned(poisoned)) => {
                // A call panicked, so the state of its executor is not known. The executor is dropped, and the slot is
                // usable.
                executor.clear_poison();
                let mut held = poisoned.into_inner();
                *held = None;
                Some(held)
            }
        }
    }
}
