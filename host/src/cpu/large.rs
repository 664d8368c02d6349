//! Operators with large accumulators. They are folded on a separate stack, with few accumulators at a time, lane after
//! lane. Other operators are folded on the caller's stack, with many accumulators side by side.

use std::cell::Cell;
use std::sync::Arc;
use std::thread;

use gpu_kernels::tree::{RUN, lanes};
use gpu_kernels::{Element, Op, is_free};

use super::any_order;
use super::neighbours::Counter;
use crate::error::Error;

/// Bytes of the largest accumulator that is not large: many of them are folded on the caller's stack. The largest of
/// this crate's operators over one array has 276 bytes; 512 lanes of 1024 bytes take 512 KiB of stack.
const SMALL: usize = 1 << 10;

/// Most bytes of a reduction's accumulator.
const MOST: usize = 1 << 20;

/// Most bytes of a scan's accumulator: a tile keeps thousands of them.
const MOST_SCANNED: usize = 1 << 16;

/// Accumulators that a reduction's functions and the operator's own functions hold on the stack at once.
/// Without optimisation, a `combine` and its callers hold about a dozen.
const REDUCED: usize = 64;

/// The same for a scan, which holds a row of a tile.
const SCANNED: usize = 1 << 10;

/// Bytes of stack for everything else.
const ELSE: usize = 2 << 20;

thread_local! {
    /// Bytes of this thread's stack, if it was started here.
    static STACK: Cell<usize> = const { Cell::new(0) };
}

/// Returns whether accumulators of this type are large. Accumulators that are too large for a reduction do not compile.
pub(crate) const fn is_large<A>() -> bool {
    const {
        assert!(
            size_of::<A>() <= MOST,
            "a reduction's accumulator has at most 1 MiB: carry less, or fold parts of the input and join them yourself"
        );
    }
    is_wide::<A>()
}

/// Returns whether accumulators of this type are large, even if they are too large for a reduction.
pub(super) const fn is_wide<A>() -> bool {
    size_of::<A>() > SMALL
}

/// Returns whether a scan's accumulators of this type are large. Accumulators that are too large for a scan do not
/// compile.
const fn is_large_scan<A>() -> bool {
    const {
        assert!(
            size_of::<A>() <= MOST_SCANNED,
            "a scan's accumulator has at most 64 KiB: carry less, or reduce, which takes up to 1 MiB"
        );
    }
    is_large::<A>()
}

/// Does a reduction's work with enough stack: on this thread, unless accumulators `A` are large.
///
/// # Errors
/// [`Error::Threads`] if the system cannot start a thread with such a stack.
#[inline(always)]
pub(crate) fn reducing<A, R: Send>(work: impl FnOnce() -> R + Send) -> Result<R, Error> {
    // Refuses accumulators that are too large. `if const`, so that the code of the thread is compiled only for large
    // ones.
    let _ = is_large::<A>();
    if const { is_wide::<A>() } { on_stack_of(REDUCED * size_of::<A>(), work) } else { Ok(work()) }
}

/// Does a scan's work with enough stack: on this thread, unless accumulators `A` are large.
///
/// # Errors
/// As for [`reducing`].
#[inline(always)]
pub(crate) fn scanning<A, R: Send>(work: impl FnOnce() -> R + Send) -> Result<R, Error> {
    let _ = is_large_scan::<A>();
    if const { is_wide::<A>() } { on_stack_of(SCANNED * size_of::<A>(), work) } else { Ok(work()) }
}

/// Does `work` on a thread with `bytes` bytes of stack more than usual, or on this one if it has them.
#[inline(never)]
fn on_stack_of<R: Send>(bytes: usize, work: impl FnOnce() -> R + Send) -> Result<R, Error> {
    let bytes = ELSE + bytes;
    if STACK.get() >= bytes {
        return Ok(here(work));
    }
    let work = move || {
        STACK.set(bytes);
        work()
    };
    thread::scope(|scope| {
        let thread = thread::Builder::new().name("warpfold-large".into()).stack_size(bytes);
        match thread.spawn_scoped(scope, work) {
            // A panic of the operator continues in the caller.
            Ok(thread) => thread.join().or_else(|panic| std::panic::resume_unwind(panic)),
            Err(cause) => Err(Error::Threads { wanted: 1, cause: Arc::new(cause) }),
        }
    })
}

/// Does `work` in a frame of its own. Otherwise the frame of [`on_stack_of`] would hold its accumulators, and its caller's stack has no
/// room for them.
#[inline(never)]
fn here<R>(work: impl FnOnce() -> R) -> R {
    work()
}

/// Folds each tile in `x`, whose first element has index `base`, into its element of `results`.
pub(super) fn fold<T: Element, O: Op<T>>(
    op: O,
    x: &[T],
    tile_len: usize,
    base: u64,
    results: &mut [O::Acc],
) -> Result<(), Error> {
    let mut pairs = Counter::new();
    let tiles = x.chunks(tile_len).zip((base..).step_by(tile_len)).zip(results);
    for ((tile, base), result) in tiles {
        *result = if const { is_free::<T, O>() } {
            any_order::fold::<T, O>(op, tile, base)
        } else if const { O::COMMUTATIVE } {
            for lane in 0..lanes::<T>().min(tile.len()) {
                let elements = tile[lane..].iter().step_by(lanes::<T>());
                let indices = (base + lane as u64..).step_by(lanes::<T>());
                pairs.push::<T, O>(op, elements.zip(indices))?;
            }
            pairs.take::<T, O>()
        } else {
            let mut acc = O::IDENTITY;
            for (band, base) in tile.chunks(RUN * lanes::<T>()).zip((base..).step_by(RUN * lanes::<T>())) {
                for (run, base) in band.chunks(RUN).zip((base..).step_by(RUN)) {
                    pairs.push::<T, O>(op, run.iter().zip(base..))?;
                }
                acc = O::combine(acc, pairs.take::<T, O>());
            }
            acc
        };
    }
    Ok(())
}
