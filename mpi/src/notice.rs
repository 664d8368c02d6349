//! The message with which a rank tells the others that it sends nothing more.

use std::sync::Arc;
use std::time::Duration;

use warpfold::{Error, RankFault};

use crate::library::Failure;

/// The last message of a rank.
#[derive(Clone, Debug)]
pub(crate) struct Notice {
    /// The number of messages sent before to the receiver of this one.
    pub(crate) sent: u64,
    /// The error that stopped the rank; `None` if it is done.
    pub(crate) cause: Option<Error>,
}

impl Notice {
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let (kind, rank, rest) = match &self.cause {
            None => (0_u8, 0, Vec::new()),
            Some(Error::Rank { rank, fault }) => match fault {
                RankFault::Gone => (1, *rank, Vec::new()),
                RankFault::Late { limit } => {
                    (2, *rank, (limit.as_nanos().min(u128::from(u64::MAX)) as u64).to_le_bytes().to_vec())
                }
                RankFault::Garbled => (3, *rank, Vec::new()),
                RankFault::Failed { why } => (4, *rank, why.as_bytes().to_vec()),
                RankFault::Unreachable { cause } => (5, *rank, cause.to_string().into_bytes()),
                other => (4, *rank, other.to_string().into_bytes()),
            },
            Some(other) => (4, 0, other.to_string().into_bytes()),
        };
        [&self.sent.to_le_bytes()[..], &(rank as u64).to_le_bytes(), &[kind], &rest].concat()
    }

    /// Decodes a notice; `None` if the bytes are not one.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (sent, bytes) = bytes.split_first_chunk::<8>()?;
        let (rank, bytes) = bytes.split_first_chunk::<8>()?;
        let (kind, rest) = bytes.split_first()?;
        let text = || String::from_utf8_lossy(rest).into_owned();
        let fault = match kind {
            0 => None,
            1 => Some(RankFault::Gone),
            2 => Some(RankFault::Late {
                limit: Duration::from_nanos(u64::from_le_bytes(rest.try_into().ok()?)),
            }),
            3 => Some(RankFault::Garbled),
            4 => Some(RankFault::Failed { why: text().into() }),
            5 => Some(RankFault::Unreachable { cause: Arc::new(Failure::new(text())) }),
            _ => return None,
        };
        let rank = usize::try_from(u64::from_le_bytes(*rank)).ok()?;
        let cause = fault.map(|fault| Error::Rank { rank, fault });
        Some(Self { sent: u64::from_le_bytes(*sent), cause })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notices_arrive_as_they_were_sent() {
        let faults = [
            RankFault::Gone,
            RankFault::Garbled,
            RankFault::Late { limit: Duration::from_millis(1500) },
            RankFault::Failed { why: "no memory".into() },
            RankFault::Unreachable { cause: Arc::new(Failure::new("no route")) },
        ];
        for fault in faults {
            let cause = Error::Rank { rank: 300, fault };
            let read =
                Notice::from_bytes(&Notice { sent: 1 << 40, cause: Some(cause.clone()) }.to_bytes()).unwrap();
            assert_eq!((read.sent, read.cause.unwrap().to_string()), (1 << 40, cause.to_string()));
        }
        assert!(Notice::from_bytes(&Notice { sent: 0, cause: None }.to_bytes()).unwrap().cause.is_none());
        assert!(Notice::from_bytes(&[0; 16]).is_none() && Notice::from_bytes(&[9; 17]).is_none());
    }
}
