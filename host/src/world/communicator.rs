//! Communicators: what moves bytes between ranks.

use crate::error::Error;
#[cfg(feature = "cuda")]
use crate::world::Channel;

/// Moves bytes between ranks: [`Threads`](crate::Threads), or a communicator of your own, over MPI, sockets or anything
/// else.
///
/// It only moves bytes; a [`World`](crate::World) folds. All ranks call the same functions in the same order, each from
/// one thread. Bytes from one rank to another arrive in the order of sending.
///
/// A communicator must not wait for ever: if a rank ends, or sends nothing within the time limit, the others get
/// [`Error::Rank`], which names it.
///
/// A [`World`](crate::World) asks once for [`rank`](Self::rank) and [`size`](Self::size), and checks the lengths of all that
/// other ranks send before it uses them. Data that does not fit the call is [`Error::Rank`].
pub trait Communicator {
    /// Returns the number of this rank, from 0 and less than [`size`](Self::size).
    fn rank(&self) -> usize;

    /// Returns the number of ranks.
    fn size(&self) -> usize;

    /// Gives every rank the bytes of all ranks, in the order of ranks. Lengths may differ, and may be 0.
    ///
    /// # Errors
    /// [`Error::Rank`], which names a rank that did not take part.
    fn all_gather(&self, bytes: &[u8]) -> Result<Vec<Vec<u8>>, Error>;

    /// Sends at least one byte to another rank. It can return before that rank has received them, or wait for it.
    ///
    /// # Errors
    /// [`Error::Rank`] if that rank cannot be reached.
    fn send(&self, to: usize, bytes: &[u8]) -> Result<(), Error>;

    /// Receives exactly `bytes.len()` bytes from another rank.
    ///
    /// # Errors
    /// [`Error::Rank`] if that rank ended, sent nothing in time, or sent another number of bytes.
    fn recv(&self, from: usize, bytes: &mut [u8]) -> Result<(), Error>;

    /// Waits until all ranks have called it.
    ///
    /// # Errors
    /// As [`all_gather`](Self::all_gather).
    fn barrier(&self) -> Result<(), Error> {
        self.all_gather(&[]).map(drop)
    }

    /// Tells the communicator that this rank stops, and moves nothing any more. If possible, it tells the other ranks,
    /// which then need not wait until their time limit. `cause` is [`Error::Rank`] if this rank stops because of
    /// another one.
    fn leave(&self, cause: &Error) {
        let _ = cause;
    }

    /// Returns what moves memory between devices, if the communicator has it.
    #[cfg(feature = "cuda")]
    #[doc(hidden)]
    fn channel(&self) -> Option<&Channel> {
        None
    }
}
