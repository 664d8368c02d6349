//! Work shared by threads.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread;

use warpfold::Cpu;

use crate::failure::Failure;
use crate::numbers::array::Ranges;
use crate::numbers::numeric::Numeric;
use crate::statistics::fold::{Portion, Statistics, Tiles, portions};

/// The least bytes for which another thread is worthwhile.
const WORTH_A_THREAD: usize = 1 << 20;

/// The result of a task, once it is done.
pub(crate) struct Slot<R>(Mutex<Option<R>>);

impl<R> Slot<R> {
    /// `tasks` empty results.
    pub(crate) fn empty(count: usize) -> Vec<Self> {
        (0..count).map(|_| Self(Mutex::new(None))).collect()
    }

    pub(crate) fn fill(&self, result: R) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
    }

    pub(crate) fn result(self) -> Option<R> {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Runs the tasks `0..tasks` on `threads` threads, and reports each finished task to this thread. Not generic,
/// since generic code is compiled for each element type.
pub(crate) fn share(
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

/// The statistics of `x` by all threads, with reports of the bytes processed.
pub(crate) fn fold_together<T: Numeric>(
    cpu: &Cpu,
    threads: NonZeroUsize,
    x: &(impl Ranges<T> + ?Sized),
    passed: &mut dyn FnMut(u64),
) -> Result<Statistics<T>, Failure> {
    let n = x.len() as u64;
    let portions: Vec<Portion> = portions::<T>(x.len()).collect();
    let bytes = |elements: usize| elements * size_of::<T>();
    let threads = threads.get().min(bytes(x.len()) / WORTH_A_THREAD);
    let folded: Vec<Slot<Result<Tiles<T>, Failure>>> = Slot::empty(portions.len());
    // Each thread has room for a portion of a file, which stays in its cache.
    let rooms = Mutex::new(Vec::new());
    let fold = |number: usize| {
        let mut room = rooms.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default();
        let Portion { x: range, tiles } = &portions[number];
        let fold = Tiles::of(0).and_then(|mut folded| {
            folded.fold(cpu, x.range(range.clone(), &mut room)?, tiles, n)?;
            Ok(folded)
        });
        folded[number].fill(fold);
        rooms.lock().unwrap_or_else(PoisonError::into_inner).push(room);
    };
    share(threads, portions.len(), &fold, &mut |number| passed(bytes(portions[number].x.len()) as u64))?;
    let mut all = Tiles::of(n)?;
    for tiles in folded.into_iter().filter_map(Slot::result) {
        all.append(tiles?);
    }
    Ok(all.finish(n)?)
}
