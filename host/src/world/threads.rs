//! Threads of one process as ranks.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use std::{hint, thread};

use super::Communicator;
use crate::Error;
use crate::error::RankFault;
use crate::sync::{AWAKE, Condvar, Mutex, MutexGuard, PoisonError};

/// Default time for which a rank waits for another.
const LIMIT: Duration = Duration::from_secs(300);

/// A rank that is a thread of this process. Each thread has one.
///
/// If a rank ends, panics or drops its `Threads`, the ranks that wait for it get an error. So they do if it sends
/// nothing within the [time limit](Self::with_time_limit), 5 minutes by default.
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
    limit: Duration,
    /// How long a rank looks for a message before it sleeps.
    awake: Duration,
    inboxes: Arc<[Inbox]>,
}

/// The messages to a rank.
#[derive(Debug)]
struct Inbox {
    sent: Mutex<Sent>,
    arrived: Condvar,
    /// How often something arrived, changed under the lock.
    arrivals: AtomicU64,
}

#[derive(Debug)]
struct Sent {
    /// Messages by sender, the oldest first.
    by: Vec<VecDeque<Arc<[u8]>>>,
    /// Why a rank sends nothing any more.
    left: Vec<Option<Error>>,
}

impl Threads {
    /// Creates `ranks` ranks, in order. Give each to a thread.
    ///
    /// ```
    /// use warpfold::{Communicator, Threads};
    ///
    /// let ranks = Threads::new(3);
    /// assert_eq!((ranks[1].rank(), ranks[1].size()), (1, 3));
    /// ```
    #[must_use]
    pub fn new(ranks: usize) -> Vec<Self> {
        let inbox = |_| Inbox {
            sent: Mutex::new(Sent { by: vec![VecDeque::new(); ranks], left: vec![None; ranks] }),
            arrived: Condvar::new(),
            arrivals: AtomicU64::new(0),
        };
        let inboxes: Arc<[Inbox]> = (0..ranks).map(inbox).collect();
        let has_cores = thread::available_parallelism().is_ok_and(|cores| ranks <= cores.get());
        let awake = if has_cores { AWAKE } else { Duration::ZERO };
        (0..ranks).map(|rank| Self { rank, limit: LIMIT, awake, inboxes: Arc::clone(&inboxes) }).collect()
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
        // 136 years: much later times are no `Instant`.
        self.limit = limit.min(Duration::from_secs(u32::MAX.into()));
        self
    }

    fn put(&self, to: usize, bytes: Arc<[u8]>) -> Result<(), Error> {
        let inbox = self.inboxes.get(to).ok_or(Error::Rank { rank: to, fault: RankFault::Gone })?;
        inbox.change(|sent| sent.by[self.rank].push_back(bytes));
        Ok(())
    }

    /// Waits for the next message from a rank.
    fn take(&self, from: usize, until: Instant) -> Result<Arc<[u8]>, Error> {
        if from >= self.size() {
            return Err(Error::Rank { rank: from, fault: RankFault::Gone });
        }
        let inbox = &self.inboxes[self.rank];
        let (mut sent, mut is_awake) = (inbox.lock(), !self.awake.is_zero());
        loop {
            if let Some(bytes) = sent.by[from].pop_front() {
                return Ok(bytes);
            }
            if let Some(cause) = &sent.left[from] {
                return Err(cause.clone());
            }
            if std::mem::take(&mut is_awake) {
                let seen = inbox.arrivals.load(Ordering::Relaxed);
                drop(sent);
                inbox.look(seen, self.awake);
                sent = inbox.lock();
                continue;
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(Error::Rank { rank: from, fault: RankFault::Late { limit: self.limit } });
            }
            sent = inbox.arrived.wait_timeout(sent, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Tells all ranks that this one sends nothing any more. The first cause is kept.
    fn notify(&self, cause: &Error) {
        for inbox in &*self.inboxes {
            inbox.change(|sent| {
                sent.left[self.rank].get_or_insert_with(|| cause.clone());
            });
        }
    }
}

impl Inbox {
    fn lock(&self) -> MutexGuard<'_, Sent> {
        // No code panics under the lock.
        self.sent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes what was sent, and notifies the rank.
    fn change(&self, change: impl FnOnce(&mut Sent)) {
        let mut sent = self.lock();
        change(&mut sent);
        self.arrivals.fetch_add(1, Ordering::Relaxed);
        drop(sent);
        self.arrived.notify_one();
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
        self.inboxes.len()
    }

    fn all_gather(&self, bytes: &[u8]) -> Result<Vec<Vec<u8>>, Error> {
        let until = Instant::now() + self.limit;
        let own: Arc<[u8]> = bytes.into();
        (0..self.size()).filter(|&to| to != self.rank).try_for_each(|to| self.put(to, Arc::clone(&own)))?;
        let from = |from| if from == self.rank { Ok(Arc::clone(&own)) } else { self.take(from, until) };
        (0..self.size()).map(|rank| from(rank).map(|bytes| bytes.to_vec())).collect()
    }

    fn send(&self, to: usize, bytes: &[u8]) -> Result<(), Error> {
        self.put(to, bytes.into())
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
