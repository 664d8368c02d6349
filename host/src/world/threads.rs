//! Threads of one process as ranks.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use std::{hint, thread};

use super::Communicator;
use crate::error::{Error, RankFault};
use crate::sync::{AWAKE, Condvar, Mutex, MutexGuard, PoisonError};

/// Most ranks: Linux gives a process about this many threads.
const MOST: usize = 1 << 15;

/// Default time for which a rank waits for another.
const LIMIT: Duration = Duration::from_secs(300);

/// A rank that is a thread of this process. Each thread has one.
///
/// If a rank ends, panics or drops its `Threads`, the ranks that wait for it get an error. They also get one if
/// it sends nothing within the [time limit](Self::with_time_limit), 5 minutes by default.
///
/// ```
/// use std::thread;
/// use warpfold::{Sum, Threads, World};
///
/// let x: Vec<f32> = (1..=100_000).map(|i| 1.0 / i as f32).collect();
/// let sums = thread::scope(|scope| {
///     let ranks = Threads::new(4).into_iter().zip(x.chunks(25_000));
///     let ranks: Vec<_> =
///         ranks.map(|(rank, part)| scope.spawn(move || World::new(rank).reduce(Sum, part))).collect();
///     ranks.into_iter().map(|rank| rank.join().unwrap()).collect::<Result<Vec<f32>, _>>()
/// })?;
/// assert_eq!(sums, [warpfold::reduce::<f32, Sum>(&x)?; 4]);
/// # Ok::<(), warpfold::Error>(())
/// ```
#[derive(Debug)]
pub struct Threads {
    rank: usize,
    size: usize,
    limit: Duration,
    /// How long a rank looks for a message before it sleeps.
    awake: Duration,
    /// All ranks; none if there are too many.
    all: Arc<[Shared]>,
}

/// The state of one rank that all ranks share. It is small while there are no messages.
#[derive(Debug)]
struct Shared {
    /// The messages to it, the oldest first.
    inbox: Mutex<VecDeque<Message>>,
    arrived: Condvar,
    /// How often something arrived, changed under the lock.
    arrivals: AtomicU64,
    /// Why it sends nothing any more.
    left: OnceLock<Error>,
}

#[derive(Debug)]
struct Message {
    from: usize,
    bytes: Arc<Vec<u8>>,
}

impl Threads {
    /// Creates `ranks` ranks, in order. Give each to a thread. They take less than 1 KiB each, until they send.
    ///
    /// There are at most 32,768 ranks, about as many as Linux gives a process threads. If more are asked for, only the
    /// first is made, and each of its calls fails with [`Error::Rank`].
    ///
    /// ```
    /// use warpfold::{Communicator, Threads};
    ///
    /// let ranks = Threads::new(3);
    /// assert_eq!((ranks[1].rank(), ranks[1].size()), (1, 3));
    /// ```
    #[must_use]
    pub fn new(ranks: usize) -> Vec<Self> {
        let shared = |_| Shared {
            inbox: Mutex::new(VecDeque::new()),
            arrived: Condvar::new(),
            arrivals: AtomicU64::new(0),
            left: OnceLock::new(),
        };
        let are_few = ranks <= MOST;
        let all: Arc<[Shared]> = (0..if are_few { ranks } else { 0 }).map(shared).collect();
        let has_cores = thread::available_parallelism().is_ok_and(|cores| ranks <= cores.get());
        let awake = if has_cores { AWAKE } else { Duration::ZERO };
        let rank = |rank| Self { rank, size: ranks, limit: LIMIT, awake, all: Arc::clone(&all) };
        (0..if are_few { ranks } else { 1 }).map(rank).collect()
    }

    /// Sets how long this rank waits for a message of another.
    ///
    /// ```
    /// use std::time::Duration;
    /// use warpfold::{Error, Threads, World};
    ///
    /// let mut ranks = Threads::new(2);
    /// let late = ranks.pop();
    /// let world = World::new(ranks.remove(0).with_time_limit(Duration::from_millis(10)));
    /// assert!(matches!(world.barrier(), Err(Error::Rank { rank: 1, .. })));
    /// drop(late);
    /// ```
    #[must_use]
    pub fn with_time_limit(mut self, limit: Duration) -> Self {
        // 136 years: an `Instant` cannot be much later.
        self.limit = limit.min(Duration::from_secs(u32::MAX.into()));
        self
    }

    /// Returns what is shared of a rank.
    fn shared(&self, rank: usize) -> Result<&Shared, Error> {
        match self.all.get(rank) {
            Some(shared) => Ok(shared),
            None if self.size <= MOST => Err(Error::Rank { rank, fault: RankFault::Gone }),
            None => {
                let why = format!("{} ranks were asked for, and at most {MOST} can be threads", self.size);
                Err(Error::Rank { rank: MOST, fault: RankFault::Failed { why: why.into() } })
            }
        }
    }

    fn put(&self, to: usize, bytes: Arc<Vec<u8>>) -> Result<(), Error> {
        self.shared(to)?.change(|inbox| {
            inbox.try_reserve(1).map_err(|_| Error::TooManyResults { results: inbox.len() })?;
            inbox.push_back(Message { from: self.rank, bytes });
            Ok(())
        })
    }

    /// Waits for the next message from a rank.
    fn take(&self, from: usize, until: Instant) -> Result<Arc<Vec<u8>>, Error> {
        let (own, sender) = (self.shared(self.rank)?, self.shared(from)?);
        let (mut inbox, mut is_awake) = (own.lock(), !self.awake.is_zero());
        loop {
            let first = inbox.iter().position(|message| message.from == from);
            if let Some(message) = first.and_then(|first| inbox.remove(first)) {
                return Ok(message.bytes);
            }
            // It left after it had sent what is in the inbox.
            if let Some(cause) = sender.left.get() {
                return Err(cause.clone());
            }
            if std::mem::take(&mut is_awake) {
                let seen = own.arrivals.load(Ordering::Relaxed);
                drop(inbox);
                own.look(seen, self.awake);
                inbox = own.lock();
                continue;
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(Error::Rank { rank: from, fault: RankFault::Late { limit: self.limit } });
            }
            inbox = own.arrived.wait_timeout(inbox, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Tells all ranks that this one sends nothing any more. The first cause is kept.
    fn notify(&self, cause: &Error) {
        if let Ok(own) = self.shared(self.rank) {
            own.left.get_or_init(|| cause.clone());
        }
        for shared in &*self.all {
            shared.change(|_| ());
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, VecDeque<Message>> {
        // No code panics under the lock.
        self.inbox.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the messages, or what the rank looks for when it has the lock, and notifies it.
    fn change<R>(&self, change: impl FnOnce(&mut VecDeque<Message>) -> R) -> R {
        let mut inbox = self.lock();
        let changed = change(&mut inbox);
        self.arrivals.fetch_add(1, Ordering::Relaxed);
        drop(inbox);
        self.arrived.notify_one();
        changed
    }

    /// Looks for more than `seen` arrivals, for some time. Whether there are any is known under the lock.
    fn look(&self, seen: u64, time: Duration) {
        let begun = Instant::now();
        while self.arrivals.load(Ordering::Relaxed) == seen && begun.elapsed() < time {
            (0..32).for_each(|_| hint::spin_loop());
        }
    }
}

impl Communicator for Threads {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    fn all_gather(&self, bytes: &[u8]) -> Result<Vec<Vec<u8>>, Error> {
        let until = Instant::now() + self.limit;
        self.shared(self.rank)?;
        let own = Arc::new(copied(bytes)?);
        (0..self.size).filter(|&to| to != self.rank).try_for_each(|to| self.put(to, Arc::clone(&own)))?;
        let from = |from| if from == self.rank { Ok(Arc::clone(&own)) } else { self.take(from, until) };
        (0..self.size).map(|rank| copied(&from(rank)?)).collect()
    }

    fn send(&self, to: usize, bytes: &[u8]) -> Result<(), Error> {
        self.put(to, Arc::new(copied(bytes)?))
    }

    fn recv(&self, from: usize, bytes: &mut [u8]) -> Result<(), Error> {
        let sent = self.take(from, Instant::now() + self.limit)?;
        if sent.len() != bytes.len() {
            return Err(Error::Rank { rank: from, fault: RankFault::Garbled });
        }
        bytes.copy_from_slice(&sent);
        Ok(())
    }

    fn leave(&self, cause: &Error) {
        match cause {
            Error::Rank { .. } => self.notify(cause),
            own => {
                let fault = RankFault::Failed { why: own.to_string().into() };
                self.notify(&Error::Rank { rank: self.rank, fault });
            }
        }
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        self.notify(&Error::Rank { rank: self.rank, fault: RankFault::Gone });
    }
}

/// Returns a copy of what is sent, whose length is the sender's to choose.
fn copied(bytes: &[u8]) -> Result<Vec<u8>, Error> {
    let mut copy = Vec::new();
    copy.try_reserve_exact(bytes.len()).map_err(|_| Error::TooManyResults { results: bytes.len() })?;
    copy.extend_from_slice(bytes);
    Ok(copy)
}
