//! What the models in `tests/` share: loom's twins of what the standard library synchronises with, and the checks.
//!
//! A model compiles a file of the library as it is, by `#[path]`. The file takes its locks and atomics from
//! `crate::sync` (`host/src/sync.rs`), which is [`sync`] in a model; what else the file names, the model replaces by
//! the least that it needs. [`check`] then runs the model in every order of its threads' steps, with every value that a
//! load may return under loom's version of C11's memory model. It fails on a panic, on unordered accesses to an
//! `UnsafeCell` and on threads that wait for ever. [`fails_without`] leaves out one [`Part`] of the synchronisation,
//! and expects that to be found.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

pub mod sync;

/// A part of the synchronisation that a model can leave out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Part {
    /// Locks keep nobody out.
    Locks,
    /// Notified threads sleep on.
    Notices,
    /// Loads that acquire are relaxed.
    Acquire,
    /// Stores that release are relaxed.
    Release,
    /// A wait for a stream returns at once; a task is not woken.
    Waits,
    /// A call does not close its work: it waits for all its helpers, also if no thread has begun them.
    Closing,
    /// A value and the mark that says it is there are stored one after the other, the mark first.
    OneStore,
    /// Work is handed over before its results are written.
    WrittenBefore,
    /// Tiles go to blocks by the blocks' numbers, the last one first.
    Tickets,
    /// Threads of a block meet without an order of memory.
    Barriers,
}

thread_local! {
    /// The part that the model being run leaves out. All threads of a model are coroutines of one thread.
    static LEFT_OUT: Cell<Option<Part>> = const { Cell::new(None) };
}

/// Whether the model being run leaves `part` out.
#[must_use]
pub fn lacks(part: Part) -> bool {
    LEFT_OUT.get() == Some(part)
}

/// Most times that a thread is preempted in an order that is tried; where it waits, or yields, others run besides. Bugs that
/// need more than two are rare (Musuvathi and Qadeer, "Iterative Context Bounding for Systematic Testing", PLDI 2007).
const PREEMPTIONS: usize = 3;

/// Runs `model` in every order.
///
/// # Panics
/// If one of them fails.
pub fn check(model: impl Fn() + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(PREEMPTIONS);
    builder.max_branches = 10_000;
    builder.check(model);
}

/// Runs `model` without `part` in every order, until one fails.
///
/// # Panics
/// If none fails, or the first that does fails otherwise than with `expected` in its message.
pub fn fails_without(part: Part, expected: &str, model: impl Fn() + Send + Sync + 'static) {
    LEFT_OUT.set(Some(part));
    let checked = catch_unwind(AssertUnwindSafe(|| check(model)));
    LEFT_OUT.set(None);
    let Err(panic) = checked else { panic!("nothing fails without {part:?}") };
    let message = panic.downcast_ref::<String>().cloned();
    let message =
        message.or_else(|| panic.downcast_ref::<&str>().map(|&message| message.into())).unwrap_or_default();
    assert!(message.contains(expected), "without {part:?} it fails otherwise: {message}");
}
