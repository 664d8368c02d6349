//! What moves bytes between ranks.

use crate::Error;

/// An engine that moves bytes between ranks: [`Threads`](crate::Threads), or MPI, NCCL or another of your own.
///
/// It only moves; a [`World`](crate::World) folds. All ranks call the same functions in the same order, each from one thread.
/// Bytes from one rank to another arrive in the order in which they were sent.
///
/// An engine must not wait for ever: if a rank ends, or sends nothing within a time limit of the engine's, the others get an error
/// that names it, [`Error::Rank`].
pub trait Communicator {
    /// The number of this rank, from 0.
    fn rank(&self) -> usize;

    /// Number of ranks.
    fn size(&self) -> usize;

    /// Gives every rank the bytes of each, in the order of ranks. They may be of other lengths on each rank, or empty.
    ///
    /// # Errors
    /// [`Error::Rank`], which names a rank that did not take part.
    fn all_gather(&self, bytes: &[u8]) -> Result<Vec<Vec<u8>>, Error>;

    /// Sends bytes, at least one, to another rank. It may return before that rank has received them, or wait for it.
    ///
    /// # Errors
    /// [`Error::Rank`] if that rank cannot be reached.
    fn send(&self, to: usize, bytes: &[u8]) -> Result<(), Error>;

    /// Receives what another rank has sent, which has exactly as many bytes as there is room for.
    ///
    /// # Errors
    /// [`Error::Rank`] if that rank ended, sent nothing in time, or sent another number of bytes.
    fn recv(&self, from: usize, bytes: &mut [u8]) -> Result<(), Error>;

    /// Returns when all ranks have called it.
    ///
    /// # Errors
    /// As [`all_gather`](Self::all_gather).
    fn barrier(&self) -> Result<(), Error> {
        self.all_gather(&[]).map(drop)
    }

    /// This rank gives up: it moves nothing any more. An engine that can tells the others, so that they need not wait until it is
    /// late; `cause` is [`Error::Rank`] if another rank was the cause.
    fn leave(&self, cause: &Error) {
        let _ = cause;
    }
}
