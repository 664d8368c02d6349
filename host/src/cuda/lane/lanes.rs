//! Lanes of a device for blocking calls. Each is lent to one call at a time.

use std::cell::Cell;

use crate::cuda::lane::{KEPT, Lane};
use crate::error::Error;
use crate::sync::{Mutex, MutexGuard, TryLockError, thread_local};

/// Places for lanes. A call holds the lock of its lane's place. Nobody waits for that lock: other calls look elsewhere.
#[derive(Debug)]
pub(in crate::cuda) struct Lanes {
    places: [Place; KEPT],
}

/// Aligned to a pair of cache lines, so that threads do not disturb each other's locks.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Place(Mutex<Option<Lane>>);

thread_local! {
    /// Index of the place where this thread last found a lane, on any device.
    static LAST: Cell<usize> = const { Cell::new(0) };
}

impl Default for Lanes {
    fn default() -> Self {
        Self { places: std::array::from_fn(|_| Place::default()) }
    }
}

impl Lanes {
    /// Calls `call` with exclusive access to a lane: the one this thread had last, else an idle one, else a new one.
    /// After an error the lane is not lent again.
    pub(in crate::cuda) fn lease<R>(
        &self,
        make: impl FnOnce() -> Result<Lane, Error>,
        call: impl FnOnce(&Lane) -> Result<R, Error>,
    ) -> Result<R, Error> {
        let last = LAST.get();
        let waiting = |&place: &usize| self.try_place(place).filter(|lane| lane.is_some());
        let empty = |&place: &usize| self.try_place(place).filter(|lane| lane.is_none());
        let found = std::iter::once(last).chain(0..KEPT).find_map(|place| Some((place, waiting(&place)?)));
        let found = found.or_else(|| (0..KEPT).find_map(|place| Some((place, empty(&place)?))));
        let Some((place, mut held)) = found else {
            return call(&make()?);
        };
        LAST.set(place);
        let answer = match &*held {
            Some(lane) => call(lane),
            None => call(held.insert(make()?)),
        };
        // Dropped after the lock is released, because dropping waits for the lane's work.
        let given_up = if answer.is_err() { held.take() } else { None };
        drop(held);
        drop(given_up);
        answer
    }

    /// Locks a place, unless a call uses it.
    fn try_place(&self, place: usize) -> Option<MutexGuard<'_, Option<Lane>>> {
        let Place(lane) = self.places.get(place)?;
        match lane.try_lock() {
            Ok(held) => Some(held),
            Err(TryLockError::WouldBlock) => None,
            Err(TryLockError::Poisoned(poisoned)) => {
                // A call panicked, so the state of its lane is not known. The lane is dropped, and the place is usable.
                lane.clear_poison();
                let mut held = poisoned.into_inner();
                *held = None;
                Some(held)
            }
        }
    }
}
