//! How long a rank waits, and how.

use std::thread;
use std::time::{Duration, Instant};

/// Looks this often without giving the processor to others.
const EAGER: u32 = 64;

/// Looks this often before it sleeps in between.
const AWAKE: u32 = 4096;

/// Waits until something moves. A rank that waits long takes little of its processor, which another rank may need.
pub(crate) struct Patience {
    limit: Duration,
    moved: Instant,
    looks: u32,
}

impl Patience {
    pub(crate) fn new(limit: Duration) -> Self {
        Self { limit, moved: Instant::now(), looks: 0 }
    }

    /// Something moved: the limit begins anew.
    pub(crate) fn renew(&mut self) {
        (self.moved, self.looks) = (Instant::now(), 0);
    }

    /// Waits for the next look, or says that the limit is over.
    pub(crate) fn goes_on(&mut self) -> bool {
        self.looks = self.looks.saturating_add(1);
        match self.looks {
            ..EAGER => std::hint::spin_loop(),
            EAGER..AWAKE => thread::yield_now(),
            _ => thread::sleep(Duration::from_micros(50 * u64::from(self.looks / AWAKE).min(10))),
        }
        self.moved.elapsed() <= self.limit
    }
}
