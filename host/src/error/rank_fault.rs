//! What keeps a rank from taking part in a call.

use std::sync::Arc;
use std::time::Duration;

/// Why a rank of a [`World`](crate::World) did not do its part.
#[derive(Clone, Debug, thiserror::Error)]
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
    /// It called something else. Nothing was moved, and the ranks may go on.
    #[error(
        "calls {call}, but rank {other} {other_call}: all ranks must make the same calls in the same order"
    )]
    Disagrees {
        /// What it called.
        call: Arc<str>,
        /// The rank that it is compared with.
        other: usize,
        /// What that one called.
        other_call: Arc<str>,
    },
    /// Its arguments were wrong. Nothing was moved, and the ranks may go on.
    #[error("refused the call: {why}")]
    Refused {
        /// Its own error.
        why: Arc<str>,
    },
    /// An error of its own broke the call off.
    #[error("failed in the middle of the call: {why}; start all ranks anew")]
    Failed {
        /// Its own error.
        why: Arc<str>,
    },
    /// It sent bytes of another number or another meaning than the call takes.
    #[error(
        "sent other bytes than the call takes: run the same build on all ranks, and check the communicator"
    )]
    Garbled,
    /// A communicator could not reach it.
    #[error("cannot be reached: {cause}")]
    Unreachable {
        /// What the communicator said.
        #[source]
        cause: Arc<dyn std::error::Error + Send + Sync>,
    },
}
