//! Waits for results. A thread polls at first, because a wait through the driver costs more time than most reductions.

use std::time::{Duration, Instant};

use gpu_kernels::Accumulator;

use crate::cuda::launch::Reply;
use crate::error::Error;

/// How often the words are polled, at first, before anything else is checked. The number doubles each time. A first
/// round takes longer than a sum of 2^20 elements (docs/tuning/gpu.md).
const LOOKS: u32 = 1024;

/// Time after which the thread blocks or sleeps instead of polling: the cost of waking is then small against the wait.
/// cuStreamSynchronize alone takes longer (docs/tuning/gpu.md).
pub(crate) const MOST_WATCHING: Duration = Duration::from_micros(200);

/// Most time between two checks for an error or a late result.
const LONGEST_SLEEP: Duration = Duration::from_millis(2);

impl Reply {
    /// Waits for the result of the launch enqueued last: polls for a while, then blocks in the driver.
    pub(in crate::cuda::launch) fn wait<A: Accumulator>(&self) -> Result<A, Error> {
        match self.watch()? {
            Some(acc) => Ok(acc),
            None => {
                self.handle.wait()?;
                self.look().ok_or(Error::NoResult)
            }
        }
    }

    /// Waits for the result, but not for work that was enqueued later: polls for a while, then sleeps between polls,
    /// each time for a sixteenth of the time waited so far.
    pub(crate) fn wait_alone<A: Accumulator>(&self) -> Result<A, Error> {
        let since = Instant::now();
        let mut found = self.watch()?;
        loop {
            if let Some(acc) = found {
                return Ok(acc);
            }
            if self.handle.is_recording() {
                return Err(Error::Capturing { during: "waiting for a result" });
            }
            std::thread::sleep((since.elapsed() / 16).min(LONGEST_SLEEP));
            found = self.ask()?;
        }
    }

    /// Polls for a bounded time.
    fn watch<A: Accumulator>(&self) -> Result<Option<A>, Error> {
        let (mut looks, mut since) = (LOOKS, None);
        loop {
            for _ in 0..looks {
                if let Some(acc) = self.look() {
                    return Ok(Some(acc));
                }
                std::hint::spin_loop();
            }
            // After an error the words never arrive.
            let found = self.ask()?;
            if found.is_some() || since.get_or_insert_with(Instant::now).elapsed() > MOST_WATCHING {
                return Ok(found);
            }
            looks = looks.saturating_mul(2);
        }
    }
}
