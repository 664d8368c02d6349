//! The greatest request for memory, which no lie may raise; and a limit of time.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

/// More than any honest call here asks for, and less than any lie says.
const MOST: usize = 256 << 20;

static GREATEST: AtomicUsize = AtomicUsize::new(0);

struct Watched;

// SAFETY: does what the system's allocator does.
unsafe impl GlobalAlloc for Watched {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        GREATEST.fetch_max(layout.size(), Relaxed);
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        GREATEST.fetch_max(layout.size(), Relaxed);
        // SAFETY: the caller's promise.
        unsafe { System.alloc_zeroed(layout) }
    }
    unsafe fn realloc(&self, at: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        GREATEST.fetch_max(bytes, Relaxed);
        // SAFETY: the caller's promise.
        unsafe { System.realloc(at, layout, bytes) }
    }
    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Watched = Watched;

/// Does `work`. Fails if it asks for much memory at once, and ends the process if it takes minutes.
pub fn watch(work: impl FnOnce()) {
    let (done, is_done) = channel::<()>();
    thread::spawn(move || {
        if is_done.recv_timeout(Duration::from_secs(300)) == Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
            eprintln!("a lie takes more than five minutes");
            std::process::abort();
        }
    });
    work();
    drop(done);
    let greatest = GREATEST.load(Relaxed);
    assert!(greatest < MOST, "{greatest} bytes were asked for at once");
}
