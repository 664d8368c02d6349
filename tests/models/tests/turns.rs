//! Memory that streams use one after the other (`host/src/cuda/array/turns.rs`): what is written, read and said to be there agree,
//! from whatever threads and streams.
//!
//! Here a stream is a thread for each of its jobs, and each has one.

#![allow(dead_code, reason = "a model uses part of the library's file")]

use warpfold_models::sync;

mod error {
    /// Nothing fails.
    #[derive(Debug)]
    pub(crate) struct Error;
}

#[path = "."]
mod cuda {
    pub(crate) mod launch {
        use std::sync::Arc;

        use warpfold_models::{Part, lacks};

        use crate::error::Error;
        use crate::sync::thread::spawn;
        use crate::sync::{Condvar, Mutex};

        /// A stream.
        #[derive(Debug, Default)]
        pub(crate) struct StreamHandle {
            jobs: Mutex<u32>,
            ended: Condvar,
        }

        impl StreamHandle {
            pub(crate) fn enqueue(self: &Arc<Self>, job: impl FnOnce() + 'static) {
                *self.jobs.lock().expect("a lock") += 1;
                let stream = self.clone();
                spawn(move || {
                    job();
                    *stream.jobs.lock().expect("a lock") -= 1;
                    stream.ended.notify_all();
                });
            }

            pub(crate) fn wait(&self) -> Result<(), Error> {
                if lacks(Part::Waits) {
                    return Ok(());
                }
                let mut jobs = self.jobs.lock().expect("a lock");
                while *jobs > 0 {
                    jobs = self.ended.wait(jobs).expect("a lock");
                }
                Ok(())
            }
        }
    }

    #[path = "../../../host/src/cuda/array/turns.rs"]
    mod turns;

    use std::sync::Arc;

    use loom::cell::UnsafeCell;
    use loom::thread;
    use warpfold_models::{Part, check, fails_without};

    use self::launch::StreamHandle;
    use self::turns::Turns;

    /// Memory on a device. What it holds is written beside it.
    #[derive(Clone, Default)]
    struct Cell {
        memory: Arc<UnsafeCell<u64>>,
        turns: Arc<Turns<u64>>,
    }

    impl Cell {
        fn write(&self, stream: &Arc<StreamHandle>, value: u64) {
            let written = self.turns.write(stream, value, || {
                let memory = self.memory.clone();
                // SAFETY: loom fails where another access is under way.
                stream.enqueue(move || memory.with_mut(|place| unsafe { *place = value }));
                Ok(())
            });
            written.expect("enqueued");
        }

        fn lend(&self, stream: &Arc<StreamHandle>) {
            let lent = self.turns.lend(stream, |&expected| {
                let memory = self.memory.clone();
                // SAFETY: as above.
                stream.enqueue(move || memory.with(|place| assert_eq!(unsafe { *place }, expected)));
                Ok(())
            });
            lent.expect("enqueued");
        }

        fn read(&self) {
            let read = self.turns.settled(|&expected| {
                // SAFETY: as above.
                self.memory.with(|place| assert_eq!(unsafe { *place }, expected));
                Ok(())
            });
            read.expect("read");
        }
    }

    /// Two threads write by a stream each, one of them reads.
    fn two_write() {
        let (cell, streams) = (Cell::default(), [(); 2].map(|()| Arc::new(StreamHandle::default())));
        let other = {
            let (cell, stream) = (cell.clone(), streams[1].clone());
            thread::spawn(move || cell.write(&stream, 7))
        };
        cell.write(&streams[0], 5);
        cell.read();
        other.join().expect("a thread");
    }

    /// A stream writes, another one reads; a thread looks.
    fn one_reads() {
        let (cell, streams) = (Cell::default(), [(); 2].map(|()| Arc::new(StreamHandle::default())));
        let other = {
            let (cell, stream) = (cell.clone(), streams[1].clone());
            thread::spawn(move || cell.lend(&stream))
        };
        cell.write(&streams[0], 5);
        cell.read();
        other.join().expect("a thread");
    }

    #[test]
    fn streams_write_in_turn() {
        check(two_write);
    }

    #[test]
    fn what_a_stream_reads_is_not_written() {
        check(one_reads);
    }

    #[test]
    fn without_waits_streams_meet_in_the_memory() {
        // What was said to be there is not, in the first order that is tried.
        fails_without(Part::Waits, "left == right", two_write);
        fails_without(Part::Waits, "left == right", one_reads);
    }

    #[test]
    fn without_locks_threads_meet_in_the_state() {
        fails_without(Part::Locks, "currently writing to cell", two_write);
    }
}
