//! Lanes (`host/src/cuda/lane/lanes.rs`): lent to one call at a time, and never after a call of theirs has failed.

#![allow(dead_code, reason = "of the library's file, which is here as it is, a model uses a part")]

use warpfold_models::sync;

mod error {
    /// What a call fails with.
    #[derive(Debug)]
    pub(crate) struct Error;
}

#[path = "."]
mod cuda {
    #[path = "."]
    pub(crate) mod lane {
        use std::sync::atomic::AtomicBool;

        use loom::cell::UnsafeCell;

        /// Fewer than the threads, so that one of them finds none.
        const KEPT: usize = 2;

        /// A lane, which one thread uses at a time.
        #[derive(Debug, Default)]
        pub(crate) struct Lane {
            pub(crate) calls: UnsafeCell<u32>,
            /// No part of the model: whether a call has failed.
            pub(crate) has_failed: AtomicBool,
        }

        impl Drop for Lane {
            /// Waits for the lane's work, while others run.
            fn drop(&mut self) {
                if !std::thread::panicking() {
                    loom::thread::yield_now();
                }
            }
        }

        #[path = "../../../host/src/cuda/lane/lanes.rs"]
        pub(in crate::cuda) mod lanes;
    }

    use std::sync::Arc;
    use std::sync::atomic::Ordering::Relaxed;

    use loom::thread;
    use warpfold_models::{Part, check, fails_without};

    use crate::cuda::lane::Lane;
    use crate::cuda::lane::lanes::Lanes;
    use crate::error::Error;

    /// A call, which uses its lane, and may fail.
    fn call(lanes: &Lanes, fails: bool) {
        let answer = lanes.lease(
            || Ok(Lane::default()),
            |lane| {
                assert!(!lane.has_failed.load(Relaxed), "lent after a failure");
                // SAFETY: loom fails where another access is under way.
                lane.calls.with_mut(|calls| unsafe { *calls += 1 });
                lane.has_failed.store(fails, Relaxed);
                // SAFETY: as above.
                let calls = lane.calls.with(|calls| unsafe { *calls });
                if fails { Err(Error) } else { Ok(calls) }
            },
        );
        assert_eq!(answer.is_err(), fails);
    }

    /// Threads that call, one of them twice, the first time in vain.
    fn calls(threads: usize) {
        let lanes = Arc::new(Lanes::default());
        let callers: Vec<_> = (1..threads)
            .map(|_| {
                let lanes = lanes.clone();
                thread::spawn(move || call(&lanes, false))
            })
            .collect();
        call(&lanes, true);
        call(&lanes, false);
        callers.into_iter().for_each(|caller| caller.join().expect("a caller"));
    }

    #[test]
    fn a_lane_is_lent_to_one_call_at_a_time() {
        check(|| calls(3));
    }

    #[test]
    fn without_locks_two_calls_have_one() {
        fails_without(Part::Locks, "Causality violation", || calls(2));
    }
}
