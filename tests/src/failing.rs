//! Memory that runs out: an allocator that refuses one allocation, or all from one on, and calls that must survive it.

use std::alloc::{GlobalAlloc, Layout, System};
use std::env;
use std::process::Command;
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

/// Least bytes of an allocation that may be refused. What is smaller has a fixed size: tasks, locks, messages.
pub const LEAST: usize = 4096;

/// The system's allocator, as long as nothing is tried. Make it the test's own:
/// `#[global_allocator] static MEMORY: Failing = Failing;`
pub struct Failing;

/// Calls under way whose allocations are counted.
static COUNTING: AtomicUsize = AtomicUsize::new(0);
/// Allocations so far.
static COUNT: AtomicUsize = AtomicUsize::new(0);
/// The first allocation that is refused, and the one after the last.
static FIRST: AtomicUsize = AtomicUsize::new(usize::MAX);
static END: AtomicUsize = AtomicUsize::new(usize::MAX);

/// Returns whether an allocation is refused.
fn is_refused(bytes: usize) -> bool {
    if bytes < LEAST || COUNTING.load(SeqCst) == 0 {
        return false;
    }
    let count = COUNT.fetch_add(1, SeqCst);
    (FIRST.load(SeqCst)..END.load(SeqCst)).contains(&count)
}

// SAFETY: each allocation is the system's, or none.
unsafe impl GlobalAlloc for Failing {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if is_refused(layout.size()) {
            return ptr::null_mut();
        }
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if is_refused(layout.size()) {
            return ptr::null_mut();
        }
        // SAFETY: the caller's promise.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        if bytes > layout.size() && is_refused(bytes) {
            return ptr::null_mut();
        }
        // SAFETY: the caller's promise.
        unsafe { System.realloc(memory, layout, bytes) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(memory, layout) }
    }
}

/// Counts the allocations of `call`, of all threads, and refuses those that are to be refused.
pub fn tried<R>(call: impl FnOnce() -> R) -> R {
    COUNTING.fetch_add(1, SeqCst);
    let result = call();
    COUNTING.fetch_sub(1, SeqCst);
    result
}

/// A call with a name. Its result is bytes, or `None` if it reports a lack of memory; it panics for any other error. What
/// the library does in it is within [`tried`].
pub type Call = (String, Box<dyn Fn() -> Option<Vec<u8>>>);

/// The variable that tells a child its first call.
const FIRST_CALL: &str = "WARPFOLD_FAILING_FROM";

/// Refuses allocations of each call one by one, and then all from each of them on. The call must return the right result or a lack of
/// memory and, after all of them, with memory, the right result. A child makes the calls, and after an abort another child
/// those that are left.
///
/// `test` is the name of the test that calls this.
///
/// # Panics
/// With the names of the calls that abort or are wrong.
pub fn each_allocation_fails(test: &str, calls: Vec<Call>) {
    if let Ok(first) = env::var(FIRST_CALL) {
        for (name, call) in calls.iter().skip(first.parse().expect("a number")) {
            println!("{name}: {} allocations", refuse_each(call));
        }
        return;
    }
    let (mut next, mut wrong) = (0, Vec::new());
    while let Some((name, _)) = calls.get(next) {
        let mut child = Command::new(env::current_exe().expect("the test's own path"));
        let out = child.args([test, "--exact", "--nocapture"]).env(FIRST_CALL, next.to_string()).output();
        let out = out.expect("a child");
        let (said, errors) = (String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
        let done = said.lines().filter(|line| line.ends_with(" allocations"));
        let done = done.inspect(|line| println!("{line}")).count();
        next += done;
        if let Some((name, _)) = calls.get(next) {
            let why =
                errors.lines().find(|line| line.contains("memory allocation") || line.contains("the call"));
            wrong.push(format!("{name}: {}: {}", out.status, why.unwrap_or(errors.trim())));
            next += 1;
        } else {
            assert!(out.status.success(), "{name} and later: {}: {errors}", out.status);
        }
    }
    assert!(wrong.is_empty(), "{} calls of {next}:\n{}", wrong.len(), wrong.join("\n"));
}

/// Most allocations of a call that are refused one by one. Of more, as many are picked evenly, so that a call with thousands of
/// them takes seconds.
const MOST: usize = 96;

/// Refuses the allocations of a call. Returns their number.
fn refuse_each(call: impl Fn() -> Option<Vec<u8>>) -> usize {
    COUNT.store(0, SeqCst);
    let expected = call().expect("a result with enough memory");
    let all = COUNT.load(SeqCst);
    for is_last in [true, false] {
        for first in (0..all).step_by(all.div_ceil(MOST).max(1)) {
            COUNT.store(0, SeqCst);
            FIRST.store(first, SeqCst);
            END.store(if is_last { first + 1 } else { usize::MAX }, SeqCst);
            let found = call();
            FIRST.store(usize::MAX, SeqCst);
            assert!(
                found.as_ref().is_none_or(|found| *found == expected),
                "the call is wrong without allocation {first}"
            );
            // Threads that share a call may need fewer of them than before.
            let was_refused = COUNT.load(SeqCst) > first;
            assert!(was_refused || found.is_some(), "the call failed with enough memory");
        }
        assert!(call().as_ref() == Some(&expected), "the call is wrong after others failed");
    }
    all
}
