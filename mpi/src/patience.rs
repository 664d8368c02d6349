//! Waiting with a time limit.

use std::thread;
use std::time::{Duration, Instant};

/// The number of looks in a spin loop.
const EAGER: u32 = 64;

/// The number of looks before a sleep between looks.
const AWAKE: u32 = 4096;

/// A wait for something to move. A long wait uses little processor time, which another rank may need.
pub(crate) struct Patience {
    limit: Duration,
    moved: Instant,
    looks: u32,
}

impl Patience {
    pub(crate) fn new(limit: Duration) -> Self {
        Self { limit, moved: Instant::now(), looks: 0 }
    }

    /// Restarts the limit, because something moved.
    pub(crate) fn renew(&mut self) {
        (self.moved, self.looks) = (Instant::now(), 0);
    }

    /// Waits until the next look. Returns false once the limit is over.
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
