//! The steps of a warp: how accesses of its lanes combine to requests, and what those cost.

use core::panic::Location;

use super::counts::{Counts, SECTOR};
use super::order::{LANES, lanes, same};

/// The n-th accesses of a warp's lanes at one place.
struct Request {
    lanes: u32,
    address: [usize; LANES],
}

/// A place of the source that accesses memory in pieces of one size, and its requests since the lanes last converged.
struct Place {
    at: &'static Location<'static>,
    bytes: usize,
    count: [u32; LANES],
    requests: Vec<Request>,
}

/// The requests of a warp to one kind of memory since its lanes last converged.
struct Places {
    places: Vec<Place>,
    /// The place of the last access: the next one's is mostly this one or the one after it.
    last: usize,
}

impl Places {
    fn record(&mut self, lane: u32, address: usize, bytes: usize, at: &'static Location<'static>) {
        let is_known = |&i: &usize| core::ptr::eq(self.places[i].at, at) && self.places[i].bytes == bytes;
        let known = (self.last..self.places.len()).chain(0..self.last).find(is_known);
        let find = || self.places.iter().position(|place| place.bytes == bytes && same(place.at, at));
        let position = known.or_else(find).unwrap_or_else(|| {
            self.places.push(Place { at, bytes, count: [0; LANES], requests: Vec::new() });
            self.places.len() - 1
        });
        self.last = position;
        let place = &mut self.places[position];
        let n = place.count[lane as usize] as usize;
        place.count[lane as usize] += 1;
        if n == place.requests.len() {
            place.requests.push(Request { lanes: 0, address: [0; LANES] });
        }
        // `n` is at most the number of requests: only `converge` raises a lane's count, to another lane's count.
        let request = &mut place.requests[n];
        request.lanes |= 1 << lane;
        request.address[lane as usize] = address;
    }

    /// Sets the counts of the lanes in `mask`, which met, to the highest, so that they count in step from here on.
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

/// The requests of a warp since its lanes last converged.
pub(super) struct Steps {
    shared: Places,
    global: Places,
    atomic: Places,
    /// Lanes that accessed memory since the last barrier.
    busy: u32,
}

impl Steps {
    pub(super) fn new() -> Self {
        let [shared, global, atomic] = [const { Places { places: Vec::new(), last: 0 } }; 3];
        Self { shared, global, atomic, busy: 0 }
    }

    /// Records an access to word number `word` of the block's shared memory.
    pub(super) fn shared(&mut self, lane: u32, word: usize, at: &'static Location<'static>) {
        self.busy(lane);
        self.shared.record(lane, word, 4, at);
    }

    /// Records an access to `bytes` bytes of global memory, aligned to as many and within one sector.
    pub(super) fn global(&mut self, lane: u32, address: usize, bytes: usize, at: &'static Location<'static>) {
        self.busy(lane);
        self.global.record(lane, address, bytes, at);
    }

    /// Records an atomic on the cell of `bytes` bytes at `address`.
    pub(super) fn atomic(&mut self, lane: u32, address: usize, bytes: usize, at: &'static Location<'static>) {
        self.busy(lane);
        self.atomic.record(lane, address, bytes, at);
    }

    /// Records that a lane accesses memory of any kind.
    pub(super) fn busy(&mut self, lane: u32) {
        self.busy |= 1 << lane;
    }

    /// Ends a phase: the block met at a barrier, or all lanes of the warp (`existing`) have ended.
    pub(super) fn end_phase(&mut self, existing: u32, counts: &mut Counts) {
        self.count(counts);
        counts.phases += u64::from(existing.count_ones());
        counts.busy_phases += u64::from(self.busy.count_ones());
        self.busy = 0;
    }

    /// Records that the lanes in `mask` met. `all` tells whether these are all lanes that have not ended.
    pub(super) fn converge(&mut self, mask: u32, all: bool, counts: &mut Counts) {
        if all {
            self.count(counts);
        } else {
            self.shared.converge(mask);
            self.global.converge(mask);
            self.atomic.converge(mask);
        }
    }

    /// Adds the requests to the counts and clears them.
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

/// Returns the distinct addresses of a request, ascending, and their number.
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

/// Returns the most lanes of a request at one address.
fn same_address(request: &Request) -> u64 {
    let address = |lane: u32| request.address[lane as usize];
    let together = |lane: u32| lanes(request.lanes).filter(|&other| address(other) == address(lane)).count();
    lanes(request.lanes).map(together).max().map_or(0, |most| most as u64)
}

/// Returns the most words of a request in one of the 32 banks, less one.
fn replays(request: &Request) -> u64 {
    let (words, count) = distinct(request);
    let mut in_bank = [0u64; LANES];
    for word in &words[..count] {
        in_bank[word % LANES] += 1;
    }
    in_bank.iter().max().map_or(0, |most| most.saturating_sub(1))
}
