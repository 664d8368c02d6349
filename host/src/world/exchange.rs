//! Sends bytes from each rank to each other, where the receivers know how many.

use bytemuck::Pod;

use super::{Communicator, World, bytes};
use crate::error::{Error, RankFault};
use crate::memory;

/// Most bytes of a message. A longer one is sent in pieces, so that its receiver needs memory only for what has
/// arrived, not for the announced length.
const PIECE: usize = 64 << 20;

/// Returns the error for a rank that sent something else than the call expects.
pub(super) fn garbled(rank: usize) -> Error {
    Error::Rank { rank, fault: RankFault::Garbled }
}

impl<C: Communicator> World<C> {
    /// Does [`Communicator::all_gather`], and checks that there is one answer for each rank. The answer for this rank
    /// must be what it gave.
    pub(super) fn all_gather(&self, bytes: &[u8]) -> Result<Vec<Vec<u8>>, Error> {
        let all = self.communicator.all_gather(bytes)?;
        let is_whole = all.len() == self.size && all.get(self.rank).is_some_and(|own| own == bytes);
        if is_whole { Ok(all) } else { Err(garbled(self.rank)) }
    }

    /// Gathers values of every rank, any number of them.
    pub(super) fn gather_any<A: Pod>(&self, own: &[A]) -> Result<Vec<Vec<A>>, Error> {
        let all = self.all_gather(bytes::of(own))?;
        all.iter().enumerate().map(|(rank, bytes)| bytes::plain(rank, bytes)).collect()
    }

    /// Gathers the values of every rank. Rank `r` has `count(r)` of them.
    pub(super) fn gather<A: Pod>(
        &self,
        own: &[A],
        count: impl Fn(usize) -> usize,
    ) -> Result<Vec<Vec<A>>, Error> {
        let all = self.gather_any(own)?;
        match all.iter().enumerate().find(|&(rank, values)| values.len() != count(rank)) {
            None => Ok(all),
            Some((rank, _)) => Err(garbled(rank)),
        }
    }

    /// Sends `to[r]` to each rank `r`, and receives `expected[r]` bytes from each. Empty messages are not sent.
    ///
    /// In round `k`, ranks `i` and `j` exchange if `i + j` is `k` modulo the number of ranks, and the lower rank sends
    /// first. So no two ranks wait for each other, even if a communicator's `send` waits until its bytes are received.
    pub(super) fn exchange<B: AsRef<[u8]>>(
        &self,
        to: &[B],
        expected: &[usize],
    ) -> Result<Vec<Vec<u8>>, Error> {
        let (rank, size) = (self.rank, self.size);
        let mut from = memory::filled(Vec::new(), size)?;
        for round in 0..size {
            let partner = (round + size - rank) % size;
            if partner == rank {
                from[rank] = memory::copied(to[rank].as_ref())?;
                continue;
            }
            let send = || {
                to[partner]
                    .as_ref()
                    .chunks(PIECE)
                    .try_for_each(|piece| self.communicator.send(partner, piece))
            };
            if rank < partner {
                send()?;
            }
            from[partner] = self.receive(partner, expected[partner])?;
            if rank > partner {
                send()?;
            }
        }
        Ok(from)
    }

    /// Receives some bytes from another rank, piece by piece.
    fn receive(&self, from: usize, expected: usize) -> Result<Vec<u8>, Error> {
        let mut received = Vec::new();
        while received.len() < expected {
            let (before, piece) = (received.len(), PIECE.min(expected - received.len()));
            memory::reserve(&mut received, piece)?;
            received.resize(before + piece, 0);
            self.communicator.recv(from, &mut received[before..])?;
        }
        Ok(received)
    }
}
