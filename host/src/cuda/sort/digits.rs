//! The launches of a sort by digits, and the memory that they work in.

use gpu_kernels::moves::radix::shape::{
    COUNT_BLOCKS, COUNT_THREADS, DIGITS, counts_len, pass_tile, states_len,
};

use crate::cuda::Cuda;
use crate::cuda::lane::Lane;
use crate::cuda::launch::{
    Portions, RadixMoved, RadixRoom, RadixValues, Region, Room, Rooms, SortKeys, radix_parts,
};
use crate::cuda::sort::plan::{Beside, Sorted, index_bytes};
use crate::error::Error;

/// The layout of the memory of a sort by digits.
pub(in crate::cuda) struct DigitPlaces {
    /// Keys, where those of every other pass go.
    spare: Room,
    /// Keys, if the elements are not wanted.
    keys: Room,
    /// Values.
    values: Room,
    counts: Room,
    route: Room,
    /// Twice the words.
    told: Room,
    told_words: u64,
    starts: Room,
    next_starts: Room,
    value_bytes: usize,
}

impl DigitPlaces {
    /// Adds rooms to `rooms` for `len` keys of `bytes`, and for values of `value_bytes` unless that is 0. Without `has_keys`,
    /// the caller has memory for the elements.
    pub(in crate::cuda) fn new(
        rooms: &mut Rooms,
        (len, bytes): (u64, usize),
        value_bytes: usize,
        has_keys: bool,
    ) -> Self {
        let (part, parts) = radix_parts(len, bytes, value_bytes);
        let told_words = states_len(part.min(len).div_ceil(pass_tile(bytes, value_bytes)));
        Self {
            spare: rooms.add(len, bytes),
            keys: rooms.add(if has_keys { len } else { 0 }, bytes),
            values: rooms.add(if value_bytes > 0 { len } else { 0 }, value_bytes),
            counts: rooms.add(counts_len(bytes), 8),
            route: rooms.add(1, 8),
            told: rooms.add(told_words.saturating_mul(2), 4),
            told_words,
            starts: rooms.add((bytes * DIGITS) as u64, 8),
            next_starts: rooms.add((parts - 1).saturating_mul(DIGITS as u64), 8),
            value_bytes,
        }
    }
}

impl Lane {
    /// Sorts `keys` stably, by way of `places` in `memory`, which were made for them. Waits for nothing.
    pub(in crate::cuda) fn sort_digits<'a>(
        &self,
        cuda: &Cuda,
        keys: SortKeys<'a>,
        result: Sorted<'a>,
        (places, memory): (&DigitPlaces, Region<'a>),
    ) -> Result<(), Error> {
        let (queue, kernels) = (self.queue(), cuda.kernels());
        let (len, bytes) = (keys.len, keys.items.bytes);
        let room = RadixRoom {
            counts: places.counts.of(memory)?,
            route: places.route.of(memory)?,
            starts: places.starts.of(memory)?,
            next_starts: places.next_starts.of(memory)?,
            told: places.told.of(memory)?,
            told_words: places.told_words,
        };
        let spare = places.values.of(memory)?;
        let values = match result.beside {
            Beside::Nothing => None,
            Beside::Indices(to) => {
                let bytes = index_bytes(len);
                Some(RadixValues { from: None, to: to.region, spare, bytes, is_wide: to.bytes != bytes })
            }
            Beside::Values(from, to) => {
                Some(RadixValues { from: Some(from), to, spare, bytes: from.bytes, is_wide: false })
            }
        };
        if values.map_or(0, |values| values.bytes) != places.value_bytes {
            return Err(Error::Plan { why: "a sort moves the values that its memory was made for" });
        }
        let to = result.elements.map_or_else(|| places.keys.of(memory), Ok)?;
        let has_keys = result.elements.is_some();
        let moved = RadixMoved { keys, to: [to, places.spare.of(memory)?], has_keys, values };
        // Of what tiles tell each other, the first half.
        let zeros = places.counts.to(places.told).of(memory)?;
        let end = (places.told.first() - places.counts.first()) as u64 + 4 * places.told_words;
        queue.fill(zeros.part(0, end, 1)?, 0)?;
        let blocks = cuda.multiprocessors().saturating_mul(COUNT_BLOCKS);
        let portions = Portions::new(len, u64::from(COUNT_THREADS) * 8, blocks)?;
        queue.radix_digits(kernels, keys, portions, &room)?;
        queue.radix_starts(kernels, keys, &room)?;
        let (_, parts) = radix_parts(len, bytes, places.value_bytes);
        for pass in 0..bytes as u64 {
            (0..parts).try_for_each(|part| queue.radix_pass(kernels, &moved, &room, (pass, part)))?;
        }
        Ok(())
    }
}
