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

/// A locked slot.
type Held<'a> = MutexGuard<'a, Option<Executor>>;

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
        make: &dyn Fn() -> Result<Executor, Error>,
        call: impl FnOnce(&Executor) -> Result<R, Error>,
    ) -> Result<R, Error> {
        let (mut held, mut own) = (self.hold(), None);
        let slot = held.as_deref_mut().unwrap_or(&mut own);
        let answer = call(filled(slot, make)?);
        release(held, answer.is_err());
        answer
    }

    /// Locks a slot with an idle executor, else an empty one. It is apart from [`lease`](Self::lease) because it does not depend on
    /// the type of a call: so it is compiled once.
    fn hold(&self) -> Option<Held<'_>> {
        let last = LAST.get();
        let waiting = |&slot: &usize| self.try_slot(slot).filter(|executor| executor.is_some());
        let empty = |&slot: &usize| self.try_slot(slot).filter(|executor| executor.is_none());
        let found = std::iter::once(last).chain(0..KEPT).find_map(|slot| Some((slot, waiting(&slot)?)));
        let found = found.or_else(|| (0..KEPT).find_map(|slot| Some((slot, empty(&slot)?))));
        let (slot, held) = found?;
        LAST.set(slot);
        Some(held)
    }

    /// Locks a slot, unless a call uses it.
    fn try_slot(&self, slot: usize) -> Option<Held<'_>> {
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

/// Returns the executor of a slot, made if it is empty.
fn filled<'a>(
    slot: &'a mut Option<Executor>,
    make: &dyn Fn() -> Result<Executor, Error>,
) -> Result<&'a Executor, Error> {
    match slot {
        Some(executor) => Ok(executor),
        empty => Ok(empty.insert(make()?)),
    }
}

/// Unlocks a slot, and empties it after a call that failed.
fn release(mut held: Option<Held<'_>>, has_failed: bool) {
    let given_up = if has_failed { held.as_deref_mut().and_then(Option::take) } else { None };
    // Dropped after the lock is released, because dropping waits for the executor's work.
    drop(held);
    drop(given_up);
}
