//! Short parts of one class: each is sorted by some threads of a block, in the places of a power of two.
//!
//! Each thread sorts its keys in registers, by exchanges of neighbours. Then runs are merged in pairs in shared memory until a
//! part is one run, or the first keys of it that are wanted: a thread finds by a binary search where its share of the two runs begins, and merges that share (Odeh, Green,
//! Mwassi, Shmueli and Birk, *Merge Path*, IPDPSW 2012). The left key comes first where two are equal, so the sort is stable.

use cuda_std::global::GlobalSlice;
use cuda_std::grid::let_next_launch_start;
use cuda_std::shared::{SharedArray, SharedSlice};
use cuda_std::thread::{block_idx_x, sync_threads, thread_idx_x, unknown};
use warpfold_exact::unrolled;

use super::coding::{Key, Keys};
use super::leaf::Result;
use super::parts::Parts;
use super::segment::Part;
use super::shapes::SORT_THREADS;

cuda_std::shared_bytes! {
    /// For each part of the block its start, among the keys and among the results.
    fn moves_short_starts: 4096
}

cuda_std::shared_bytes! {
    /// For each part of the block its number of keys.
    fn moves_short_lens: 1024
}

const _: () = assert!(SORT_THREADS as usize * 16 == 4096 && SORT_THREADS as usize * 4 == 1024);

/// Returns the word of shared memory for a place: one in 33 is left out, so that the threads' neighbouring shares begin in
/// different banks.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn padded(place: u32) -> usize {
    (place + place / 32) as usize
}

/// Shared memory for the keys of a block, and as many words for their places, both [padded](self).
#[derive(Clone, Copy)]
pub(super) struct Merged<W: Key> {
    pub(super) keys: SharedSlice<W::Shared>,
    pub(super) places: SharedSlice<u32>,
}

impl<W: Key> Merged<W> {
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn key(self, place: u32) -> W {
        W::narrow(self.keys.read(padded(place)))
    }
}

/// The parts to be sorted: those in a list or, without one, all.
#[derive(Clone, Copy)]
pub(super) struct Listed {
    pub(super) parts: Parts,
    pub(super) list: Option<GlobalSlice<u64>>,
    /// Number of parts to be sorted.
    pub(super) count: u64,
    /// The places of each, a power of two from a thread's keys to a block's.
    pub(super) slot: u32,
}

/// Sorts as many parts as a block has slots.
///
/// Called by: every thread of every block, of [`SORT_THREADS`]. Valid in: `result`, when the launch has ended. Scratch: `merged`,
/// and the parts'.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn sort<W: Key, const I: usize>(
    keys: Keys<W>,
    listed: Listed,
    result: Result<W>,
    merged: Merged<W>,
) {
    let starts: SharedArray<u64, { 2 * SORT_THREADS as usize }> = moves_short_starts().array();
    let lens: SharedArray<u32, { SORT_THREADS as usize }> = moves_short_lens().array();
    let (thread, slot) = (thread_idx_x(), listed.slot);
    let log2_slot = slot.trailing_zeros();
    let parts = (I as u32 * SORT_THREADS) >> log2_slot;
    if thread < parts {
        let at = u64::from(block_idx_x()) * u64::from(parts) + u64::from(thread);
        let mut found = (0, 0, 0);
        if at < listed.count {
            let number = listed.list.map_or(at, |list| list.read(at));
            let (start, len) = listed.parts.at(number, keys.elements.len());
            let to = match result.wanted.first {
                u64::MAX => start,
                first => number * first,
            };
            found = (start, to, len as u32);
        }
        starts.write(2 * thread as usize, found.0);
        starts.write(2 * thread as usize + 1, found.1);
        lens.write(thread as usize, found.2);
    }
    sync_threads();

    // Neighbouring threads have neighbouring places in memory, and later a run of places each.
    let mut own_keys = [!W::zeroed(); I];
    unrolled!(i < I => {
        let place = thread + i as u32 * SORT_THREADS;
        let (part, rank) = ((place >> log2_slot) as usize, place & (slot - 1));
        if rank < lens.read(part) {
            own_keys[i] = keys.read(starts.read(2 * part) + u64::from(rank));
        }
    });
    unrolled!(i < I => { merged.keys.write(padded(thread + i as u32 * SORT_THREADS), own_keys[i].widen()) });
    sync_threads();
    let own = thread * I as u32;
    let mut places = [0; I];
    unrolled!(i < I => {
        own_keys[i] = merged.key(own + i as u32);
        places[i] = (own + i as u32) & (slot - 1);
    });
    let wanted = (result.wanted.first.min(u64::from(slot)) as u32).max(I as u32).next_power_of_two();
    let share = Share { first: own, is_some: true, keys: own_keys, places };
    if result.indices.is_some() {
        merge::<W, I, true>(share, (slot, wanted), merged).write::<true>(merged);
    } else {
        merge::<W, I, false>(share, (slot, wanted), merged).write::<false>(merged);
    }
    sync_threads();

    unrolled!(i < I => {
        let place = thread + i as u32 * SORT_THREADS;
        let (number, rank) = ((place >> log2_slot) as usize, u64::from(place & (slot - 1)));
        if rank < u64::from(lens.read(number)).min(result.wanted.first) {
            let part = Part { start: starts.read(2 * number), to: starts.read(2 * number + 1) };
            if let Some(elements) = result.elements {
                elements.write(part.to + rank, result.coding.decode(merged.key(place)));
            }
            if result.indices.is_some() {
                let index = part.start + u64::from(merged.places.read(padded(place)));
                result.indices.write(part.to + rank, result.wanted.index(part, index));
            }
        }
    });
    let_next_launch_start();
}

/// A thread's keys, which are neighbours in the block.
#[derive(Clone, Copy)]
struct Share<W, const I: usize> {
    /// The place of the first.
    first: u32,
    /// Whether there are any.
    is_some: bool,
    keys: [W; I],
    /// For each key the place in its slot where it was, if indices are wanted.
    places: [u32; I],
}

impl<W: Key, const I: usize> Share<W, I> {
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn write<const WITH_PLACES: bool>(self, merged: Merged<W>) {
        if self.is_some {
            unrolled!(i < I => {
                merged.keys.write(padded(self.first + i as u32), self.keys[i].widen());
                if WITH_PLACES {
                    merged.places.write(padded(self.first + i as u32), self.places[i]);
                }
            });
        }
    }

    /// Exchanges keys `i` and `i + 1` if the second one is less.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn exchange<const WITH_PLACES: bool>(&mut self, i: usize) {
        let (left, right) = (self.keys[i], self.keys[i + 1]);
        let is_less = right < left;
        (self.keys[i], self.keys[i + 1]) = if is_less { (right, left) } else { (left, right) };
        if WITH_PLACES {
            let (left, right) = (self.places[i], self.places[i + 1]);
            (self.places[i], self.places[i + 1]) = if is_less { (right, left) } else { (left, right) };
        }
    }
}

/// Sorts the first `wanted` keys of each slot stably, a power of two from `I` to `slot`, and returns the thread's share of them.
/// Runs are as long as what is wanted at most, so in each further turn half as many threads merge.
///
/// Called by: every thread of the block. Valid in: every thread, which may write its share at once. Scratch: `merged`.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn merge<W: Key, const I: usize, const WITH_PLACES: bool>(
    mut share: Share<W, I>,
    (slot, wanted): (u32, u32),
    merged: Merged<W>,
) -> Share<W, I> {
    let mut turn = 0;
    while turn < I as u32 / 2 {
        unrolled!(i < { I / 2 }, up to 8 => { share.exchange::<WITH_PLACES>(2 * i) });
        unrolled!(i < { I / 2 - 1 }, up to 8 => { share.exchange::<WITH_PLACES>(2 * i + 1) });
        turn = unknown(turn + 1);
    }
    let last = I as u32 * SORT_THREADS - 1;
    let mut distance = I as u32;
    while distance < slot {
        share.write::<WITH_PLACES>(merged);
        sync_threads();
        // Of two runs, `distance` apart, so many keys are there, and so many are wanted.
        let (run, of_both) = (distance.min(wanted), (2 * distance).min(wanted));
        let threads = of_both / I as u32;
        let left = (thread_idx_x() >> threads.trailing_zeros()) * 2 * distance;
        share.is_some = left < last;
        if share.is_some {
            let (right, before) = (left + distance, (thread_idx_x() & (threads - 1)) * I as u32);
            let (mut low, mut high) = (before.saturating_sub(run), before.min(run));
            while low < high {
                let middle = (low + high) / 2;
                let is_right_first = merged.key(right + before - 1 - middle) < merged.key(left + middle);
                (low, high) = if is_right_first { (low, middle) } else { (middle + 1, high) };
            }
            let next = [left + low, right + before - low];
            let heads = next.map(|place| merged.key(place.min(last)));
            let (mut runs, mut sources) = (Runs { next, ends: [left + run, right + run], heads }, [0; I]);
            unrolled!(i < I => { (share.keys[i], sources[i]) = runs.take(merged, last) });
            if WITH_PLACES {
                unrolled!(i < I => { share.places[i] = merged.places.read(padded(sources[i])) });
            }
            share.first = left + before;
        }
        // All have read when the next runs are written.
        sync_threads();
        distance = unknown(2 * distance);
    }
    share
}

/// What is left of two runs that are being merged.
struct Runs<W> {
    /// The place of the next key of each.
    next: [u32; 2],
    /// Where each ends.
    ends: [u32; 2],
    /// Their next keys.
    heads: [W; 2],
}

impl<W: Key> Runs<W> {
    /// Takes the next key in order, and returns it with its place. `last` is the last place of the block.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn take(&mut self, merged: Merged<W>, last: u32) -> (W, u32) {
        let ([left, right], [left_key, right_key]) = (self.next, self.heads);
        let is_left = right >= self.ends[1] || (left < self.ends[0] && left_key <= right_key);
        let (key, place) = if is_left { (left_key, left) } else { (right_key, right) };
        let (next, head) = (place + 1, merged.key((place + 1).min(last)));
        self.next = if is_left { [next, right] } else { [left, next] };
        self.heads = if is_left { [head, right_key] } else { [left_key, head] };
        (key, place)
    }
}
