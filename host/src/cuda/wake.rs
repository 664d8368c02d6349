//! Who wakes a task that awaits a result. The driver could, by a call enqueued after the kernel, but not after an error,
//! which would leave the task asleep for ever; so the host looks.

use std::sync::{Arc, Mutex, PoisonError};
use std::task::Waker;
use std::time::Instant;

use crate::Accumulator;
use crate::cuda::launch::{MOST_WATCHING, Reply};

/// How a task that polls one result is woken.
#[derive(Debug, Default)]
pub(super) struct Waking {
    /// The first poll.
    since: Option<Instant>,
    /// Who is to be woken by the thread that waits, once there is one. It takes it out when it is done.
    sleeper: Option<Arc<Mutex<Option<Waker>>>>,
}

impl Waking {
    /// Has `waker` called once the result is there or an error is, or earlier. At first that is at once, since a thread
    /// costs more time than most reductions take.
    pub(super) fn wake_later<A: Accumulator>(&mut self, reply: Arc<Reply>, waker: &Waker) {
        if self.since.get_or_insert_with(Instant::now).elapsed() < MOST_WATCHING {
            return waker.wake_by_ref();
        }
        if let Some(sleeper) = &self.sleeper {
            let mut sleeper = sleeper.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(known) = &mut *sleeper {
                return known.clone_from(waker);
            }
        }
        let sleeper = Arc::new(Mutex::new(Some(waker.clone())));
        let waits = {
            let sleeper = sleeper.clone();
            move || {
                // The task asks for itself: errors, too, are its to see.
                let _result = reply.wait_alone::<A>();
                let waker = sleeper.lock().unwrap_or_else(PoisonError::into_inner).take();
                if let Some(waker) = waker {
                    waker.wake();
                }
            }
        };
        match std::thread::Builder::new().name("warpfold-wake".into()).spawn(waits) {
            Ok(_) => self.sleeper = Some(sleeper),
            // No more threads: the task looks again and again.
            Err(_) => waker.wake_by_ref(),
        }
    }
}
