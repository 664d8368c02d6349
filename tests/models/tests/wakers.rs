//! Tasks that await results (`host/src/cuda/wake.rs`): each is woken once its result has arrived, by the waker that it gave last.

#![allow(dead_code, reason = "a model uses part of the library's file")]

use warpfold_models::sync;

/// What results are.
pub(crate) trait Accumulator {}
impl Accumulator for u32 {}

#[path = "."]
mod cuda {
    pub(crate) mod launch {
        use std::time::Duration;

        use crate::sync::{Condvar, Mutex};

        /// A thread is made at once.
        pub(crate) const MOST_WATCHING: Duration = Duration::ZERO;

        /// A result that arrives.
        #[derive(Debug, Default)]
        pub(crate) struct Reply {
            has_arrived: Mutex<bool>,
            arrived: Condvar,
        }

        impl Reply {
            pub(crate) fn arrive(&self) {
                *self.has_arrived.lock().expect("a lock") = true;
                self.arrived.notify_all();
            }

            pub(crate) fn has_arrived(&self) -> bool {
                *self.has_arrived.lock().expect("a lock")
            }

            /// What the result is, the model does not say.
            pub(crate) fn wait_alone<A>(&self) -> Option<A> {
                let mut has_arrived = self.has_arrived.lock().expect("a lock");
                while !*has_arrived {
                    has_arrived = self.arrived.wait(has_arrived).expect("a lock");
                }
                None
            }
        }
    }

    #[path = "../../../host/src/cuda/wake.rs"]
    mod wake;

    use std::sync::Arc;
    use std::task::{Wake, Waker};

    use loom::thread;
    use warpfold_models::{Part, check, fails_without, lacks};

    use self::launch::Reply;
    use self::wake::Waking;
    use crate::sync::{Condvar, Mutex};

    /// A place where a task sleeps.
    #[derive(Default)]
    struct Bed {
        is_woken: Mutex<bool>,
        woken: Condvar,
    }

    impl Bed {
        fn sleep(&self) {
            let mut is_woken = self.is_woken.lock().expect("a lock");
            while !*is_woken {
                is_woken = self.woken.wait(is_woken).expect("a lock");
            }
            *is_woken = false;
        }
    }

    impl Wake for Bed {
        fn wake(self: Arc<Self>) {
            *self.is_woken.lock().expect("a lock") = true;
            if !lacks(Part::Waits) {
                self.woken.notify_one();
            }
        }
    }

    /// A task is polled twice before it sleeps: where it was first, and where it went.
    fn awaited() {
        let reply = Arc::new(Reply::default());
        let device = {
            let reply = reply.clone();
            thread::spawn(move || reply.arrive())
        };
        let (mut waking, beds) = (Waking::default(), [(); 2].map(|()| Arc::new(Bed::default())));
        waking.wake_later::<u32>(reply.clone(), &Waker::from(beds[0].clone()));
        while !reply.has_arrived() {
            waking.wake_later::<u32>(reply.clone(), &Waker::from(beds[1].clone()));
            beds[1].sleep();
        }
        device.join().expect("the device");
    }

    #[test]
    fn a_task_is_woken_where_it_sleeps() {
        check(awaited);
    }

    #[test]
    fn without_wakes_a_task_sleeps_for_ever() {
        fails_without(Part::Waits, "deadlock", awaited);
    }

    #[test]
    fn without_locks_task_and_thread_meet_in_the_waker() {
        fails_without(Part::Locks, "Causality violation", awaited);
    }
}
