//! The launches of a sort by digits, and the memory that they work in.

use gpu_kernels::radix::shapes::{COUNT_BLOCKS, COUNT_THREADS, DIGITS, counts_len, pass_tile, states_len};

use crate::cuda::Cuda;
use crate::cuda::executor::Executor;
use crate::cuda::launch::{
    Portions, RadixMoved, RadixRoom, RadixValues, Region, Room, Rooms, SortKeys, position_bytes, radix_parts,
};
use crate::cuda::sort::plan::{Beside, Sorted};
use crate::error::Error;

/// The layout of the memory of a sort by digits.
pub(crate) struct DigitLayout {
    /// Keys, written by every other pass.
    spare: Room,
    /// Keys, if the elements are not wanted.
    keys: Room,
    /// Values.
    values: Room,
    counts: Room,
    route: Room,
    /// Twice the words.
    states: Room,
    state_words: u64,
    starts: Room,
    next_starts: Room,
    value_bytes: usize,
}

impl DigitLayout {
    /// Adds rooms to `rooms` for `len` keys of `bytes`, and for values of `value_bytes` unless that is 0. `needs_key_room` says
    /// that the caller has no memory for sorted keys.
    pub(crate) fn new(
        rooms: &mut Rooms,
        (len, bytes): (u64, usize),
        value_bytes: usize,
        needs_key_room: bool,
    ) -> Self {
        let (part, parts) = radix_parts(len, bytes, value_bytes);
        let state_words = states_len(part.min(len).div_ceil(pass_tile(bytes, value_bytes)));
        Self {
            spare: rooms.add(len, bytes),
            keys: rooms.add(if needs_key_room { len } else { 0 }, bytes),
            values: rooms.add(if value_bytes > 0 { len } else { 0 }, value_bytes),
            counts: rooms.add(counts_len(bytes), 8),
            route: rooms.add(1, 8),
            states: rooms.add(state_words.saturating_mul(2), 4),
            state_words,
            starts: rooms.add((bytes * DIGITS) as u64, 8),
            next_starts: rooms.add((parts - 1).saturating_mul(DIGITS as u64), 8),
            value_bytes,
        }
    }
}

impl Executor {
    /// Sorts `keys` stably, by way of `layout` in `memory`, which was made for them. Waits for nothing.
    pub(crate) fn sort_digits<'a>(
        &self,
        cuda: &Cuda,
        keys: SortKeys<'a>,
        result: Sorted<'a>,
        (layout, memory): (&DigitLayout, Region<'a>),
    ) -> Result<(), Error> {
        let (queue, kernels) = (self.queue(), cuda.kernels());
        let (len, bytes) = (keys.len, keys.items.bytes);
        let room = RadixRoom {
            counts: layout.counts.of(memory)?,
            route: layout.route.of(memory)?,
            starts: layout.starts.of(memory)?,
            next_starts: layout.next_starts.of(memory)?,
            states: layout.states.of(memory)?,
            state_words: layout.state_words,
        };
        let spare = layout.values.of(memory)?;
        let values = match result.beside {
            Beside::Nothing => None,
            Beside::Indices(to) => {
                let bytes = position_bytes(len);
                Some(RadixValues { from: None, to: to.region, spare, bytes, is_wide: to.bytes != bytes })
            }
            Beside::Values(from, to) => {
                Some(RadixValues { from: Some(from), to, spare, bytes: from.bytes, is_wide: false })
            }
        };
        if values.map_or(0, |values| values.bytes) != layout.value_bytes {
            return Err(Error::Plan { why: "a sort moves the values that its memory was made for" });
        }
        let to = result.elements.map_or_else(|| layout.keys.of(memory), Ok)?;
        let has_keys = result.elements.is_some();
        let moved = RadixMoved { keys, to: [to, layout.spare.of(memory)?], has_keys, values };
        // The first half of the states of tiles.
        let zeros = layout.counts.to(layout.states).of(memory)?;
        let end = (layout.states.first() - layout.counts.first()) as u64 + 4 * layout.state_words;
        queue.fill(zeros.part(0, end, 1)?, 0)?;
        let blocks = cuda.multiprocessors().saturating_mul(COUNT_BLOCKS);
        let portions = Portions::new(len, u64::from(COUNT_THREADS) * 8, blocks)?;
        queue.radix_digits(kernels, keys, portions, &room)?;
        queue.radix_starts(kernels, keys, &room)?;
        let (_, parts) = radix_parts(len, bytes, layout.value_bytes);
        for pass in 0..bytes as u64 {
            (0..parts).try_for_each(|part| queue.radix_pass(kernels, &moved, &room, (pass, part)))?;
        }
        Ok(())
    }
}
