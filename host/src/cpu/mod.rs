//! The CPU backend: threads share the tiles, and fold them along the canonical tree or in another order with the same
//! bits.

mod across;
mod any_order;
mod batch;
mod compact;
mod few;
mod forward;
mod helpers;
mod histogram;
mod inputs;
mod large;
#[cfg(feature = "ndarray")]
mod ndarray;
pub(crate) mod neighbours;
mod order;
mod pairs;
mod parts;
mod pool;
mod processor;
mod scan;
mod sharing;
mod states;
mod tiles;
mod unwritten;
mod windows;
mod words;

use std::fmt;
use std::ops::Range;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::Arc;

use gpu_kernels::{Element, Op, is_free, tree};

use crate::error::Error;
use crate::{float_environment, memory};
pub(crate) use batch::{empty_results, group_of, in_order};
pub(crate) use large::{is_large, reducing, scanning};
pub(crate) use order::{Positions, rank_in};
#[cfg(feature = "cuda")]
pub(crate) use parts::{Bounds, between};
use pool::Pool;
pub(crate) use pool::threads;
pub(crate) use processor::{Job, Processor, widest};
pub(crate) use scan::{Around, Prefixes, by_groups, portions};
pub(crate) use sharing::share;

/// Bytes of a task: the least work for which waking another thread pays off. For 2 MiB in all, a second thread would
/// gain nothing with larger tasks (docs/tuning/cpu.md).
///
/// A tile under Miri, which would take hours for the work of several tasks.
const TASK_BYTES: usize = if cfg!(miri) { 16 << 10 } else { 1 << 20 };

/// The CPU backend. It takes any operator, and returns the same bits as every GPU with any number of threads.
///
/// An accumulator has at most 1 MiB in a reduction, and at most 64 KiB in a scan. For accumulators of more than 1 KiB a
/// thread with a large stack is started. The caller's stack must hold some copies of a result, if that is large too.
///
/// Cloning is cheap and shares the threads. A forked child (`fork` without `exec`, as Python's `multiprocessing` does) has no
/// threads. There, a backend that the parent has used folds on the calling thread, to the same bits.
/// [`with_threads`](Self::with_threads) starts threads for the child.
#[derive(Clone, Default)]
pub struct Cpu {
    /// `None` is rayon's global pool.
    pool: Option<Arc<Pool>>,
}

impl Cpu {
    /// Creates a backend that uses rayon's global pool: by default one thread per core.
    ///
    /// ```
    /// use warpfold::{Cpu, Sum};
    ///
    /// assert_eq!(Cpu::new().reduce(Sum, &[1.5f32, 2.5])?, 4.0);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a backend with `threads` threads of its own, but at most [`most_threads`](Self::most_threads); 0 means one
    /// per core.
    ///
    /// # Errors
    /// [`Error::Threads`] if the operating system cannot start them.
    ///
    /// ```
    /// use warpfold::{Cpu, Sum};
    ///
    /// let x = vec![0.1f32; 1_000_000];
    /// let (one, four) = (Cpu::with_threads(1)?, Cpu::with_threads(4)?);
    /// assert_eq!(one.reduce(Sum, &x)?.to_bits(), four.reduce(Sum, &x)?.to_bits());
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn with_threads(threads: usize) -> Result<Self, Error> {
        match Pool::new(threads) {
            Ok(pool) => Ok(Self { pool: Some(Arc::new(pool)) }),
            Err(cause) => Err(Error::Threads { wanted: threads, cause: Arc::new(cause) }),
        }
    }

    /// Returns the number of threads that fold large inputs. It is 1 in a process that was forked after they were
    /// started.
    ///
    /// ```
    /// use warpfold::Cpu;
    ///
    /// assert_eq!(Cpu::with_threads(4)?.threads(), 4);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    #[must_use]
    pub fn threads(&self) -> usize {
        threads(self.pool.as_deref())
    }

    /// Returns the most threads that a backend has: four per core, or 64 if that is more. More would make nothing faster, and starting
    /// thousands takes minutes.
    ///
    /// ```
    /// use warpfold::Cpu;
    ///
    /// assert_eq!(Cpu::with_threads(usize::MAX)?.threads(), Cpu::most_threads());
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    #[must_use]
    pub fn most_threads() -> usize {
        pool::most_threads()
    }

    /// Returns the number of threads worth waking for `bytes` bytes. Counting the threads starts them, so small inputs
    /// avoid it.
    fn threads_for(&self, bytes: usize) -> usize {
        let tasks = bytes / TASK_BYTES;
        if tasks < 2 { 1 } else { self.threads().min(tasks) }
    }

    /// Reduces a slice. The code for few elements is inlined into the caller, except for one call.
    #[inline]
    pub(crate) fn reduce_slice<T: Element, O: Op<T>>(&self, op: O, x: &[T]) -> Result<O::Out, Error> {
        let _ = is_large::<O::Acc>();
        if const { !large::is_wide::<O::Acc>() }
            && few::are_few::<T, O>(x.len())
            && let Some(acc) = few::fold_checked::<T, O>(op, x)
        {
            return Ok(O::finish(acc, x.len() as u64));
        }
        self.reduce_many(op, x)
    }

    /// Reduces a slice of more than a few elements.
    #[inline(never)]
    fn reduce_many<T: Element, O: Op<T>>(&self, op: O, x: &[T]) -> Result<O::Out, Error> {
        if const { large::is_wide::<O::Acc>() } {
            return finish_results::<T, O>(self.fold_large::<T, O>(op, x)?, x.len() as u64);
        }
        Ok(O::finish(self.fold_many(op, x)?, x.len() as u64))
    }

    /// Folds a slice to large accumulators: one per tile, or one per task if the operator is free.
    fn fold_large<T: Element, O: Op<T>>(&self, op: O, x: &[T]) -> Result<Vec<O::Acc>, Error> {
        let part_len =
            if is_free::<T, O>() { TASK_BYTES / size_of::<T>() } else { part_len::<T>(x.len() as u64) };
        self.fold_parts::<T, O>(op, x, part_len.max(1), 0)
    }

    /// Folds a slice.
    pub(crate) fn fold_slice<T: Element, O: Op<T>>(&self, op: O, x: &[T]) -> Result<O::Acc, Error> {
        if const { large::is_wide::<O::Acc>() } {
            let tiles = self.fold_large::<T, O>(op, x)?;
            return reducing::<O::Acc, _>(|| fold_results::<T, O>(tiles))?;
        }
        match few::fold_checked::<T, O>(op, x) {
            Some(acc) => Ok(acc),
            None => self.fold_many(op, x),
        }
    }

    /// Folds a slice of more than a few elements to an accumulator that is not large.
    fn fold_many<T: Element, O: Op<T>>(&self, op: O, x: &[T]) -> Result<O::Acc, Error> {
        float_environment::check()?;
        let part_len =
            if is_free::<T, O>() { TASK_BYTES / size_of::<T>() } else { part_len::<T>(x.len() as u64) };
        let part_len = part_len.max(1);
        if x.len() <= part_len && size_of_val(x) < 2 * TASK_BYTES {
            // Nothing is allocated, and the threads are neither used nor counted, because counting would start them.
            let mut acc = [O::IDENTITY];
            processor::fold_tiles::<T, O>(op, x, part_len, 0, &mut acc)?;
            return Ok(acc[0]);
        }
        fold_results::<T, O>(self.fold_parts::<T, O>(op, x, part_len, 0)?)
    }

    /// Folds some tiles of an input of `n` elements: returns one accumulator per tile. `x` has the elements of the tiles in
    /// `tiles`, in order.
    ///
    /// This and [`finish`] are the two halves of a [reduction](crate::verb::Reduce). Tiles can be folded in any portions, in any
    /// order, on any machine: the bits are the same. The bits of a NaN in an accumulator may differ ([`Op`]); the bits of the
    /// result do not.
    ///
    /// # Errors
    /// [`Error::Tiles`] if `x` does not have the length of those tiles; [`Error::FloatEnvironment`] and [`Error::TooManyResults`] as for
    /// `reduce`.
    ///
    /// ```
    /// use warpfold::{Cpu, Sum, finish, tree};
    ///
    /// let x: Vec<f32> = (0..1_000_000).map(|i| i as f32 * 0.1).collect();
    /// let n = x.len() as u64;
    /// let tile = tree::tile_len::<f32>(n) as usize;
    /// let cpu = Cpu::new();
    /// let mut tiles = cpu.fold_tiles(Sum, &x[..100 * tile], n, 0..100)?;
    /// tiles.extend(cpu.fold_tiles(Sum, &x[100 * tile..], n, 100..tree::tiles::<f32>(n))?);
    /// assert_eq!(finish::<f32, Sum>(&tiles, n)?, cpu.reduce(Sum, &x)?);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn fold_tiles<T: Element, O: Op<T>>(
        &self,
        op: O,
        x: &[T],
        n: u64,
        tiles: Range<u64>,
    ) -> Result<Vec<O::Acc>, Error> {
        let tile_len = tree::tile_len::<T>(n);
        let start = tiles.start.saturating_mul(tile_len).min(n);
        let end = tiles.end.saturating_mul(tile_len).min(n);
        if tiles.start > tiles.end
            || tiles.end > tree::tiles::<T>(n)
            || end.checked_sub(start) != Some(x.len() as u64)
        {
            return Err(Error::Tiles { tiles, of: n, given: x.len() as u64 });
        }
        self.fold_parts::<T, O>(op, x, part_len::<T>(n), start)
    }

    /// Folds each `part_len` elements of `x`, whose first element has index `start`. Returns one accumulator per part.
    pub(crate) fn fold_parts<T: Element, O: Op<T>>(
        &self,
        op: O,
        x: &[T],
        part_len: usize,
        start: u64,
    ) -> Result<Vec<O::Acc>, Error> {
        let mut accs = identities::<T, O>(x.len().div_ceil(part_len))?;
        let fold = |(x, base, accs): (&[T], u64, &mut [O::Acc])| {
            reducing::<O::Acc, _>(|| {
                float_environment::check()?;
                processor::fold_tiles::<T, O>(op, x, part_len, base, accs)
            })?
        };
        let threads = self.threads_for(size_of_val(x));
        if threads < 2 {
            fold((x, start, &mut accs))?;
            return Ok(accs);
        }
        let parts = (TASK_BYTES / size_of::<T>() / part_len).max(1);
        let task_len = parts.saturating_mul(part_len);
        let bases = (start..).step_by(task_len);
        let tasks = x.chunks(task_len).zip(bases).zip(accs.chunks_mut(parts));
        let tasks = tasks.map(|((x, base), accs)| (x, base, accs));
        share(self.pool.as_deref(), threads - 1, tasks, fold)?;
        Ok(accs)
    }
}

// Rayon does not declare its pool unwind safe, but the pool continues after a panic of a task. Nothing else is shared.
impl UnwindSafe for Cpu {}
impl RefUnwindSafe for Cpu {}

/// Returns the number of elements of a tile, or `usize::MAX` for a tile that is longer than memory.
fn part_len<T: Element>(n: u64) -> usize {
    usize::try_from(tree::tile_len::<T>(n)).unwrap_or(usize::MAX)
}

impl fmt::Debug for Cpu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cpu").field("threads", &self.threads()).finish()
    }
}

/// Folds the results of all tiles of an input of `n` elements, in order, and finishes: the second half of a
/// reduction. The first is [`Cpu::fold_tiles`].
///
/// # Errors
/// [`Error::FloatEnvironment`] if the calling thread does not round to nearest or flushes subnormal numbers;
/// [`Error::TooManyResults`] if there is not enough memory for a copy of the results.
///
/// ```
/// use warpfold::{Cpu, Sum, finish, tree};
///
/// let x = vec![0.1f32; 100_000];
/// let n = x.len() as u64;
/// let tiles = Cpu::new().fold_tiles(Sum, &x, n, 0..tree::tiles::<f32>(n))?;
/// let sum = finish::<f32, Sum>(&tiles, n)?;
/// assert_eq!(sum.to_bits(), Cpu::new().reduce(Sum, &x)?.to_bits());
/// # Ok::<(), warpfold::Error>(())
/// ```
pub fn finish<T: Element, O: Op<T>>(tiles: &[O::Acc], n: u64) -> Result<O::Out, Error> {
    finish_results::<T, O>(memory::copied(tiles)?, n)
}

/// Returns `count` accumulators of empty input, to be overwritten.
fn identities<T: Element, O: Op<T>>(count: usize) -> Result<Vec<O::Acc>, Error> {
    reducing::<O::Acc, _>(|| memory::filled(O::IDENTITY, count))?
}

/// Folds the accumulators of all tiles, and finishes.
fn finish_results<T: Element, O: Op<T>>(tiles: Vec<O::Acc>, n: u64) -> Result<O::Out, Error> {
    reducing::<O::Acc, _>(|| Ok(O::finish(fold_results::<T, O>(tiles)?, n)))?
}

/// Folds the accumulators of all tiles.
fn fold_results<T: Element, O: Op<T>>(mut tiles: Vec<O::Acc>) -> Result<O::Acc, Error> {
    float_environment::check()?;
    Ok(neighbours::fold::<T, O>(&mut tiles))
}
