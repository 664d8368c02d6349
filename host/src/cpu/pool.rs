//! The threads that help a call: a backend's own, or rayon's global pool. Threads do not survive a fork, so both help
//! only in the process that started them; in a forked child the calling thread works alone.

use std::error::Error;
use std::process;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};

/// A backend's own threads.
pub(crate) struct Pool {
    /// `None` only during the drop.
    threads: Option<ThreadPool>,
    /// The process of the threads.
    process: u32,
}

impl Pool {
    /// Starts `threads` threads; 0 means one per core.
    pub(super) fn new(threads: usize) -> Result<Self, ThreadPoolBuildError> {
        let name = |i| format!("warpfold-{i}");
        let threads = ThreadPoolBuilder::new().num_threads(threads).thread_name(name).build()?;
        Ok(Self { threads: Some(threads), process: process::id() })
    }

    /// Returns the threads, if they are in this process.
    pub(super) fn here(&self) -> Option<&ThreadPool> {
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

/// Returns whether the threads of rayon's global pool are in this process. Starts them if they are not started yet.
pub(super) fn is_global_here() -> bool {
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
