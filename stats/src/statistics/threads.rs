//! Reading by several threads. The library folds by several threads.

use std::num::NonZeroUsize;
use std::ops::Range;
use std::panic::resume_unwind;
use std::thread;

use crate::failure::Failure;
use crate::memory::zeroed;
use crate::numbers::Array;
use crate::numbers::numeric::Numeric;

/// The fewest elements for which a thread is started.
const LEAST: usize = 1 << 18;

/// Elements between two reports of progress.
const BLOCK: usize = 1 << 23;

/// Copies or reads elements, from the one with index `at` on.
pub(crate) fn fill<T: Numeric>(
    threads: NonZeroUsize,
    from: &Array<'_, T>,
    x: &mut [T],
    at: usize,
) -> Result<(), Failure> {
    let share = x.len().div_ceil(threads.get()).max(LEAST);
    if x.len() <= share {
        return from.fill(x, at);
    }
    thread::scope(|scope| {
        let shares = x.chunks_mut(share).zip((at..).step_by(share));
        let start = |(x, at)| thread::Builder::new().spawn_scoped(scope, move || from.fill(x, at));
        let started: Vec<_> = shares.map(start).collect::<Result<_, _>>().map_err(Failure::Thread)?;
        started.into_iter().try_for_each(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic)))
    })
}

/// Elements of a range: those in memory, or read into `room`.
pub(crate) fn portion<'a, T: Numeric>(
    threads: NonZeroUsize,
    from: &'a Array<'_, T>,
    range: Range<usize>,
    room: &'a mut Vec<T>,
) -> Result<&'a [T], Failure> {
    if let Some(x) = from.in_memory() {
        return Ok(&x[range]);
    }
    if room.len() < range.len() {
        *room = zeroed(range.len(), "a portion of the file is read at a time")?;
    }
    fill(threads, from, &mut room[..range.len()], range.start)?;
    Ok(&room[..range.len()])
}

/// Reads elements into memory. `what` says what for.
pub(crate) fn read<T: Numeric>(
    threads: NonZeroUsize,
    from: &Array<'_, T>,
    range: Range<usize>,
    what: &'static str,
    passed: &mut dyn FnMut(u64),
) -> Result<Vec<T>, Failure> {
    let mut x: Vec<T> = zeroed(range.len(), what)?;
    for (block, at) in x.chunks_mut(BLOCK).zip(range.step_by(BLOCK)) {
        fill(threads, from, block, at)?;
        passed(size_of_val(block) as u64);
    }
    Ok(x)
}
