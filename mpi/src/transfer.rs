//! Bytes to or from one rank, in pieces.
//!
//! The first message of a transfer has its length and the first piece; each further piece is a message. Pieces are copies, so an
//! abandoned transfer leaves MPI no borrow, and at most a few pieces.

use std::collections::VecDeque;

use mpi::Tag;

use crate::library::{Channel, Failure, Request};

/// The tag of transfers.
const TAG: Tag = 0;

/// Most bytes of a piece.
const PIECE: usize = 1 << 18;

/// Most pieces under way to one rank.
const AHEAD: usize = 4;

/// Bytes of the length.
const HEAD: usize = size_of::<u64>();

/// Bytes on their way to a rank.
pub(crate) struct Outgoing<'a> {
    pub(crate) to: usize,
    bytes: &'a [u8],
    /// The number of bytes sent; `None` before the first message.
    begun: Option<usize>,
    under_way: VecDeque<Request>,
}

impl<'a> Outgoing<'a> {
    pub(crate) fn new(to: usize, bytes: &'a [u8]) -> Self {
        Self { to, bytes, begun: None, under_way: VecDeque::new() }
    }

    pub(crate) fn is_done(&self) -> bool {
        self.begun == Some(self.bytes.len()) && self.under_way.is_empty()
    }

    /// Sends without waiting. Returns the number of messages that MPI has sent.
    pub(crate) fn step(&mut self, channel: &Channel) -> Result<u64, Failure> {
        let mut sent = 0;
        loop {
            while self.under_way.len() < AHEAD && self.begun != Some(self.bytes.len()) {
                let at = self.begun.unwrap_or(0);
                let end = self.bytes.len().min(at + PIECE);
                let head = (self.bytes.len() as u64).to_le_bytes();
                let head = if self.begun.is_none() { &head[..] } else { &[] };
                self.under_way.push_back(channel.send(
                    self.to,
                    TAG,
                    [head, &self.bytes[at..end]].concat(),
                )?);
                self.begun = Some(end);
            }
            let is_gone = match self.under_way.front_mut() {
                Some(first) => first.test()?.is_some(),
                None => false,
            };
            if !is_gone {
                return Ok(sent);
            }
            self.under_way.pop_front();
            sent += 1;
        }
    }
}

/// The destination of received bytes.
enum Place<'a> {
    /// Exactly the length of the slice.
    Slice(&'a mut [u8]),
    /// Any number.
    Grows(Vec<u8>),
}

/// Bytes on their way from a rank.
pub(crate) struct Incoming<'a> {
    pub(crate) from: usize,
    place: Place<'a>,
    received: usize,
    /// The number of bytes of the transfer, once known.
    len: Option<usize>,
    under_way: Option<Request>,
    spare: Vec<u8>,
}

/// The reason why a transfer failed.
pub(crate) enum Broken {
    /// MPI returned an error.
    Failed(Failure),
    /// The message does not fit the call.
    Garbled,
    /// There is not enough memory for the bytes of a transfer.
    Memory(usize),
}

impl From<Failure> for Broken {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

impl<'a> Incoming<'a> {
    /// Receives as many bytes as `to` has.
    pub(crate) fn to_slice(from: usize, to: &'a mut [u8]) -> Self {
        Self { from, place: Place::Slice(to), received: 0, len: None, under_way: None, spare: Vec::new() }
    }

    /// Receives any number of bytes.
    pub(crate) fn any(from: usize) -> Self {
        let place = Place::Grows(Vec::new());
        Self { from, place, received: 0, len: None, under_way: None, spare: Vec::new() }
    }

    /// Returns the bytes of [`any`](Self::any). The caller of [`to_slice`](Self::to_slice) has its bytes, so it gets none.
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        match self.place {
            Place::Grows(bytes) => bytes,
            Place::Slice(_) => Vec::new(),
        }
    }

    pub(crate) fn is_done(&self) -> bool {
        self.len == Some(self.received)
    }

    /// Receives without waiting. Returns the number of messages received.
    pub(crate) fn step(&mut self, channel: &Channel) -> Result<u64, Broken> {
        let mut received = 0;
        while !self.is_done() {
            if self.under_way.is_none() {
                let Some(arrived) = channel.probe(Some(self.from), TAG)? else { break };
                // No rank sends more at once.
                if arrived.len > HEAD + PIECE {
                    return Err(Broken::Garbled);
                }
                let mut buffer = std::mem::take(&mut self.spare);
                buffer.resize(arrived.len, 0);
                self.under_way = Some(channel.recv(self.from, TAG, buffer)?);
            }
            let Some(request) = &mut self.under_way else { break };
            let Some(buffer) = request.test()? else { break };
            self.under_way = None;
            received += 1;
            self.take(&buffer)?;
            self.spare = buffer;
        }
        Ok(received)
    }

    fn take(&mut self, mut piece: &[u8]) -> Result<(), Broken> {
        let len = match self.len {
            Some(len) => len,
            None => {
                let (head, first) = piece.split_first_chunk::<HEAD>().ok_or(Broken::Garbled)?;
                piece = first;
                let len = usize::try_from(u64::from_le_bytes(*head)).map_err(|_| Broken::Garbled)?;
                *self.len.insert(len)
            }
        };
        if piece.len() != (len - self.received).min(PIECE) {
            return Err(Broken::Garbled);
        }
        match &mut self.place {
            Place::Slice(to) if to.len() != len => return Err(Broken::Garbled),
            Place::Slice(to) => to[self.received..][..piece.len()].copy_from_slice(piece),
            Place::Grows(to) => {
                // Doubles with what arrives: a length alone takes no memory.
                if to.capacity() - to.len() < piece.len() {
                    let more = (len - to.len()).min(to.len().max(piece.len()));
                    to.try_reserve_exact(more).map_err(|_| Broken::Memory(len))?;
                }
                to.extend_from_slice(piece);
            }
        }
        self.received += piece.len();
        Ok(())
    }
}

/// Receives one message that nobody waits for, if one has arrived.
pub(crate) fn discard(channel: &Channel, from: usize) -> Result<Option<Request>, Failure> {
    let Some(arrived) = channel.probe(Some(from), TAG)? else { return Ok(None) };
    let mut buffer = Vec::new();
    let missing = |_| Failure::new(format!("no memory for a message of {} bytes", arrived.len));
    buffer.try_reserve_exact(arrived.len).map_err(missing)?;
    buffer.resize(arrived.len, 0);
    channel.recv(from, TAG, buffer).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A transfer's first message, of a rank that promises `len` bytes.
    fn first(len: usize) -> Vec<u8> {
        [&(len as u64).to_le_bytes()[..], &vec![1; len.min(PIECE)]].concat()
    }

    #[test]
    fn memory_grows_with_the_bytes_that_arrive() {
        let mut incoming = Incoming::any(1);
        assert!(incoming.take(&first(PIECE << 12)).is_ok());
        for pieces in 1..9 {
            let Place::Grows(bytes) = &incoming.place else { panic!("any number of bytes") };
            assert_eq!(bytes.len(), pieces * PIECE);
            assert!(bytes.capacity() <= 2 * bytes.len(), "{} for {pieces} pieces", bytes.capacity());
            assert!(incoming.take(&vec![pieces as u8; PIECE]).is_ok());
        }
    }

    #[test]
    fn honest_lengths_take_no_more_than_they_say() {
        for len in [0, 1, PIECE - 1, PIECE, PIECE + 1, 3 * PIECE, 5 * PIECE + 7] {
            let mut incoming = Incoming::any(1);
            assert!(incoming.take(&first(len)).is_ok());
            while !incoming.is_done() {
                assert!(incoming.take(&vec![2; PIECE.min(len - incoming.received)]).is_ok());
            }
            let bytes = incoming.into_bytes();
            assert_eq!((bytes.len(), bytes.capacity()), (len, len));
            assert!(bytes.iter().enumerate().all(|(at, &byte)| byte == 1 + u8::from(at >= PIECE)));
        }
    }

    #[test]
    fn lengths_that_no_message_keeps_are_garbled() {
        assert!(matches!(Incoming::any(1).take(&first(9)[..HEAD + 8]), Err(Broken::Garbled)));
        assert!(matches!(Incoming::any(1).take(&[0; HEAD - 1]), Err(Broken::Garbled)));
        assert!(matches!(Incoming::to_slice(1, &mut [0; 8]).take(&first(9)), Err(Broken::Garbled)));
    }
}
