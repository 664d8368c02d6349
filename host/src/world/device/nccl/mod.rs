//! Ranks with a device each, between which NCCL moves device memory.

mod channel;
mod parts;
mod pieces;
mod reduce;
mod small;
mod stream;
mod verbs;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytemuck::Zeroable;
use cust::nccl::{self, UniqueId};

pub use channel::Channel;
pub use parts::NcclSizes;

use crate::cuda::Cuda;
use crate::error::{Error, RankFault};
use crate::world::Communicator;

/// Default time for which a rank waits for another.
const LIMIT: Duration = Duration::from_secs(300);

/// A rank with a device of its own. [`World::all_reduce`](crate::World::all_reduce) and
/// [`World::reduce_scatter`](crate::World::reduce_scatter) of arrays on the devices move them by NVIDIA's NCCL, from
/// device to device; everything else goes through another communicator, `C`.
///
/// NCCL only moves: kernels of this library fold, with the bits of every other communicator. The library
/// `libnccl.so.2`, version 2.18 or later, is looked up at run time; the environment variable `WARPFOLD_NCCL` names
/// another file. No two ranks have the same device.
///
/// A rank that is late beyond the time limit is an error on the others, as [`World`](crate::World) describes, also if
/// they wait for a stream or for results on it.
///
/// ```no_run
/// use std::thread;
/// use warpfold::{Cuda, Error, Nccl, Sum, Threads, World};
///
/// fn rank(rank: Threads, device: usize) -> Result<Vec<f32>, Error> {
///     let cuda = Cuda::open(device)?;
///     let world = World::new(Nccl::new(rank, &cuda)?);
///     let mut gradients = cuda.values(1 << 20)?;
///     gradients.copy_from_slice(&vec![0.1; 1 << 20])?;
///     world.all_reduce(Sum, &mut gradients)?;
///     gradients.to_vec()
/// }
///
/// let sums = thread::scope(|scope| {
///     let ranks = Threads::new(Cuda::device_count()?).into_iter().enumerate();
///     let ranks: Vec<_> = ranks.map(|(device, own)| scope.spawn(move || rank(own, device))).collect();
///     ranks.into_iter().map(|rank| rank.join().unwrap()).collect::<Result<Vec<_>, _>>()
/// })?;
/// assert!(sums.iter().all(|sum| *sum == sums[0]));
/// # Ok::<(), Error>(())
/// ```
pub struct Nccl<C> {
    communicator: C,
    channel: Channel,
}

impl<C: Communicator> Nccl<C> {
    /// Joins all ranks of `communicator`, each on its device. All ranks call it.
    ///
    /// # Errors
    /// [`Error::Nccl`] if there is no NCCL, it is too old or it fails, for example because two ranks have the same
    /// device; [`Error::Rank`] if another rank fails, or does not call it.
    ///
    /// ```no_run
    /// use warpfold::{Cuda, Nccl, Threads, World};
    ///
    /// let alone = Threads::new(1).remove(0);
    /// let world = World::new(Nccl::new(alone, &Cuda::open(0)?)?);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn new(communicator: C, cuda: &Cuda) -> Result<Self, Error> {
        Self::with_time_limit(communicator, cuda, LIMIT)
    }

    /// Does [`new`](Self::new), with a limit other than 5 minutes for what NCCL moves. The communicator has a limit of its
    /// own.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    ///
    /// ```no_run
    /// use std::time::Duration;
    /// use warpfold::{Cuda, Nccl, Threads, World};
    ///
    /// let (alone, limit) = (Threads::new(1).remove(0), Duration::from_secs(10));
    /// let world = World::new(Nccl::with_time_limit(alone, &Cuda::open(0)?, limit)?);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn with_time_limit(communicator: C, cuda: &Cuda, limit: Duration) -> Result<Self, Error> {
        let (rank, size) = (communicator.rank(), communicator.size());
        if rank >= size {
            return Err(Error::Rank { rank, fault: RankFault::Misplaced { ranks: size } });
        }
        // Checked before anything is sent to other ranks.
        let found = nccl::version().map_err(Error::from);
        let id = match (found, rank) {
            (Ok(_), 0) => UniqueId::new().map_err(Error::from),
            (found, _) => found.map(|_| UniqueId::zeroed()),
        };
        let id = told(&communicator, [rank, size], &id)?;
        let started = Channel::start(cuda, &id, rank, size, limit);
        told(
            &communicator,
            [rank, size],
            &started.as_ref().map(|_| UniqueId::zeroed()).map_err(Clone::clone),
        )?;
        Ok(Self { communicator, channel: started? })
    }

    /// Sets the sizes at which arrays are divided, the same on all ranks. Results do not change. For warpfold's own
    /// tests and benchmark.
    #[doc(hidden)]
    #[must_use]
    pub fn with_sizes(mut self, sizes: NcclSizes) -> Self {
        self.channel.sizes = sizes;
        self
    }
}

/// Tells the other ranks the id that rank 0 has made, or this rank's error. Returns the id of rank 0.
fn told<C: Communicator>(
    communicator: &C,
    [own_rank, size]: [usize; 2],
    own: &Result<UniqueId, Error>,
) -> Result<UniqueId, Error> {
    let said = match own {
        Ok(id) => [&[0], bytemuck::bytes_of(id)].concat(),
        Err(error) => [&[1], error.to_string().as_bytes()].concat(),
    };
    let all = communicator.all_gather(&said)?;
    own.as_ref().map_err(Clone::clone)?;
    if all.len() != size || all.get(own_rank) != Some(&said) {
        return Err(Error::Rank { rank: own_rank, fault: RankFault::Garbled });
    }
    let mut first = None;
    for (rank, said) in all.iter().enumerate() {
        let fault = match said.split_first() {
            Some((0, id)) => match bytemuck::try_pod_read_unaligned::<UniqueId>(id) {
                Ok(id) => {
                    first.get_or_insert(id);
                    continue;
                }
                Err(_) => RankFault::Garbled,
            },
            Some((_, why)) => RankFault::Refused { why: Arc::from(&*String::from_utf8_lossy(why)) },
            None => RankFault::Garbled,
        };
        return Err(Error::Rank { rank, fault });
    }
    first.ok_or(Error::Rank { rank: 0, fault: RankFault::Garbled })
}

impl<C: Communicator> Communicator for Nccl<C> {
    fn rank(&self) -> usize {
        self.channel.communicator.rank()
    }

    fn size(&self) -> usize {
        self.channel.communicator.size()
    }

    fn all_gather(&self, bytes: &[u8]) -> Result<Vec<Vec<u8>>, Error> {
        self.communicator.all_gather(bytes)
    }

    fn send(&self, to: usize, bytes: &[u8]) -> Result<(), Error> {
        self.communicator.send(to, bytes)
    }

    fn recv(&self, from: usize, bytes: &mut [u8]) -> Result<(), Error> {
        self.communicator.recv(from, bytes)
    }

    fn barrier(&self) -> Result<(), Error> {
        self.communicator.barrier()
    }

    fn leave(&self, cause: &Error) {
        self.channel.abort();
        self.communicator.leave(cause);
    }

    fn channel(&self) -> Option<&Channel> {
        Some(&self.channel)
    }
}

impl<C: fmt::Debug> fmt::Debug for Nccl<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Nccl").field("communicator", &self.communicator).finish_non_exhaustive()
    }
}
