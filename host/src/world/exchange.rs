//! Sends bytes from each rank to each other, where the receivers know how many.

use super::{Communicator, World};
use crate::Error;
use crate::error::RankFault;

impl<C: Communicator> World<C> {
    /// Does [`Communicator::all_gather`], and checks that there is one answer for each rank.
    pub(super) fn all_gather(&self, bytes: &[u8]) -> Result<Vec<Vec<u8>>, Error> {
        let all = self.communicator.all_gather(bytes)?;
        let is_whole = all.len() == self.size();
        if is_whole { Ok(all) } else { Err(Error::Rank { rank: self.rank(), fault: RankFault::Garbled }) }
    }

    /// Sends `to[r]` to each rank `r`, and receives `expected[r]` bytes from each. Empty messages are not sent.
    ///
    /// In round `k`, ranks `i` and `j` exchange if `i + j` is `k` modulo the number of ranks, and the lower rank sends
    /// first. So no two ranks wait for each other, even if a communicator's `send` waits until its bytes are received.
    pub(super) fn exchange(&self, mut to: Vec<Vec<u8>>, expected: &[usize]) -> Result<Vec<Vec<u8>>, Error> {
        let (rank, size) = (self.rank(), self.size());
        let mut from = vec![Vec::new(); size];
        for round in 0..size {
            let partner = (round + size - rank) % size;
            if partner == rank {
                from[rank] = std::mem::take(&mut to[rank]);
                continue;
            }
            let send = || {
                if to[partner].is_empty() { Ok(()) } else { self.communicator.send(partner, &to[partner]) }
            };
            if rank < partner {
                send()?;
            }
            if expected[partner] > 0 {
                from[partner] = vec![0; expected[partner]];
                self.communicator.recv(partner, &mut from[partner])?;
            }
            if rank > partner {
                send()?;
            }
        }
        Ok(from)
    }
}
