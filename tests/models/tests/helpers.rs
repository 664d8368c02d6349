//! Helpers of a call (`host/src/cpu/helpers.rs`): when the call has ended, none of them uses what it borrowed, and all that they wrote
//! is there. It ends while no thread is free to help.

#![allow(dead_code, reason = "a model uses part of the library's file")]

use warpfold_models::sync;

#[path = "."]
mod cpu {
    #[path = "../../../host/src/cpu/helpers.rs"]
    mod helpers;

    use std::cell::RefCell;
    use std::sync::Arc;

    use loom::cell::UnsafeCell;
    use loom::thread;
    use warpfold_models::{Part, check, fails_without, lacks};

    use self::helpers::together;
    use crate::sync::{Condvar, Mutex};

    /// What a task writes to.
    #[derive(Default)]
    struct Place(UnsafeCell<u32>);

    // SAFETY: loom fails where two accesses are not in order.
    unsafe impl Sync for Place {}

    impl Place {
        fn change(&self, change: impl FnOnce(&mut u32)) {
            // SAFETY: as above.
            self.0.with_mut(|place| change(unsafe { &mut *place }));
        }
    }

    /// Two tasks and two helpers, which begin while the call works, while it closes, or later.
    fn shared() {
        let places: [Place; 2] = Default::default();
        let next = Mutex::new(0);
        let threads = RefCell::new(Vec::new());
        let take = || {
            let mut next = next.lock().expect("a lock");
            *next += 1;
            *next - 1
        };
        let work = || {
            while let Some(place) = places.get(take()) {
                place.change(|done| *done += 1);
            }
        };
        together(&work, 2, |helper| threads.borrow_mut().push(thread::spawn(|| helper.help())));
        places.iter().for_each(|place| place.change(|done| assert_eq!(*done, 1)));
        // What a helper must not use any more is alive all the same, for a model that fails.
        threads.take().into_iter().for_each(|thread| thread.join().expect("a helper"));
    }

    /// Something that happens once.
    #[derive(Default)]
    struct Event {
        has_happened: Mutex<bool>,
        happened: Condvar,
    }

    impl Event {
        fn happen(&self) {
            *self.has_happened.lock().expect("a lock") = true;
            self.happened.notify_all();
        }

        fn wait(&self) {
            let mut has_happened = self.has_happened.lock().expect("a lock");
            while !*has_happened {
                has_happened = self.happened.wait(has_happened).expect("a lock");
            }
        }
    }

    /// The only thread of the pool waits for the caller, and begins the helper when the call has ended.
    fn busy() {
        let [ended, helped] = [(); 2].map(|()| Arc::new(Event::default()));
        let thread = RefCell::new(None);
        let work = || ();
        together(&work, 1, |helper| {
            let (ended, helped) = (ended.clone(), helped.clone());
            *thread.borrow_mut() = Some(thread::spawn(move || {
                ended.wait();
                helper.help();
                helped.happen();
            }));
        });
        if lacks(Part::Closing) {
            helped.wait();
        }
        ended.happen();
        thread.take().into_iter().for_each(|thread| thread.join().expect("the pool's thread"));
    }

    #[test]
    fn what_a_call_borrows_is_its_own_when_it_has_ended() {
        check(shared);
    }

    #[test]
    fn a_call_ends_while_the_pool_waits_for_it() {
        check(busy);
    }

    #[test]
    fn without_closing_caller_and_pool_wait_for_each_other() {
        fails_without(Part::Closing, "deadlock", busy);
    }

    #[test]
    fn without_notices_a_call_sleeps_for_ever() {
        fails_without(Part::Notices, "deadlock", shared);
    }

    #[test]
    fn without_orders_of_memory_a_helper_still_writes() {
        fails_without(Part::Acquire, "Causality violation", shared);
        fails_without(Part::Release, "Causality violation", shared);
    }
}
