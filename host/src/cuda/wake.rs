//! Wakes tasks that await results. The driver could do it, with a callback enqueued after the kernel; but after an
//! error it makes no callback, and the task would sleep for ever. So the host polls.

use std::sync::Arc;
use std::task::Waker;
use std::time::Instant;

use gpu_kernels::Accumulator;

use crate::cuda::launch::{MOST_WATCHING, Reply};
use crate::sync::{Mutex, PoisonError, thread};

/// How a task that polls one result is woken.
#[derive(Debug, Default)]
pub(crate) struct Waking {
    /// The time of the first poll.
    since: Option<Instant>,
    /// The waker that the waiting thread calls, once there is such a thread. The thread takes it out when it is done.
    sleeper: Option<Arc<Mutex<Option<Waker>>>>,
}

impl Waking {
    /// Has `waker` called once the result or an error has arrived, or earlier. At first calls it at once, because a
    /// thread costs more time than most reductions take.
    pub(crate) fn wake_later<A: Accumulator>(&mut self, reply: Arc<Reply>, waker: &Waker) {
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
                // The task itself fetches the result, and sees errors.
                let _result = reply.wait_alone::<A>();
                let waker = sleeper.lock().unwrap_or_else(PoisonError::into_inner).take();
                if let Some(waker) = waker {
                    waker.wake();
                }
            }
        };
        match thread::Builder::new().name("warpfold-wake".into()).spawn(waits) {
            Ok(_) => self.sleeper = Some(sleeper),
            // No more threads are available, so the task polls again and again.
            Err(_) => waker.wake_by_ref(),
        }
    }
}
