//! Whether this process was forked from one that had opened the driver. If so, no call may be made.
//!
//! The system calls a handler in the child. Comparing process numbers on every call would cost a system call each.

#[cfg(unix)]
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::CudaResult;
#[cfg(unix)]
use crate::error::{CudaError, DriverCode};
#[cfg(unix)]
use crate::sys;

static FORKED: AtomicBool = AtomicBool::new(false);

/// Returns whether a parent process had opened the driver.
pub(crate) fn forked() -> bool {
    FORKED.load(Ordering::Relaxed)
}

/// Registers the handler for children of this process, once.
#[cfg(unix)]
pub(crate) fn watch() -> CudaResult<()> {
    unsafe extern "C" {
        /// POSIX.
        fn pthread_atfork(
            prepare: Option<extern "C" fn()>,
            parent: Option<extern "C" fn()>,
            child: Option<extern "C" fn()>,
        ) -> std::ffi::c_int;
    }
    extern "C" fn mark() {
        FORKED.store(true, Ordering::Relaxed);
    }
    static WATCHED: OnceLock<bool> = OnceLock::new();
    // SAFETY: `mark` exists as long as the process, and only stores to an atomic, which a forked child may do.
    if *WATCHED.get_or_init(|| unsafe { pthread_atfork(None, None, Some(mark)) } == 0) {
        return Ok(());
    }
    // It fails only for lack of host memory.
    Err(CudaError::Driver {
        code: DriverCode(sys::OUT_OF_MEMORY),
        during: "asking to be told of forks (host memory)",
    })
}

/// Does nothing, as there is no fork.
#[cfg(not(unix))]
pub(crate) fn watch() -> CudaResult<()> {
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    unsafe extern "C" {
        fn fork() -> i32;
        fn waitpid(pid: i32, status: *mut i32, options: i32) -> i32;
        fn _exit(status: i32) -> !;
    }

    #[test]
    fn a_child_knows_that_it_was_forked() {
        watch().expect("to be told of forks");
        watch().expect("once is enough");
        assert!(!forked());
        // SAFETY: the child only loads an atomic and exits.
        let pid = unsafe { fork() };
        if pid == 0 {
            // SAFETY: ends the child at once.
            unsafe { _exit(if forked() { 42 } else { 1 }) }
        }
        let mut status = 0;
        // SAFETY: waits for the child created above, and writes a local.
        assert_eq!(unsafe { waitpid(pid, &raw mut status, 0) }, pid);
        assert_eq!(status >> 8 & 0xff, 42, "exit status {status:#x}");
        assert!(!forked());
    }
}
