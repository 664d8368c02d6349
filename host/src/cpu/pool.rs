//! The threads that help a call: a backend's own, or rayon's global pool. Threads do not survive a fork, so both help only in the
//! process that started them; in a forked child the calling thread works alone.

use std::error::Error;
use std::process;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};

/// Threads of a backend's own.
pub(crate) struct Pool {
    /// `None` only while it is dropped.
    threads: Option<ThreadPool>,
    /// The process that they are in.
    process: u32,
}

impl Pool {
    /// Starts `threads` threads; with 0 as many as the machine runs at once.
    pub(super) fn new(threads: usize) -> Result<Self, ThreadPoolBuildError> {
        let name = |i| format!("warpfold-{i}");
        let threads = ThreadPoolBuilder::new().num_threads(threads).thread_name(name).build()?;
        Ok(Self { threads: Some(threads), process: process::id() })
    }

    /// The threads, in the process that they are in.
    pub(super) fn here(&self) -> Option<&ThreadPool> {
        self.threads.as_ref().filter(|_| self.process == process::id())
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        if self.process != process::id() {
            // To end threads takes their locks, which in a forked child may be held for ever.
            std::mem::forget(self.threads.take());
        }
    }
}

/// Number of threads that fold with `pool` (`None`: rayon's global one), the calling one among them.
pub(crate) fn threads(pool: Option<&Pool>) -> usize {
    match pool {
        Some(pool) => pool.here().map_or(1, ThreadPool::current_num_threads),
        None if is_global_here() => rayon::current_num_threads(),
        None => 1,
    }
}

/// Whether the threads of rayon's global pool are in this process. Starts them if nobody has.
pub(super) fn is_global_here() -> bool {
    /// The process that asked first; 0 before.
    static ASKED_BY: AtomicU32 = AtomicU32::new(0);
    static FIND: OnceLock<()> = OnceLock::new();
    if rayon::current_thread_index().is_some() {
        // One of a pool's own threads, which does by itself what nobody else takes.
        return true;
    }
    let process = process::id();
    // In a child nothing further is touched: another thread of the parent may have been in the middle of it.
    match ASKED_BY.compare_exchange(0, process, Ordering::Relaxed, Ordering::Relaxed) {
        Err(first) if first != process => false,
        _ => {
            FIND.get_or_init(find_global);
            ANSWERED.load(Ordering::Relaxed)
        }
    }
}

/// Whether a thread of rayon's global pool is known to be in this process.
static ANSWERED: AtomicBool = AtomicBool::new(false);

/// How long the first call waits for a pool that somebody else has started. A sleeping thread answers within a millisecond. Where
/// all are busy, calls fold on their own threads until one has answered.
const PATIENCE: Duration = Duration::from_millis(100);

/// Starts rayon's global pool. If others have, that may have been before this process was forked: asks its threads.
fn find_global() {
    match ThreadPoolBuilder::new().build_global() {
        Ok(()) => ANSWERED.store(true, Ordering::Relaxed),
        // The system gives no threads. Rayon would panic if it was asked again.
        Err(cause) if cause.source().is_some() => {}
        Err(_) => {
            let (tell, told) = mpsc::channel();
            rayon::spawn(move || {
                ANSWERED.store(true, Ordering::Relaxed);
                // Nobody listens any more if it took long.
                let _ = tell.send(());
            });
            let _ = told.recv_timeout(PATIENCE);
        }
    }
}
