//! The pool of executors (`host/src/cuda/executor/pool.rs`): each is lent to one call at a time, and never after a failed call.

#![allow(dead_code, reason = "a model uses part of the library's file")]

use warpfold_models::sync;

mod error {
    /// The error of a call.
    #[derive(Debug)]
    pub(crate) struct Error;
}

#[path = "."]
mod cuda {
    #[path = "."]
    pub(crate) mod executor {
        use std::sync::atomic::AtomicBool;

        use loom::cell::UnsafeCell;

        /// Fewer than the threads, so one of them finds none idle.
        const KEPT: usize = 2;

        /// An executor, which one thread uses at a time.
        #[derive(Debug, Default)]
        pub(crate) struct Executor {
            pub(crate) calls: UnsafeCell<u32>,
            /// No part of the model: whether a call has failed.
            pub(crate) has_failed: AtomicBool,
        }

        impl Drop for Executor {
            /// Waits for the executor's work, while others run.
            fn drop(&mut self) {
                if !std::thread::panicking() {
                    loom::thread::yield_now();
                }
            }
        }

        #[path = "../../../host/src/cuda/executor/pool.rs"]
        pub(in crate::cuda) mod pool;
    }

    use std::sync::Arc;
    use std::sync::atomic::Ordering::Relaxed;

    use loom::thread;
    use warpfold_models::{Part, check, fails_without};

    use crate::cuda::executor::Executor;
    use crate::cuda::executor::pool::Pool;
    use crate::error::Error;

    /// A call, which uses its executor, and may fail.
    fn call(pool: &Pool, fails: bool) {
        let answer = pool.lease(&|| Ok(Executor::default()), |executor| {
            assert!(!executor.has_failed.load(Relaxed), "lent after a failure");
            // SAFETY: loom fails where another access is under way.
            executor.calls.with_mut(|calls| unsafe { *calls += 1 });
            executor.has_failed.store(fails, Relaxed);
            // SAFETY: as above.
            let calls = executor.calls.with(|calls| unsafe { *calls });
            if fails { Err(Error) } else { Ok(calls) }
        });
        assert_eq!(answer.is_err(), fails);
    }

    /// Threads that call, one of them twice, the first time in vain.
    fn calls(threads: usize) {
        let pool = Arc::new(Pool::default());
        let callers: Vec<_> = (1..threads)
            .map(|_| {
                let pool = pool.clone();
                thread::spawn(move || call(&pool, false))
            })
            .collect();
        call(&pool, true);
        call(&pool, false);
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
