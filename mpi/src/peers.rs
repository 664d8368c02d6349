//! The state of the other ranks that this one knows.

use mpi::Tag;
use warpfold::{Error, RankFault};

use crate::library::{Channel, Failure, Request};
use crate::notice::Notice;
use crate::transfer::Incoming;

/// The tag of notices.
const TAG: Tag = 1;

/// Another rank.
#[derive(Debug, Default)]
struct Peer {
    /// The number of messages sent to it, without notices.
    sent: u64,
    /// The number of messages received from it, without notices.
    received: u64,
    /// Its notice, which is its last message.
    left: Option<Notice>,
}

/// All ranks. The entry of this process is not used.
#[derive(Debug)]
pub(crate) struct Peers {
    own: usize,
    peers: Vec<Peer>,
    hearing: Option<(usize, Request)>,
}

impl Peers {
    pub(crate) fn new(own: usize, size: usize) -> Self {
        Self { own, peers: (0..size).map(|_| Peer::default()).collect(), hearing: None }
    }

    pub(crate) fn others(&self) -> impl Iterator<Item = usize> + use<> {
        let own = self.own;
        (0..self.peers.len()).filter(move |&rank| rank != own)
    }

    pub(crate) fn has_sent(&mut self, to: usize, messages: u64) {
        self.peers[to].sent += messages;
    }

    pub(crate) fn has_received(&mut self, from: usize, messages: u64) {
        self.peers[from].received += messages;
    }

    /// Encodes the notice to `to` that this rank stops.
    pub(crate) fn notice(&self, to: usize, cause: Option<&Error>) -> Vec<u8> {
        Notice { sent: self.peers[to].sent, cause: cause.cloned() }.to_bytes()
    }

    pub(crate) fn tell(channel: &Channel, to: usize, notice: Vec<u8>) -> Result<Request, Failure> {
        channel.send(to, TAG, notice)
    }

    /// Receives the notices that have arrived.
    pub(crate) fn hear(&mut self, channel: &Channel) -> Result<(), Failure> {
        loop {
            if self.hearing.is_none() {
                let Some(arrived) = channel.probe(None, TAG)? else { return Ok(()) };
                let request = channel.recv(arrived.from, TAG, vec![0; arrived.len])?;
                self.hearing = Some((arrived.from, request));
            }
            let Some((from, request)) = &mut self.hearing else { return Ok(()) };
            let Some(bytes) = request.test()? else { return Ok(()) };
            let garbled = || Error::Rank { rank: *from, fault: RankFault::Garbled };
            let notice = Notice::from_bytes(&bytes);
            let notice = notice.unwrap_or_else(|| Notice { sent: 0, cause: Some(garbled()) });
            self.peers[*from].left.get_or_insert(notice);
            self.hearing = None;
        }
    }

    /// Returns whether a rank has stopped, and all its messages have been received.
    pub(crate) fn sends_no_more(&self, incoming: &Incoming<'_>) -> bool {
        let peer = &self.peers[incoming.from];
        peer.left.as_ref().is_some_and(|notice| peer.received >= notice.sent)
    }

    /// Returns whether a rank has stopped.
    pub(crate) fn has_left(&self, rank: usize) -> bool {
        self.peers[rank].left.is_some()
    }

    /// Returns whether another rank reports this one as late.
    pub(crate) fn is_blamed(&self) -> bool {
        let blames = |notice: &Notice| matches!(notice.cause, Some(Error::Rank { rank, fault: RankFault::Late { .. } }) if rank == self.own);
        self.peers.iter().filter_map(|peer| peer.left.as_ref()).any(blames)
    }

    /// Returns why a rank sends nothing. If it reports another rank as late, returns the reason of that rank, and so on. An error
    /// is the number of a rank without a notice.
    pub(crate) fn reason(&self, suspect: usize) -> Result<Error, usize> {
        let mut rank = suspect;
        for _ in &self.peers {
            match self.peers.get(rank).and_then(|peer| peer.left.as_ref()).map(|notice| &notice.cause) {
                None => return Err(rank),
                Some(None) => return Ok(Error::Rank { rank, fault: RankFault::Gone }),
                Some(Some(Error::Rank { rank: next, fault: RankFault::Late { .. } }))
                    if *next != self.own =>
                {
                    rank = *next
                }
                Some(Some(cause)) => return Ok(cause.clone()),
            }
        }
        Err(suspect)
    }

    /// Returns whether all others are done, and all their messages have been received.
    pub(crate) fn are_done(&self) -> bool {
        self.others().all(|rank| {
            let peer = &self.peers[rank];
            peer.left.as_ref().is_some_and(|notice| notice.cause.is_none() && notice.sent == peer.received)
        })
    }

    /// Returns whether a rank stopped with an error.
    pub(crate) fn broke_off(&self) -> bool {
        self.peers.iter().filter_map(|peer| peer.left.as_ref()).any(|notice| notice.cause.is_some())
    }
}
