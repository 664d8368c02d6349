//! The threads that help a call: a backend's own, or rayon's global pool. Threads do not survive a fork, so both help
//! only in the process that started them; in a forked child the calling thread works alone.

use std::error::Error;
use std::num::NonZero;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, OnceLock, mpsc};
use std::time::Duration;
use std::{process, thread};

use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};

/// Most threads of a backend on a machine of few cores.
const MOST: usize = 64;

/// Most threads of a backend for each core. Threads without work look for some while others start, so starting many takes
/// long (docs/tuning/cpu.md).
const MOST_PER_CORE: usize = 4;

/// Returns the most threads of a backend.
pub(super) fn most_threads() -> usize {
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    MOST.max(MOST_PER_CORE.saturating_mul(cores))
}

/// A backend's own threads.
pub(crate) struct Pool {
    /// `None` only during the drop.
    threads: Option<ThreadPool>,
    /// The process of the threads.
    process: u32,
    waiting: Waiting,
}

impl Pool {
    /// Starts `threads` threads, but at most [`most_threads`]; 0 means one per core.
    pub(super) fn new(threads: usize) -> Result<Self, ThreadPoolBuildError> {
        let name = |i| format!("warpfold-{i}");
        let threads =
            ThreadPoolBuilder::new().num_threads(threads.min(most_threads())).thread_name(name).build()?;
        Ok(Self { threads: Some(threads), process: process::id(), waiting: Waiting::default() })
    }

    /// Returns the threads, if they are in this process.
    fn here(&self) -> Option<&ThreadPool> {
        self.threads.as_ref().filter(|_| self.process == process::id())
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        if self.process != process::id() {
            // Ending threads takes locks, which in a forked child may never be released.
            std::mem::forget(self.threads.take());
        }
    }
}

/// Returns the number of threads that fold with `pool` (`None`: rayon's global pool), including the calling thread.
pub(crate) fn threads(pool: Option<&Pool>) -> usize {
    match pool {
        Some(pool) => pool.here().map_or(1, ThreadPool::current_num_threads),
        None if is_global_here() => rayon::current_num_threads(),
        None => 1,
    }
}

/// The number of jobs of a pool that no thread has begun.
type Waiting = Arc<AtomicUsize>;

/// Most jobs of a pool that wait for a thread. More are not started. Otherwise a pool whose threads are busy for an hour would
/// gather the helpers of every call. [100 bytes each.] In a pool that is not busy, a job waits for some microseconds.
pub(super) const MOST_WAITING: usize = 1 << 12;

/// The threads of a pool in this process.
pub(super) struct Threads<'a> {
    /// `None`: the threads of the pool that this thread is in, or else rayon's global pool.
    own: Option<&'a ThreadPool>,
    waiting: Waiting,
}

impl<'a> Threads<'a> {
    /// Returns the threads of `pool` (`None`: rayon's global pool), if they are in this process.
    pub(super) fn of(pool: Option<&'a Pool>) -> Option<Self> {
        match pool {
            Some(pool) => Some(Self { own: Some(pool.here()?), waiting: pool.waiting.clone() }),
            None => is_global_here().then(|| Self { own: None, waiting: waiting_here() }),
        }
    }

    /// Returns how many of `jobs` jobs may be started.
    pub(super) fn room_for(&self, jobs: usize) -> usize {
        jobs.min(MOST_WAITING.saturating_sub(self.waiting()))
    }

    /// Returns the number of jobs that no thread has begun.
    pub(super) fn waiting(&self) -> usize {
        self.waiting.load(Ordering::Relaxed)
    }

    /// Has a thread do `job` as soon as one is free.
    pub(super) fn start(&self, job: impl FnOnce() + Send + 'static) {
        self.waiting.fetch_add(1, Ordering::Relaxed);
        let waiting = self.waiting.clone();
        let job = move || {
            waiting.fetch_sub(1, Ordering::Relaxed);
            drop(waiting);
            job();
        };
        match self.own {
            Some(threads) => threads.spawn(job),
            None => rayon::spawn(job),
        }
    }
}

/// Returns the number of waiting jobs of the pool to which `rayon::spawn` gives a job of this thread. The pools of other code cannot
/// be told apart, so each of their threads counts its own jobs.
fn waiting_here() -> Waiting {
    static GLOBAL: LazyLock<Waiting> = LazyLock::new(Waiting::default);
    thread_local! {
        static HERE: Waiting = match rayon::current_thread_index() {
            Some(_) => Waiting::default(),
            None => GLOBAL.clone(),
        };
    }
    // A thread that is ending may have dropped its own.
    HERE.try_with(Waiting::clone).unwrap_or_else(|_| GLOBAL.clone())
}

/// Returns whether the threads of rayon's global pool are in this process. Starts them if they are not started yet.
fn is_global_here() -> bool {
    /// The first process to call this; 0 before.
    static ASKED_BY: AtomicU32 = AtomicU32::new(0);
    static FIND: OnceLock<()> = OnceLock::new();
    if rayon::current_thread_index().is_some() {
        // This is a pool's own thread, which itself runs tasks that no other thread takes.
        return true;
    }
    let process = process::id();
    // A child accesses nothing further, because another thread of the parent may have been inside during the fork.
    match ASKED_BY.compare_exchange(0, process, Ordering::Relaxed, Ordering::Relaxed) {
        Err(first) if first != process => false,
        _ => {
            FIND.get_or_init(find_global);
            ANSWERED.load(Ordering::Relaxed)
        }
    }
}

/// Whether a thread of rayon's global pool has answered in this process.
static ANSWERED: AtomicBool = AtomicBool::new(false);

/// How long the first call waits for a pool that other code has started. A sleeping thread answers within a
/// millisecond. If all threads are busy, calls run on their own threads until one has answered.
const PATIENCE: Duration = Duration::from_millis(100);

/// Starts rayon's global pool. If other code has, perhaps before this process was forked, asks its threads to answer.
fn find_global() {
    match ThreadPoolBuilder::new().build_global() {
        Ok(()) => ANSWERED.store(true, Ordering::Relaxed),
        // The system cannot start threads. Rayon would panic at a second attempt.
        Err(cause) if cause.source().is_some() => {}
        Err(_) => {
            let (send, receive) = mpsc::channel();
            rayon::spawn(move || {
                ANSWERED.store(true, Ordering::Relaxed);
                // After the wait, the receiver no longer exists.
                let _ = send.send(());
            });
            let _ = receive.recv_timeout(PATIENCE);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_threads_than_the_most_are_not_started() {
        let most = most_threads();
        for wanted in [most, most + 1, 20_000, usize::MAX] {
            assert_eq!(threads(Some(&Pool::new(wanted).unwrap())), most, "{wanted}");
        }
    }
}
