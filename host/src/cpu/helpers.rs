//! Work that a call shares with the threads of a pool, its helpers. A thread that begins a helper enters the work, unless the call
//! has closed it. The call closes it once there is nothing left to do, and waits for the helpers inside. It waits for no helper that
//! has not begun, so it also ends while all threads of the pool are busy, or wait for its caller.
//!
//! The wait ends. A helper inside does tasks, and a task waits for nothing, unless the operator calls this crate itself. That call
//! began later than the one that waits for the helper. So in a chain of calls that wait for one another, each call began later than
//! the call before it. The last call waits for tasks alone.

use std::any::Any;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;

use crate::sync::atomic::{AtomicU32, Ordering};
use crate::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// The bit of [`Shared::inside`] that lets no helper enter.
const CLOSED: u32 = 1 << 31;

/// The payload of a panic.
type Panic = Box<dyn Any + Send>;

/// The work of a call. It outlives the call if a helper begins later.
struct Shared {
    /// Alive until the work is closed and no helper is inside.
    work: *const (dyn Fn() + Sync),
    /// The number of helpers inside, and [`CLOSED`].
    inside: AtomicU32,
    /// The first panic of a helper. The call sleeps under this lock.
    panic: Mutex<Option<Panic>>,
    /// Tells the call that the last helper has left.
    left: Condvar,
}

// SAFETY: `work` points to a `Sync` closure, and `help` says why it is alive where it is called. The rest is `Send` and `Sync`.
unsafe impl Send for Shared {}
// SAFETY: as above.
unsafe impl Sync for Shared {}

/// A helper, for a thread to begin at any time, also when the call has ended.
pub(super) struct Helper(Arc<Shared>);

/// Does `work` on this thread, and at the same time by `helpers` helpers. Gives each helper to `start`. A helper that has not begun when
/// `work` returns on this thread does nothing.
///
/// A panic of `work`, on whatever thread, continues here once all helpers have left.
pub(super) fn together(work: &(dyn Fn() + Sync), helpers: usize, start: impl Fn(Helper)) {
    let borrowed: *const (dyn Fn() + Sync + '_) = work;
    // SAFETY: the pointers differ in the lifetime of what the closure borrows alone. `help` says why that is alive.
    let erased =
        unsafe { mem::transmute::<*const (dyn Fn() + Sync + '_), *const (dyn Fn() + Sync)>(borrowed) };
    let shared = Arc::new(Shared {
        work: erased,
        inside: AtomicU32::new(0),
        panic: Mutex::new(None),
        left: Condvar::new(),
    });
    // Nothing between the first helper and `close` unwinds.
    let here = catch_unwind(AssertUnwindSafe(|| {
        for _ in 0..helpers {
            start(Helper(shared.clone()));
        }
        work();
    }));
    let of_helper = shared.close();
    if let Some(panic) = here.err().or(of_helper) {
        resume_unwind(panic);
    }
}

impl Helper {
    /// Does the call's work, unless the call has closed it.
    pub(super) fn help(self) {
        let shared = &*self.0;
        let enter = |inside| (inside & CLOSED == 0).then(|| inside + 1);
        if shared.inside.fetch_update(Ordering::Relaxed, Ordering::Relaxed, enter).is_err() {
            return;
        }
        // SAFETY: `together` borrows the closure until it returns or unwinds, which it does only after `close`. This helper has
        // entered before `CLOSED` was set, so `close` waits until `leave` below.
        let work = unsafe { &*shared.work };
        if let Err(panic) = catch_unwind(AssertUnwindSafe(work)) {
            let mut first = shared.lock();
            match &*first {
                None => *first = Some(panic),
                // Its destructor might panic too.
                Some(_) => mem::forget(panic),
            }
        }
        shared.leave();
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Option<Panic>> {
        self.panic.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends a helper's stay, after which it no longer uses what the call borrows. Releases what it wrote.
    fn leave(&self) {
        if self.inside.fetch_sub(1, Ordering::Release) == CLOSED + 1 {
            // The call looks while it holds the lock. So it has seen this, or it sleeps.
            drop(self.lock());
            self.left.notify_one();
        }
    }

    /// Lets no helper enter any more, waits until none is inside, and returns the first panic of one. Acquires what the helpers wrote.
    fn close(&self) -> Option<Panic> {
        self.inside.fetch_or(CLOSED, Ordering::Relaxed);
        let mut panic = self.lock();
        while self.inside.load(Ordering::Acquire) != CLOSED {
            panic = self.left.wait(panic).unwrap_or_else(PoisonError::into_inner);
        }
        panic.take()
    }
}
