//! What a launch counts.

use core::panic::Location;

use super::order::{LANES, lanes, same};

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
const SECTOR: usize = 32;

/// The n-th accesses of a warp's lanes at one place.
struct Request {
    lanes: u32,
    address: [usize; LANES],
}

/// A place that accesses memory in pieces of one size, and the requests it made since the lanes last met.
struct Place {
    at: &'static Location<'static>,
    bytes: usize,
    count: [u32; LANES],
    requests: Vec<Request>,
}

/// The requests of a warp to one kind of memory since its lanes last met.
struct Places {
    places: Vec<Place>,
}

impl Places {
    fn record(&mut self, lane: u32, address: usize, bytes: usize, at: &'static Location<'static>) {
        let known = self.places.iter().position(|place| core::ptr::eq(place.at, at) && place.bytes == bytes);
        let find = || self.places.iter().position(|place| place.bytes == bytes && same(place.at, at));
        let position = known.or_else(find).unwrap_or_else(|| {
            self.places.push(Place { at, bytes, count: [0; LANES], requests: Vec::new() });
            self.places.len() - 1
        });
        let place = &mut self.places[position];
        let n = place.count[lane as usize] as usize;
        place.count[lane as usize] += 1;
        if n == place.requests.len() {
            place.requests.push(Request { lanes: 0, address: [0; LANES] });
        }
        // A lane's count may run ahead of the requests only by `converge`, which takes it from another lane's.
        let request = &mut place.requests[n];
        request.lanes |= 1 << lane;
        request.address[lane as usize] = address;
    }

    /// The lanes in `mask` met: from here on they count in step.
    fn converge(&mut self, mask: u32) {
        for place in &mut self.places {
            let ahead = lanes(mask).map(|lane| place.count[lane as usize]).max().unwrap_or(0);
            for lane in lanes(mask) {
                place.count[lane as usize] = ahead;
            }
        }
    }

    fn take(&mut self, mut each: impl FnMut(&Request, usize)) {
        for place in &mut self.places {
            for request in &place.requests {
                each(request, place.bytes);
            }
            place.requests.clear();
            place.count = [0; LANES];
        }
    }
}

/// The requests of a warp since its lanes last met.
pub(super) struct Steps {
    shared: Places,
    global: Places,
    atomic: Places,
    /// Lanes that accessed memory since the last barrier.
    busy: u32,
}

impl Steps {
    pub(super) fn new() -> Self {
        let [shared, global, atomic] = [const { Places { places: Vec::new() } }; 3];
        Self { shared, global, atomic, busy: 0 }
    }

    /// An access to word number `word` of the block's shared memory.
    pub(super) fn shared(&mut self, lane: u32, word: usize, at: &'static Location<'static>) {
        self.busy(lane);
        self.shared.record(lane, word, 4, at);
    }

    /// An access to `bytes` of global memory that lie in one sector, at a multiple of as many.
    pub(super) fn global(&mut self, lane: u32, address: usize, bytes: usize, at: &'static Location<'static>) {
        self.busy(lane);
        self.global.record(lane, address, bytes, at);
    }

    /// An atomic on the cell of `bytes` at `address`.
    pub(super) fn atomic(&mut self, lane: u32, address: usize, bytes: usize, at: &'static Location<'static>) {
        self.busy(lane);
        self.atomic.record(lane, address, bytes, at);
    }

    /// A lane accesses memory, in whatever way.
    pub(super) fn busy(&mut self, lane: u32) {
        self.busy |= 1 << lane;
    }

    /// The block met at a barrier, or all lanes of the warp, those in `existing`, have ended.
    pub(super) fn end_phase(&mut self, existing: u32, counts: &mut Counts) {
        self.count(counts);
        counts.phases += u64::from(existing.count_ones());
        counts.busy_phases += u64::from(self.busy.count_ones());
        self.busy = 0;
    }

    /// The lanes in `mask` met, and with them every lane that has not ended if `all`.
    pub(super) fn converge(&mut self, mask: u32, all: bool, counts: &mut Counts) {
        if all {
            self.count(counts);
        } else {
            self.shared.converge(mask);
            self.global.converge(mask);
            self.atomic.converge(mask);
        }
    }

    /// Adds the requests to the counts and starts anew.
    fn count(&mut self, counts: &mut Counts) {
        self.shared.take(|request, _| {
            counts.shared_requests += 1;
            counts.shared_accesses += u64::from(request.lanes.count_ones());
            counts.bank_replays += replays(request);
        });
        self.global.take(|request, bytes| {
            let (addresses, count) = distinct(request);
            let sectors = addresses[..count].chunk_by(|a, b| a / SECTOR == b / SECTOR);
            counts.global_requests += 1;
            counts.global_accesses += u64::from(request.lanes.count_ones());
            counts.global_sectors += sectors.count() as u64;
            counts.global_bytes_distinct += (count * bytes) as u64;
        });
        self.atomic.take(|request, _| {
            counts.atomic_requests += 1;
            counts.atomics += u64::from(request.lanes.count_ones());
            counts.atomic_replays += same_address(request).saturating_sub(1);
        });
    }
}

/// The different addresses of a request, ascending, and how many they are.
fn distinct(request: &Request) -> ([usize; LANES], usize) {
    let mut addresses = [0; LANES];
    let mut count = 0;
    for lane in lanes(request.lanes) {
        addresses[count] = request.address[lane as usize];
        count += 1;
    }
    addresses[..count].sort_unstable();
    let mut different = 0;
    for i in 0..count {
        if i == 0 || addresses[i] != addresses[different - 1] {
            addresses[different] = addresses[i];
            different += 1;
        }
    }
    (addresses, different)
}

/// The most lanes of a request at one address.
fn same_address(request: &Request) -> u64 {
    let address = |lane: u32| request.address[lane as usize];
    let together = |lane: u32| lanes(request.lanes).filter(|&other| address(other) == address(lane)).count();
    lanes(request.lanes).map(together).max().map_or(0, |most| most as u64)
}

/// The most words that a request has in one of 32 banks, less one.
fn replays(request: &Request) -> u64 {
    let (words, count) = distinct(request);
    let mut in_bank = [0u64; LANES];
    for word in &words[..count] {
        in_bank[word % LANES] += 1;
    }
    in_bank.iter().max().map_or(0, |most| most.saturating_sub(1))
}
