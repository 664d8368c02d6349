//! Work shared by threads.

use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread;

use warpfold::Cpu;

use crate::failure::Failure;
use crate::memory::zeroed;
use crate::numbers::Array;
use crate::numbers::array::Ranges;
use crate::numbers::numeric::Numeric;
use crate::statistics::fold::{Portion, Statistics, Tiles, portions};

/// The least bytes for which another thread is worthwhile.
const WORTH_A_THREAD: usize = 1 << 20;

/// Elements that a thread reads at once.
const BLOCK: usize = 1 << 18;

/// The result of a task, once it is done.
struct Slot<R>(Mutex<Option<R>>);

impl<R> Slot<R> {
    /// `count` empty results.
    fn empty(count: usize) -> Vec<Self> {
        (0..count).map(|_| Self(Mutex::new(None))).collect()
    }

    fn fill(&self, result: R) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
    }

    fn result(self) -> Option<R> {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Runs the tasks `0..tasks` on `threads` threads, and reports each finished task to this thread. Not generic,
/// since generic code is compiled for each element type.
fn share(
    threads: usize,
    tasks: usize,
    task: &(dyn Fn(usize) + Sync),
    done: &mut dyn FnMut(usize),
) -> Result<(), Failure> {
    if threads.min(tasks) < 2 {
        for number in 0..tasks {
            task(number);
            done(number);
        }
        return Ok(());
    }
    let next = AtomicUsize::new(0);
    let (send, numbers) = mpsc::channel();
    thread::scope(|scope| {
        for _ in 0..threads.min(tasks) {
            let (send, next) = (send.clone(), &next);
            let work = move || loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= tasks {
                    break;
                }
                task(number);
                // The receiver lives as long as this scope.
                let _ = send.send(number);
            };
            let started = thread::Builder::new().spawn_scoped(scope, work);
            started.inspect_err(|_| next.store(tasks, Ordering::Relaxed)).map_err(Failure::Thread)?;
        }
        drop(send);
        numbers.iter().for_each(done);
        Ok(())
    })
}

/// A task by its number, with room for elements.
type InRoom<'a, T, R> = dyn Fn(usize, &mut Vec<T>) -> Result<R, Failure> + Sync + 'a;

/// Runs the tasks `0..tasks` as [`share`] does, and returns their results. Each thread has room for elements, which stays in its
/// cache.
pub(crate) fn in_rooms<T: Send, R: Send>(
    threads: usize,
    tasks: usize,
    task: &InRoom<'_, T, R>,
    done: &mut dyn FnMut(usize),
) -> Result<Vec<R>, Failure> {
    let results: Vec<Slot<Result<R, Failure>>> = Slot::empty(tasks);
    let rooms = Mutex::new(Vec::new());
    let work = |number: usize| {
        let mut room = rooms.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default();
        results[number].fill(task(number, &mut room));
        rooms.lock().unwrap_or_else(PoisonError::into_inner).push(room);
    };
    share(threads, tasks, &work, done)?;
    results.into_iter().filter_map(Slot::result).collect()
}

/// Reads elements into memory, by all threads. `what` says what for.
pub(crate) fn read<T: Numeric>(
    threads: NonZeroUsize,
    from: &Array<'_, T>,
    range: Range<usize>,
    what: &'static str,
    passed: &mut dyn FnMut(u64),
) -> Result<Vec<T>, Failure> {
    let mut x: Vec<T> = zeroed(range.len(), what)?;
    let blocks: Vec<Mutex<&mut [T]>> = x.chunks_mut(BLOCK).map(Mutex::new).collect();
    let task = |number: usize, _: &mut Vec<T>| {
        let mut block = blocks[number].lock().unwrap_or_else(PoisonError::into_inner);
        from.fill(&mut block, range.start + number * BLOCK)
    };
    in_rooms(threads.get(), blocks.len(), &task, &mut |_| passed((BLOCK * size_of::<T>()) as u64))?;
    drop(blocks);
    Ok(x)
}

/// The statistics of `x` by all threads, with reports of the bytes processed.
pub(crate) fn fold_together<T: Numeric>(
    cpu: &Cpu,
    threads: NonZeroUsize,
    x: &dyn Ranges<T>,
    passed: &mut dyn FnMut(u64),
) -> Result<Statistics<T>, Failure> {
    let n = x.len() as u64;
    let portions: Vec<Portion> = portions::<T>(x.len()).collect();
    let bytes = |elements: usize| elements * size_of::<T>();
    let threads = threads.get().min(bytes(x.len()) / WORTH_A_THREAD);
    let fold = |number: usize, room: &mut Vec<T>| {
        let Portion { x: range, tiles } = &portions[number];
        let mut folded = Tiles::of(0)?;
        folded.fold(cpu, x.range(range.clone(), room)?, tiles, n)?;
        Ok(folded)
    };
    let mut passed = |number: usize| passed(bytes(portions[number].x.len()) as u64);
    let mut all = Tiles::of(n)?;
    for tiles in in_rooms(threads, portions.len(), &fold, &mut passed)? {
        all.append(tiles);
    }
    Ok(all.finish(n)?)
}
