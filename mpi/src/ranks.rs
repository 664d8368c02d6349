//! Processes as ranks.

use std::cell::RefCell;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use mpi::Threading;
use mpi::environment::Universe;
use mpi::topology::{Communicator as _, SimpleCommunicator};
use warpfold::{Communicator, Error, RankFault};

use crate::library::{Channel, Failure, Request};
use crate::patience::Patience;
use crate::peers::Peers;
use crate::transfer::{Broken, Incoming, Outgoing, discard};

/// How long a rank waits for another.
const LIMIT: Duration = Duration::from_secs(300);

/// The processes of an MPI communicator as ranks.
///
/// It stays on the thread that made it. Dropping it notifies the other ranks that this one is done, and waits until they are
/// done, at most for the time limit.
///
/// If a rank is gone, or sends nothing for the [time limit](Self::with_time_limit), 5 minutes by default, the others return an
/// error. The [crate](crate#faults) lists the limits of MPI.
///
/// ```
/// use warpfold::{Order, World};
/// use warpfold_mpi::Mpi;
///
/// let world = World::new(Mpi::world()?);
/// let mut part = [3.0f32, 1.0, 2.0];
/// world.sort(&mut part, Order::Ascending)?; // over all processes
/// # Ok::<(), warpfold::Error>(())
/// ```
pub struct Mpi {
    rank: usize,
    size: usize,
    limit: Duration,
    channel: Channel,
    state: RefCell<State>,
    /// Finalizes MPI when dropped, if this rank initialized it.
    universe: Option<Universe>,
}

struct State {
    peers: Peers,
    /// The error that ended a call.
    lost: Option<Error>,
    /// Whether the others were notified that this rank stops.
    is_told: bool,
}

impl Mpi {
    /// Makes ranks of the processes that the launcher started (`MPI_COMM_WORLD`), or of this process alone without a launcher.
    ///
    /// Initializes MPI if nothing else did. The value that initialized MPI finalizes it when dropped. A process can initialize
    /// MPI only once, so keep the first value until the end.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn world() -> Result<Self, Error> {
        let universe = mpi::initialize_with_threading(Threading::Funneled).map(|(universe, _)| universe);
        match Self::new(&SimpleCommunicator::world()) {
            Ok(mut ranks) => {
                ranks.universe = universe;
                Ok(ranks)
            }
            Err(error) => {
                // Finalizing MPI would wait for the missing processes.
                std::mem::forget(universe);
                Err(error)
            }
        }
    }

    /// Makes ranks of the processes of a communicator of the crate [`mpi`], in its order. All of them must call this.
    /// The communicator is duplicated, so messages do not mix with the program's.
    ///
    /// # Errors
    /// [`Error::Rank`] with the number of this rank if MPI fails, is finalized, or was initialized for calls from another thread
    /// alone, and if a process does not call this within 5 minutes.
    pub fn new(communicator: &SimpleCommunicator) -> Result<Self, Error> {
        let failed = |failure: Failure| {
            let rank = if mpi::environment::is_finalized() { 0 } else { communicator.rank().max(0) as usize };
            Error::Rank { rank, fault: RankFault::Unreachable { cause: Arc::new(failure) } }
        };
        let channel = Channel::duplicate(communicator, LIMIT).map_err(failed)?;
        let (rank, size) = channel.place().map_err(failed)?;
        let state = State { peers: Peers::new(rank, size), lost: None, is_told: false };
        Ok(Self { rank, size, limit: LIMIT, channel, state: RefCell::new(state), universe: None })
    }

    /// Sets how long this rank waits for another one that sends nothing.
    #[must_use]
    pub fn with_time_limit(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }

    /// Fails if `other` is this rank or does not exist.
    fn check(&self, other: usize) -> Result<(), Error> {
        if other < self.size && other != self.rank {
            return Ok(());
        }
        let why =
            format!("rank {} of {} can send to and receive from the other ranks only", self.rank, self.size);
        Err(unreachable_rank(other, Failure::new(why)))
    }

    /// Sends and receives at the same time.
    fn transfer(
        &self,
        outgoing: Vec<Outgoing<'_>>,
        incoming: Vec<Incoming<'_>>,
    ) -> Result<Vec<Vec<u8>>, Error> {
        let state = &mut *self.state.borrow_mut();
        if let Some(cause) = &state.lost {
            return Err(cause.clone());
        }
        let moved = self.move_all(state, outgoing, incoming);
        if let Err(cause) = &moved {
            state.lost = Some(cause.clone());
        }
        moved
    }

    fn move_all(
        &self,
        state: &mut State,
        mut outgoing: Vec<Outgoing<'_>>,
        mut incoming: Vec<Incoming<'_>>,
    ) -> Result<Vec<Vec<u8>>, Error> {
        let mut patience = Patience::new(self.limit);
        loop {
            // Before the steps: messages that a rank sent before its notice have arrived too.
            state.peers.hear(&self.channel).map_err(|failure| unreachable_rank(self.rank, failure))?;
            let mut moved = 0;
            for outgoing in outgoing.iter_mut().filter(|outgoing| !outgoing.is_done()) {
                let sent = outgoing.step(&self.channel);
                let sent = sent.map_err(|failure| unreachable_rank(outgoing.to, failure))?;
                state.peers.has_sent(outgoing.to, sent);
                moved += sent;
            }
            for incoming in incoming.iter_mut().filter(|incoming| !incoming.is_done()) {
                let received = incoming.step(&self.channel).map_err(|broken| match broken {
                    Broken::Failed(failure) => unreachable_rank(incoming.from, failure),
                    Broken::Garbled => Error::Rank { rank: incoming.from, fault: RankFault::Garbled },
                    Broken::Memory(bytes) => Error::TooManyResults { results: bytes },
                })?;
                state.peers.has_received(incoming.from, received);
                moved += received;
            }
            let receives = incoming.iter().find(|incoming| !incoming.is_done()).map(|incoming| incoming.from);
            let sends = outgoing.iter().find(|outgoing| !outgoing.is_done()).map(|outgoing| outgoing.to);
            let Some(waits_for) = receives.or(sends) else {
                return Ok(incoming.into_iter().map(Incoming::into_bytes).collect());
            };
            if moved > 0 {
                patience.renew();
                continue;
            }
            let silent = incoming.iter().filter(|incoming| !incoming.is_done());
            let silent =
                silent.filter(|incoming| state.peers.sends_no_more(incoming)).map(|incoming| incoming.from);
            let deaf = outgoing.iter().filter(|outgoing| !outgoing.is_done());
            let deaf = deaf.filter(|outgoing| state.peers.has_left(outgoing.to)).map(|outgoing| outgoing.to);
            if let Some(rank) = silent.chain(deaf).next() {
                return Err(state.peers.reason(rank).unwrap_or_else(|rank| self.late(rank)));
            }
            if state.peers.is_blamed() || !patience.goes_on() {
                return Err(self.give_up(state, waits_for));
            }
        }
    }

    /// Returns the error for a rank that is late, or waits for another one that is late: the waiting ranks notify each other, and
    /// the rank without a notice is the late one.
    fn give_up(&self, state: &mut State, suspect: usize) -> Error {
        self.tell(state, Some(&self.late(suspect)));
        let mut patience = Patience::new((self.limit / 8).min(Duration::from_secs(2)));
        loop {
            match state.peers.reason(suspect) {
                Ok(cause) => return cause,
                Err(rank) if !patience.goes_on() => return self.late(rank),
                Err(_) => {}
            }
            if let Err(failure) = state.peers.hear(&self.channel) {
                return unreachable_rank(suspect, failure);
            }
        }
    }

    fn late(&self, rank: usize) -> Error {
        Error::Rank { rank, fault: RankFault::Late { limit: self.limit } }
    }

    /// Notifies the others that this rank stops, once.
    fn tell(&self, state: &mut State, cause: Option<&Error>) {
        if std::mem::replace(&mut state.is_told, true) {
            return;
        }
        let tell = |to| Peers::tell(&self.channel, to, state.peers.notice(to, cause)).ok();
        let mut under_way: Vec<Request> = state.peers.others().filter_map(tell).collect();
        // Notices are short: MPI takes them at once, or their receiver is lost.
        let mut patience = Patience::new(Duration::from_secs(1));
        loop {
            under_way.retain_mut(|request| matches!(request.test(), Ok(None)));
            if under_way.is_empty() || !patience.goes_on() {
                return;
            }
        }
    }

    /// Waits until all ranks are done. Returns whether they are and no message is under way.
    fn part(&self) -> Result<bool, Failure> {
        let state = &mut *self.state.borrow_mut();
        if state.lost.is_some() || std::thread::panicking() {
            let gone = Error::Rank { rank: self.rank, fault: RankFault::Gone };
            let cause = state.lost.clone().unwrap_or(gone);
            self.tell(state, Some(&cause));
            state.lost = Some(cause);
            return Ok(false);
        }
        self.tell(state, None);
        let (mut patience, mut unwanted) = (Patience::new(self.limit), None::<(usize, Request)>);
        while !state.peers.are_done() {
            if state.peers.broke_off() || !patience.goes_on() {
                return Ok(false);
            }
            state.peers.hear(&self.channel)?;
            if let Some((from, request)) = &mut unwanted {
                if request.test()?.is_some() {
                    state.peers.has_received(*from, 1);
                    unwanted = None;
                }
                continue;
            }
            for from in state.peers.others() {
                unwanted = discard(&self.channel, from)?.map(|request| (from, request));
                if unwanted.is_some() {
                    break;
                }
            }
        }
        Ok(true)
    }
}

fn unreachable_rank(rank: usize, failure: Failure) -> Error {
    Error::Rank { rank, fault: RankFault::Unreachable { cause: Arc::new(failure) } }
}

impl Communicator for Mpi {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    fn all_gather(&self, bytes: &[u8]) -> Result<Vec<Vec<u8>>, Error> {
        let others = || (0..self.size).filter(|&rank| rank != self.rank);
        // Each rank sends to the next one first, so that not all send to the same one.
        let after = |step| (self.rank + step) % self.size;
        let outgoing = (1..self.size).map(|step| Outgoing::new(after(step), bytes)).collect();
        let mut own = Vec::new();
        own.try_reserve_exact(bytes.len()).map_err(|_| Error::TooManyResults { results: bytes.len() })?;
        own.extend_from_slice(bytes);
        let mut all = self.transfer(outgoing, others().map(Incoming::any).collect())?;
        all.insert(self.rank, own);
        Ok(all)
    }

    fn send(&self, to: usize, bytes: &[u8]) -> Result<(), Error> {
        self.check(to)?;
        self.transfer(vec![Outgoing::new(to, bytes)], Vec::new()).map(drop)
    }

    fn recv(&self, from: usize, bytes: &mut [u8]) -> Result<(), Error> {
        self.check(from)?;
        self.transfer(Vec::new(), vec![Incoming::to_slice(from, bytes)]).map(drop)
    }

    fn leave(&self, cause: &Error) {
        let state = &mut *self.state.borrow_mut();
        let own = |why: &Error| Error::Rank {
            rank: self.rank,
            fault: RankFault::Failed { why: why.to_string().into() },
        };
        let cause = if matches!(cause, Error::Rank { .. }) { cause.clone() } else { own(cause) };
        self.tell(state, Some(&cause));
        state.lost.get_or_insert(cause);
    }
}

impl Drop for Mpi {
    fn drop(&mut self) {
        let is_clear = self.part();
        if matches!(is_clear, Ok(true)) {
            // A failure has no consequence: no message is under way.
            let _ = self.channel.free();
        }
        let state = self.state.get_mut();
        if is_clear.is_err() || state.lost.is_some() || state.peers.broke_off() {
            // Finalizing MPI would wait for the lost rank.
            std::mem::forget(self.universe.take());
        }
    }
}

impl fmt::Debug for Mpi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mpi").field("rank", &self.rank).field("size", &self.size).finish_non_exhaustive()
    }
}
