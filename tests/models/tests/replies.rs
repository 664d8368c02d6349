//! Slots where results arrive (`host/src/cuda/launch/queue/reply.rs`): who sees a result sees all of it, and a slot is
//! given to a launch only when the one before it has written there, whatever happens to the replies.
//!
//! Here a device is a thread that stores words as the kernels do (`st.relaxed.sys`): the stores are relaxed.

#![allow(dead_code, reason = "a model uses part of the library's file")]

extern crate self as cust;
extern crate self as gpu_kernels;

pub use bytemuck::Pod as Accumulator;
use warpfold_models::sync;

/// Results of two words.
pub mod shapes {
    /// As the kernels' constant of this name.
    pub const MOST_ACC_BYTES: usize = 8;
}

/// Memory of a device, and of the host's that a device writes to.
pub mod memory {
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;
    use std::sync::atomic::Ordering::Relaxed;

    use crate::context::Context;
    use crate::error::Error;
    use crate::sync::atomic::AtomicU64;

    /// What a launch reads. No part of the model: whether it has.
    #[derive(Debug, Default)]
    pub struct Memory {
        /// Whether the launch has read it.
        pub is_read: Arc<AtomicBool>,
    }

    impl Drop for Memory {
        fn drop(&mut self) {
            assert!(self.is_read.load(Relaxed) || std::thread::panicking(), "freed before it was read");
        }
    }

    /// Words that a device writes.
    #[derive(Debug)]
    pub struct LockedWords(Arc<[AtomicU64]>);

    impl LockedWords {
        /// Allocates them, zeroed, where the context finds them.
        pub(crate) fn new(context: &Arc<Context>, bytes: usize) -> Result<Self, Error> {
            let words: Arc<[AtomicU64]> = (0..bytes / 8).map(|_| AtomicU64::new(0)).collect();
            *context.words.lock().expect("a lock") = Some(words.clone());
            Ok(Self(words))
        }

        /// They lie at 0.
        pub fn address(&self) -> u64 {
            0
        }

        /// Those from `first` on.
        pub fn words(&self, first: usize) -> &[AtomicU64] {
            &self.0[first..]
        }
    }
}

/// What a stream tells.
pub mod stream {
    use crate::error::Error;

    /// Whoever hears of a stream's waits.
    pub trait Observer {
        /// All of the stream's work has ended.
        fn work_ended(&self);
    }

    /// The stream of a queue. Nobody asks it here.
    #[derive(Debug)]
    pub struct StreamHandle;

    impl StreamHandle {
        /// Whether all work has ended.
        pub(crate) fn has_ended(&self) -> Result<bool, Error> {
            Ok(false)
        }
    }
}

mod context {
    use std::sync::{Arc, Mutex};

    use crate::sync::atomic::AtomicU64;

    /// The device's memory.
    #[derive(Debug, Default)]
    pub struct Context {
        pub(crate) words: Mutex<Option<Arc<[AtomicU64]>>>,
    }
}

mod error {
    /// What a question may be answered with.
    #[derive(Debug)]
    pub enum Error {
        /// The kernel wrote no result.
        NoResult,
    }
}

#[path = "."]
mod cuda {
    #[path = "."]
    pub(crate) mod launch {
        pub(crate) use crate::context::Context;

        #[path = "."]
        pub(crate) mod queue {
            /// One slot, for which launches take turns.
            const RESULTS: usize = 1;

            #[path = "../../../host/src/cuda/launch/queue/reply.rs"]
            pub(in crate::cuda::launch) mod reply;
        }

        use std::sync::Arc;
        use std::sync::atomic::Ordering::Relaxed;

        use loom::thread::{self, JoinHandle};
        use warpfold_models::{Part, check, fails_without, lacks};

        use self::queue::reply::{Page, Reply};
        use crate::memory::Memory;
        use crate::stream::{Observer, StreamHandle};

        /// Enqueues a launch that reads an input and writes `result`.
        fn launch(context: &Arc<Context>, reply: &Reply, result: [u32; 2]) -> JoinHandle<()> {
            let input = Arc::new(Memory::default());
            let is_read = input.is_read.clone();
            let (slot, tag) = reply.start(size_of::<[u32; 2]>(), &input);
            let words = context.words.lock().expect("a lock").clone().expect("a page");
            let first = slot.addr() / 8;
            thread::spawn(move || {
                is_read.store(true, Relaxed);
                for (word, &bits) in words[first..].iter().zip(&result) {
                    if lacks(Part::OneStore) {
                        word.store(u64::from(tag) << 32, Relaxed);
                    }
                    word.store(u64::from(tag) << 32 | u64::from(bits), Relaxed);
                }
            })
        }

        /// Looks for the result while it is under way, and again when the launch has ended.
        fn get(reply: &Reply, launch: JoinHandle<()>) -> [u32; 2] {
            let early = reply.look();
            launch.join().expect("a launch");
            early.or_else(|| reply.look()).expect("a result")
        }

        fn start() -> (Arc<Context>, Arc<Page>, Arc<StreamHandle>) {
            let context = Arc::new(Context::default());
            let page = Page::new(&context).expect("a page");
            (context, page, Arc::new(StreamHandle))
        }

        /// A result goes to another thread, and the slot to the next launch once that thread is done with it.
        fn results_in_turn() {
            let (context, page, handle) = start();
            let first = page.claim(&handle).expect("the slot");
            let launched = launch(&context, &first, [3, 4]);
            let holder = thread::spawn(move || assert_eq!(get(&first, launched), [3, 4]));
            let early = page.claim(&handle);
            let mut holder = Some(holder);
            let second = early.unwrap_or_else(|| {
                holder.take().into_iter().for_each(|holder| holder.join().expect("the holder"));
                page.claim(&handle).expect("the slot is free")
            });
            let launched = launch(&context, &second, [5, 6]);
            assert_eq!(get(&second, launched), [5, 6]);
            holder.into_iter().for_each(|holder| holder.join().expect("the holder"));
            page.work_ended();
        }

        /// A reply is dropped while its launch is under way, which keeps the slot all the same.
        fn dropped() {
            let (context, page, handle) = start();
            let first = page.claim(&handle).expect("the slot");
            let launched = launch(&context, &first, [3, 4]);
            drop(first);
            let early = page.claim(&handle);
            if early.is_some() {
                let words = context.words.lock().expect("a lock").clone().expect("a page");
                let bits = words.iter().map(|word| word.load(Relaxed) as u32);
                assert!(bits.eq([3, 4]), "the slot is free while a launch writes there");
            }
            launched.join().expect("a launch");
            let second = early.or_else(|| page.claim(&handle)).expect("the slot is free");
            let launched = launch(&context, &second, [5, 6]);
            assert_eq!(get(&second, launched), [5, 6]);
        }

        #[test]
        fn results_arrive_whole() {
            check(results_in_turn);
        }

        #[test]
        fn a_slot_is_kept_while_a_launch_writes_there() {
            check(dropped);
        }

        #[test]
        fn with_a_word_in_two_stores_results_are_torn() {
            fails_without(Part::OneStore, "left == right", results_in_turn);
            fails_without(Part::OneStore, "left == right", dropped);
        }

        #[test]
        fn without_locks_inputs_are_let_go_of_by_two() {
            fails_without(Part::Locks, "Causality violation", || {
                let (context, page, handle) = start();
                let reply = page.claim(&handle).expect("the slot");
                let launched = launch(&context, &reply, [3, 4]);
                launched.join().expect("a launch");
                let holder = thread::spawn(move || assert_eq!(reply.look(), Some([3, 4])));
                page.work_ended();
                holder.join().expect("the holder");
            });
        }
    }
}
