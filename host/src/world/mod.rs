//! Operations over an array whose parts are on several ranks.
//!
//! A [`Communicator`] only moves bytes; ranks fold. At the start of every call the ranks exchange the name of the
//! call and the lengths of their parts. So a disagreement is found before anything else is moved, and each rank
//! knows what every other rank will send, and to which rank.

mod agree;
mod all_reduce;
mod bytes;
mod communicator;
mod compact;
mod cut;
#[cfg(feature = "cuda")]
mod device;
mod elements;
mod exchange;
mod fold;
mod groups;
mod histogram;
mod input;
mod open_tile;
mod order;
pub(crate) mod part;
mod places;
mod scan;
mod segments;
mod threads;

use std::cell::RefCell;
use std::fmt;
use std::sync::Arc;

pub use communicator::Communicator;
#[cfg(feature = "cuda")]
pub use device::{Channel, Nccl, NcclSizes};
pub(crate) use elements::{WorldElements, WorldInPlace, WorldOutputs, WorldSelect};
pub use threads::Threads;

use crate::cpu::Cpu;
use crate::error::{Error, RankFault};

/// A rank: one of several threads, processes or machines, each with a part of an array.
///
/// All ranks make the same calls in the same order, each with its part: `world.reduce(op, &part)` is the reduction of
/// all parts, concatenated in the order of ranks. The results have the bits of one `Cpu` over the whole array, for
/// every number of ranks and every division into parts. A part can have any length, and can be empty.
///
/// The requests ([`verb`](crate::verb)) say what a rank passes and gets. Every rank gets the results of reductions, counts, `top_k` and
/// quantiles. Compaction leaves elements on their ranks.
/// Operations with one output per element, such as scans and sorts, give each rank as many outputs as its part has
/// elements. [`all_reduce`](Self::all_reduce) folds arrays of all ranks element by element.
///
/// A part is in host memory or, with the feature `cuda`, on a device, and outputs for its elements are in the same
/// memory: in a `Vec`, in place of `&mut x`, or in a `DeviceArray`. Devices reduce and compact; for most other operations a part is copied
/// to the host, and the outputs back.
///
/// **Errors.** If ranks call different operations, or one passes wrong arguments, the call fails with [`Error::Rank`]
/// before anything is moved, and all ranks can go on. The same holds if a part cannot be copied from its device. If
/// outputs cannot be copied to a device, only that rank's call fails. If a rank ends, panics or is late, the call fails with
/// [`Error::Rank`] on all others, and every further call with [`Error::WorldClosed`]. Parameters of an operator, such as a
/// threshold, are not compared: pass the same on all ranks.
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
    /// What the communicator said when it was asked, once.
    rank: usize,
    size: usize,
    cpu: Cpu,
    /// The error that ended a call.
    closed: RefCell<Option<Arc<Error>>>,
}

impl World<Threads> {
    /// Creates `ranks` ranks in this process, in order, one for each of your threads: see [`Threads`]. At most 32,768
    /// can be made: see [`Threads::new`].
    ///
    /// ```
    /// use warpfold::World;
    ///
    /// let ranks = World::threads(3);
    /// assert_eq!(ranks.len(), 3);
    /// assert!(ranks.iter().all(|rank| rank.size() == 3));
    /// ```
    #[must_use]
    pub fn threads(ranks: usize) -> Vec<Self> {
        Threads::new(ranks).into_iter().map(Self::new).collect()
    }
}

impl<C: Communicator> World<C> {
    /// Creates the rank of a communicator, which is asked once for its number and the number of ranks. It folds with
    /// [`Cpu::new`].
    ///
    /// ```
    /// use warpfold::{Sum, Threads, World};
    ///
    /// let alone = Threads::new(1).remove(0);
    /// assert_eq!(World::new(alone).reduce(Sum, &[1.5f32, 2.5])?, 4.0);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn new(communicator: C) -> Self {
        let (rank, size) = (communicator.rank(), communicator.size());
        Self { communicator, rank, size, cpu: Cpu::new(), closed: RefCell::new(None) }
    }

    /// Sets the CPU backend of this rank.
    ///
    /// ```
    /// use warpfold::{Cpu, Sum, World};
    ///
    /// let alone = World::threads(1).remove(0).with_cpu(Cpu::with_threads(1)?);
    /// assert_eq!(alone.reduce(Sum, &[1.5f32, 2.5])?, 4.0);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    #[must_use]
    pub fn with_cpu(self, cpu: Cpu) -> Self {
        Self { cpu, ..self }
    }

    /// Returns the number of this rank, from 0.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// Returns the number of ranks.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Waits until all ranks have called it.
    ///
    /// # Errors
    /// [`Error::Rank`] if a rank does not call it; [`Error::WorldClosed`] after a failed call.
    ///
    /// ```
    /// use std::thread;
    /// use warpfold::World;
    ///
    /// thread::scope(|scope| {
    ///     let ranks: Vec<_> = World::threads(2).into_iter().map(|world| scope.spawn(move || world.barrier())).collect();
    ///     ranks.into_iter().try_for_each(|rank| rank.join().unwrap())
    /// })?;
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn barrier(&self) -> Result<(), Error> {
        self.agree("barrier()", Ok(0)).map(drop)
    }

    /// Runs an operation on which all ranks have agreed. If it fails or panics here, this rank leaves the others.
    pub(crate) fn together<R>(&self, work: impl FnOnce() -> Result<R, Error>) -> Result<R, Error> {
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

    /// Returns what moves memory between the ranks' devices, if the communicator has it.
    #[cfg(feature = "cuda")]
    pub(crate) fn channel(&self) -> Option<&Channel> {
        self.communicator.channel()
    }

    fn close(&self, cause: Error) {
        self.communicator.leave(&cause);
        *self.closed.borrow_mut() = Some(Arc::new(cause));
    }
}

/// Leaves the other ranks when a panic of the operator drops it.
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
