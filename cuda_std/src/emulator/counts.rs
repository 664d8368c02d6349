//! What a launch counts.

/// What a launch did, summed over its threads. The figures are properties of the source and the launch, not
/// of one GPU's caches.
///
/// A *request* is what a GPU issues as one instruction of a warp. The emulator puts into one request what
/// the lanes of a warp access at one place of the source, each in its n-th access there since the lanes last
/// met (at a barrier, `sync_warp`, vote or shuffle). A GPU may split the lanes further where their ways part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counts {
    /// Additions by [atomics](crate::atomic::AtomicCells), per lane. They count as no access to global memory.
    pub atomics: u64,
    /// Requests of atomics, per warp.
    pub atomic_requests: u64,
    /// Times that such a request had to be repeated because several of its lanes add to one address, which happens one
    /// after the other: the most lanes at any address, less one.
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
    /// Times that a request had to be repeated because several of its words lie in one of the 32 banks of 4
    /// bytes: the most words in any bank, less one. Lanes that access the same word are served at once.
    pub bank_replays: u64,
    /// Accesses to global memory of 1 to 16 bytes, per lane. One of a type with less alignment than size
    /// counts as several, each as wide as the alignment.
    pub global_accesses: u64,
    /// Requests to global memory, per warp.
    pub global_requests: u64,
    /// Sectors of 32 bytes that these requests touch.
    pub global_sectors: u64,
    /// Bytes that the lanes asked for. At best 32 per sector; more if lanes share bytes.
    pub global_bytes: u64,
    /// The different bytes among those of each request: what of its sectors is of use.
    pub global_bytes_distinct: u64,
    /// Phases of threads. A phase is what a block does between two barriers, before the first or after the last; each
    /// counts once per thread of the block.
    pub phases: u64,
    /// Those of them in which the thread accessed shared or global memory, or took a ticket.
    pub busy_phases: u64,
}

impl Counts {
    /// Steps of warps that access memory: requests to shared and to global memory, and of atomics.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.shared_requests + self.global_requests + self.atomic_requests
    }

    /// Lanes that take part in such a step, on average: 32 if every step is a whole warp's; 0 if there is none. A warp
    /// that has nothing to do makes no steps: see [`busy_share`](Self::busy_share).
    #[must_use]
    pub fn active_lanes(&self) -> f64 {
        ratio(self.shared_accesses + self.global_accesses + self.atomics, self.steps())
    }

    /// The share of phases in which a thread is busy, 0 to 1.
    #[must_use]
    pub fn busy_share(&self) -> f64 {
        ratio(self.busy_phases, self.phases)
    }

    /// Bytes of the sectors of global memory that their requests have no use for. A later request may use them, if they
    /// are still in a cache.
    #[must_use]
    pub fn wasted_bytes(&self) -> u64 {
        (self.global_sectors * SECTOR as u64).saturating_sub(self.global_bytes_distinct)
    }
}

/// `part` of `whole`, 0 of nothing.
fn ratio(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// Bytes that global memory is fetched in.
pub(super) const SECTOR: usize = 32;
