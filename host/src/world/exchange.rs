//! Bytes from each rank to each, where all know how many.

use super::{Communicator, World};
use crate::Error;
use crate::error::RankFault;

impl<C: Communicator> World<C> {
    /// The communicator's, whose answer is one for each rank.
    pub(super) fn all_gather(&self, bytes: &[u8]) -> Result<Vec<Vec<u8>>, Error> {
        let all = self.communicator.all_gather(bytes)?;
        let is_whole = all.len() == self.size();
        if is_whole { Ok(all) } else { Err(Error::Rank { rank: self.rank(), fault: RankFault::Garbled }) }
    }

    /// Sends `to[r]` to each rank `r`, and receives `expected[r]` bytes from each. Who has nothing for a rank sends nothing.
    ///
    /// In round `k` ranks `i` and `j` meet for which `i + j` is `k`, modulo their number, and the lower sends first. So
    /// no two wait for each other, even if a communicator's `send` waits until its bytes are received.
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
