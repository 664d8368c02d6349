//! Ranks in order, each of which has a part of the array: the verbs of every backend over all parts.
//!
//! A [`Communicator`] moves bytes; nothing of its own is folded with. Every call begins with an exchange of what each rank
//! calls and how long its part is, so ranks that disagree are found before anything else moves. From there on each rank knows
//! who sends what to whom.

mod agree;
mod all_reduce;
mod bytes;
mod communicator;
mod compact;
mod cut;
mod exchange;
mod fold;
mod groups;
mod input;
mod open_tile;
mod order;
mod part;
mod scan;
mod segments;
mod threads;
mod unfinished;

use std::cell::RefCell;
use std::fmt;
use std::sync::Arc;

pub use communicator::Communicator;
pub use input::WorldInput;
pub use scan::WorldScanInput;
pub use threads::Threads;

use crate::error::RankFault;
use crate::{Cpu, Error};

/// This rank's place among all ranks, each of which has a part of an array.
///
/// All ranks make the same calls in the same order, each with its part: `world.reduce(op, &part)` is the reduction of the parts
/// put end to end in the order of ranks. Results have the bits of one rank that has it all, for every number of ranks and every
/// cut; a part may be of any length, or empty.
///
/// Reductions, counts, the first few and quantiles give every rank the result. Selected elements stay where they are. What has as many
/// outputs as elements, as scans and sorts, is cut as the parts are. [`all_reduce`](Self::all_reduce) folds arrays of all ranks element
/// by element.
///
/// **Errors.** Ranks that call different things, or one whose arguments are wrong, get [`Error::Rank`] before anything is moved,
/// and may go on. A rank that ends, panics or is late is [`Error::Rank`] on all others; the call is broken off, and each further
/// one is refused with [`Error::WorldClosed`]. What an operator is made of, as a threshold, is not compared: give all ranks the
/// same.
///
/// ```
/// use std::thread;
/// use warpfold::{Cpu, Mean, Sum, World};
///
/// let parts = [vec![1.0f32, 2.5], vec![], vec![4.0, 8.25, 16.0]];
/// let ranks = thread::scope(|scope| {
///     let ranks = World::threads(3).into_iter().zip(&parts);
///     let ranks: Vec<_> = ranks.map(|(world, part)| scope.spawn(move || world.reduce((Sum, Mean), part))).collect();
///     ranks.into_iter().map(|rank| rank.join().unwrap()).collect::<Result<Vec<_>, _>>()
/// })?;
/// assert_eq!(ranks, [Cpu::new().reduce((Sum, Mean), &parts.concat())?; 3]);
/// # Ok::<(), warpfold::Error>(())
/// ```
pub struct World<C> {
    communicator: C,
    cpu: Cpu,
    /// The error that broke a call off.
    closed: RefCell<Option<Arc<Error>>>,
}

impl World<Threads> {
    /// As many ranks of this process, in order, each for a thread of the caller's: see [`Threads`].
    #[must_use]
    pub fn threads(ranks: usize) -> Vec<Self> {
        Threads::new(ranks).into_iter().map(Self::new).collect()
    }
}

impl<C: Communicator> World<C> {
    /// This rank of a communicator's. It folds on the CPU, with [`Cpu::new`].
    pub fn new(communicator: C) -> Self {
        Self { communicator, cpu: Cpu::new(), closed: RefCell::new(None) }
    }

    /// The same rank, which folds with this backend.
    #[must_use]
    pub fn with_cpu(self, cpu: Cpu) -> Self {
        Self { cpu, ..self }
    }

    /// The number of this rank, from 0.
    pub fn rank(&self) -> usize {
        self.communicator.rank()
    }

    /// Number of ranks.
    pub fn size(&self) -> usize {
        self.communicator.size()
    }

    /// Returns when all ranks have called it.
    ///
    /// # Errors
    /// [`Error::Rank`] if a rank does not; [`Error::WorldClosed`] after a call that was broken off.
    pub fn barrier(&self) -> Result<(), Error> {
        self.agree("barrier()", Ok(0)).map(drop)
    }

    /// Reduces the parts of all ranks put end to end with `op`: every rank gets the result. An input is this rank's part of an
    /// array (`&x`), or what [`WorldInput`] lists.
    ///
    /// # Errors
    /// Those of the input, on the rank that it is wrong on; [`Error::Rank`] and [`Error::WorldClosed`] as [`World`] says;
    /// otherwise as [`Cpu::reduce`].
    pub fn reduce<O, I: WorldInput<O>>(&self, op: O, input: I) -> Result<I::Results, Error> {
        input.reduce_in_world(self, op)
    }

    /// Does what all ranks have agreed on. If it fails here or panics, this rank leaves the others.
    fn together<R>(&self, work: impl FnOnce() -> Result<R, Error>) -> Result<R, Error> {
        if let Some(first_cause) = self.closed.borrow().clone() {
            return Err(Error::WorldClosed { first_cause });
        }
        let unless_done = Leave(self);
        let result = work();
        std::mem::forget(unless_done);
        if let Err(cause) = &result {
            self.close(cause.clone());
        }
        result
    }

    fn close(&self, cause: Error) {
        self.communicator.leave(&cause);
        *self.closed.borrow_mut() = Some(Arc::new(cause));
    }
}

/// Leaves the other ranks if a panic of the operator's drops it.
struct Leave<'a, C: Communicator>(&'a World<C>);

impl<C: Communicator> Drop for Leave<'_, C> {
    fn drop(&mut self) {
        self.0.close(Error::Rank { rank: self.0.rank(), fault: RankFault::Gone });
    }
}

impl<C: Communicator> fmt::Debug for World<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("World")
            .field("rank", &self.rank())
            .field("size", &self.size())
            .finish_non_exhaustive()
    }
}
