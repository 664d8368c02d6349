//! Counts of what a launch does.

/// Counts of what a launch did, summed over its threads. They are properties of the source and the launch, not of one
/// GPU's caches.
///
/// A *request* is what a GPU issues as one instruction of a warp. The emulator combines into one request the n-th
/// accesses of the lanes of a warp at one place of the source, counted since the lanes last converged (at a barrier,
/// `sync_warp`, vote or shuffle). A GPU may split the lanes further where they diverge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counts {
    /// Additions by [atomics](crate::atomic::AtomicCells), per lane. They are not counted as accesses to global memory.
    pub atomics: u64,
    /// Requests of atomics, per warp.
    pub atomic_requests: u64,
    /// Repetitions of such requests, because several of their lanes add to one address, one after the other: for each
    /// request the most lanes at any address, less one.
    pub atomic_replays: u64,
    /// Barriers, per block.
    pub barriers: u64,
    /// Shuffles of 32 bits, per warp.
    pub shuffles: u64,
    /// Votes, per warp.
    pub votes: u64,
    /// `sync_warp`s, per warp.
    pub warp_syncs: u64,
    /// Tickets, per thread.
    pub tickets: u64,
    /// Fences, per thread; those inside a ticket are not counted.
    pub fences: u64,
    /// Accesses to a 4-byte word of shared memory, per lane.
    pub shared_accesses: u64,
    /// Requests to shared memory, per warp.
    pub shared_requests: u64,
    /// Repetitions of requests, because several of their words lie in one of the 32 banks of 4 bytes: for each request
    /// the most words in any bank, less one. Lanes that access the same word are served at once.
    pub bank_replays: u64,
    /// Accesses to global memory of 1 to 16 bytes, per lane. An access of a type with less alignment than size counts
    /// as several, each as wide as the alignment.
    pub global_accesses: u64,
    /// Requests to global memory, per warp.
    pub global_requests: u64,
    /// Sectors of 32 bytes that these requests touch.
    pub global_sectors: u64,
    /// Bytes that the lanes requested. At best 32 per sector, or more if lanes share bytes.
    pub global_bytes: u64,
    /// Distinct bytes of each request: the useful part of its sectors.
    pub global_bytes_distinct: u64,
    /// Phases of threads. A phase is the time of a block between two barriers, before the first or after the last. Each
    /// counts once per thread of the block.
    pub phases: u64,
    /// Phases in which the thread accessed shared or global memory, or took a ticket.
    pub busy_phases: u64,
}

impl Counts {
    /// Returns the number of steps of warps that access memory: requests to shared and global memory, and of atomics.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.shared_requests + self.global_requests + self.atomic_requests
    }

    /// Returns the average number of lanes that take part in a step: 32 if every step is a whole warp's, 0 if there are
    /// no steps. An idle warp makes no steps: see [`busy_share`](Self::busy_share).
    #[must_use]
    pub fn active_lanes(&self) -> f64 {
        ratio(self.shared_accesses + self.global_accesses + self.atomics, self.steps())
    }

    /// Returns the share of phases in which the thread is busy, 0 to 1.
    #[must_use]
    pub fn busy_share(&self) -> f64 {
        ratio(self.busy_phases, self.phases)
    }

    /// Returns the bytes of sectors of global memory that their own requests do not use. A later request may use them,
    /// if they are still in a cache.
    #[must_use]
    pub fn wasted_bytes(&self) -> u64 {
        (self.global_sectors * SECTOR as u64).saturating_sub(self.global_bytes_distinct)
    }
}

/// Returns `part / whole`, or 0 if `whole` is 0.
fn ratio(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// Bytes of a sector, the unit in which global memory is read.
pub(super) const SECTOR: usize = 32;
