//! Waits for streams with work of NCCL, which never ends if another rank does not come.

use std::hint;
use std::sync::{Arc, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::Communicator;
use crate::error::{CudaError, CudaResult, DriverCode};
use crate::handle::StreamHandle;
use crate::sys;

/// Time in which the device ends work that was aborted.
const GRACE: Duration = Duration::from_secs(10);
/// Time between two questions whether NCCL has found an error.
const BETWEEN_CHECKS: Duration = Duration::from_millis(2);

/// Most unfinished exchanges of a stream. NCCL describes them to the device in a buffer of 1 MiB, by default; one of 64
/// ranks takes some 20 KB.
const MOST_MOVES: usize = 32;

/// What a stream's unfinished work needs of other ranks.
#[derive(Debug)]
pub(crate) struct Guard {
    communicator: Arc<Communicator>,
    /// The stream beside it that has some of the work.
    side: Option<Arc<StreamHandle>>,
    /// How often it was enqueued.
    times: usize,
}

/// Pauses between questions: none at first, and longer ones later.
#[derive(Debug, Default)]
pub(super) struct Pause(u32);

impl Pause {
    pub(super) fn rest(&mut self) {
        self.0 = self.0.saturating_add(1);
        match self.0 {
            0..200 => hint::spin_loop(),
            // Some ten milliseconds: what moves and folds 1 GiB ends sooner.
            200..20_000 => thread::yield_now(),
            _ => thread::sleep(Duration::from_micros(50)),
        }
    }
}

/// How a wait ended.
pub(crate) struct Waited {
    /// Whether the device has ended the work. If it is an error, memory may still be in use.
    pub(crate) ended: CudaResult<()>,
    /// Whether the communicators did what the work needs.
    pub(crate) moved: CudaResult<()>,
}

impl StreamHandle {
    /// Has waits for this stream end when the communicator fails or its time limit is over.
    pub(super) fn guard_by(&self, communicator: &Arc<Communicator>, side: Option<&Arc<StreamHandle>>) {
        let mut guards = self.guards().lock().unwrap_or_else(PoisonError::into_inner);
        let is_it = |guard: &Guard| {
            let same = |(one, other): (&Arc<Self>, &Arc<Self>)| Arc::ptr_eq(one, other);
            Arc::ptr_eq(&guard.communicator, communicator)
                && (side.is_none() || guard.side.as_ref().zip(side).is_some_and(same))
        };
        match guards.iter_mut().find(|guard| is_it(guard)) {
            Some(guard) => guard.times += 1,
            None => guards.push(Guard { communicator: communicator.clone(), side: side.cloned(), times: 1 }),
        }
    }

    /// Returns whether so much work of NCCL is unfinished that enqueuing more could block. If another rank never comes,
    /// it would do so for ever.
    pub(crate) fn is_full_of_moves(&self) -> bool {
        let guards = self.guards().lock().unwrap_or_else(PoisonError::into_inner);
        guards.iter().map(|guard| guard.times).sum::<usize>() >= MOST_MOVES
    }

    /// Guards this stream as a graph's launch needs it.
    pub(crate) fn guard_by_all(&self, communicators: &[Arc<Communicator>]) {
        communicators.iter().for_each(|communicator| self.guard_by(communicator, None));
    }

    /// Waits for the stream and the streams beside it, as long as their communicators allow. Calls `has_ended` for
    /// each. Returns `None` without work of NCCL. The stream is guarded until a wait succeeds.
    pub(crate) fn wait_guarded(&self, has_ended: impl Fn(&Self) -> CudaResult<bool>) -> Option<Waited> {
        // The lock is not held while waiting, so that others may enqueue.
        let guards = std::mem::take(&mut *self.guards().lock().unwrap_or_else(PoisonError::into_inner));
        if guards.is_empty() {
            return None;
        }
        let all_ended = || {
            let mut sides = guards.iter().filter_map(|guard| guard.side.as_deref());
            Ok(has_ended(self)? && sides.try_fold(true, |all, side| Ok(all && has_ended(side)?))?)
        };
        let mut moved = Ok(());
        let mut ended = until(limit(&guards), &guards, &mut moved, &all_ended);
        if moved.is_ok() && matches!(ended, Ok(false)) {
            for guard in &guards {
                moved = Err(guard.communicator.give_up());
            }
        }
        if matches!(ended, Ok(false)) {
            ended = until(GRACE, &[], &mut Ok(()), &all_ended);
        }
        if moved.is_ok() {
            let during = "waiting for the stream";
            moved = guards.iter().try_for_each(|guard| guard.communicator.usable(during));
        }
        if moved.is_err() || ended.is_err() {
            // Later waits return the error too.
            self.guards().lock().unwrap_or_else(PoisonError::into_inner).extend(guards);
        }
        let late = CudaError::Driver { code: DriverCode(sys::NOT_READY), during: "ending work of NCCL" };
        Some(Waited { ended: ended.and_then(|ended| if ended { Ok(()) } else { Err(late) }), moved })
    }

    /// Returns whether the streams beside this one have ended their work too. Calls `has_ended` for each.
    pub(crate) fn sides_have_ended(&self, has_ended: impl Fn(&Self) -> CudaResult<bool>) -> CudaResult<bool> {
        let guards = self.guards().lock().unwrap_or_else(PoisonError::into_inner);
        for guard in &*guards {
            guard.communicator.check()?;
            if let Some(side) = &guard.side
                && !has_ended(side)?
            {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// The shortest time limit.
fn limit(guards: &[Guard]) -> Duration {
    guards.iter().map(|guard| guard.communicator.limit()).min().unwrap_or_default()
}

/// Asks until the work has ended, a communicator fails or the limit is over. Returns whether it has ended.
fn until(
    limit: Duration,
    guards: &[Guard],
    moved: &mut CudaResult<()>,
    all_ended: &impl Fn() -> CudaResult<bool>,
) -> CudaResult<bool> {
    let (started, mut checked, mut pause) = (Instant::now(), Instant::now(), Pause::default());
    loop {
        if all_ended()? {
            return Ok(true);
        }
        if checked.elapsed() >= BETWEEN_CHECKS {
            checked = Instant::now();
            *moved = guards.iter().try_for_each(|guard| guard.communicator.check());
            if moved.is_err() || started.elapsed() >= limit {
                return Ok(false);
            }
        }
        pause.rest();
    }
}
