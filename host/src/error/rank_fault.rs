//! Faults of a rank in a call.

use std::sync::Arc;
use std::time::Duration;

/// Why a rank of a [`World`](crate::World) did not take part in a call. `Debug` prints the message, then the variant.
#[derive(Clone, thiserror::Error)]
#[non_exhaustive]
pub enum RankFault {
    /// Its thread or process ended, panicked, or dropped its [`World`](crate::World).
    #[error(
        "is gone: it ended, panicked or dropped its World before the call was done; start all ranks anew"
    )]
    Gone,
    /// It sent nothing within the time limit.
    #[error(
        "sent nothing within {limit:?}: look for what it waits for, or raise the limit; start all ranks anew"
    )]
    Late {
        /// The time limit.
        limit: Duration,
    },
    /// It called another operation. Nothing was moved, and the ranks can go on.
    #[error(
        "calls {call}, but rank {other} calls {other_call}: all ranks must make the same calls in the same order"
    )]
    Disagrees {
        /// Its call.
        call: Arc<str>,
        /// The rank with which it is compared.
        other: usize,
        /// That rank's call.
        other_call: Arc<str>,
    },
    /// Its arguments were wrong. Nothing was moved, and the ranks can go on.
    #[error("refused the call: {why}")]
    Refused {
        /// Its own error.
        why: Arc<str>,
    },
    /// Its own error ended the call.
    #[error("failed in the middle of the call: {why}; start all ranks anew")]
    Failed {
        /// Its own error.
        why: Arc<str>,
    },
    /// It sent bytes of another number or meaning than the call expects.
    #[error(
        "sent bytes that the call does not expect: run the same build on all ranks, and check the communicator"
    )]
    Garbled,
    /// It is this rank, to which the communicator gives a number that is not below the number of ranks.
    #[error(
        "is the number that the communicator gives this rank, of {ranks} ranks: numbers are below that; correct the \
         communicator's `rank` and `size`"
    )]
    Misplaced {
        /// The number of ranks.
        ranks: usize,
    },
    /// A communicator could not reach it.
    #[error("cannot be reached: {cause}")]
    Unreachable {
        /// The error of the communicator.
        #[source]
        cause: Arc<dyn std::error::Error + Send + Sync>,
    },
}
