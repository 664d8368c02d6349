//! Plans for sorting elements by group: the kernels, the number of passes and launches, and the memory.

use gpu_kernels::groups::shapes::{SHORT_TILES, passes, scatter_tile};
use gpu_kernels::radix::shapes::{DIGITS, states_len};

use crate::cuda::launch::{Room, Rooms, SCAN_TOTALS_LEN, most_moved};
use crate::error::Error;
use crate::kernel::moves::{MOVES, Moves};

/// How elements are moved.
#[derive(Clone, Copy)]
pub(crate) struct PartitionPlan {
    /// The kernels that move elements from pass to pass, or the positions of elements that are not words.
    pub(crate) carried: &'static Moves,
    /// Passes, each by a byte of the ids.
    pub(crate) passes: u32,
    pub(crate) len: u64,
    /// Whether the array is short.
    pub(crate) is_short: bool,
    /// Elements of each launch but the last: whole tiles.
    pub(crate) part: u64,
    pub(crate) id_bytes: usize,
}

/// The layout of a partition's memory.
pub(crate) struct Layout {
    /// The sorted elements. First, so that they are aligned for any type.
    pub(crate) out: Room,
    /// The moved words, after the last pass and every second pass before it.
    pub(crate) sorted: Room,
    /// The moved words, after the other passes.
    pub(crate) between: Room,
    /// The positions of elements, before the first pass.
    pub(crate) numbered: Room,
    pub(crate) ids: [Room; 2],
    /// The position of the first element for each byte and value.
    pub(crate) starts: Room,
    /// The same for the elements of each launch of a pass after the first.
    pub(crate) next_starts: Room,
    /// The sizes of the groups, which become their offsets.
    pub(crate) sizes: Room,
    /// States that the tiles of a launch share, for launches in turns. Those of the first launch are 0 at first.
    pub(crate) states: [Room; 2],
    pub(crate) totals: Room,
    pub(crate) first_bad: Room,
    pub(crate) bytes: usize,
}

impl PartitionPlan {
    /// Returns the plan for `len` elements in `groups` groups, on a device with this many multiprocessors.
    pub(crate) fn new(carried: &'static Moves, len: u64, groups: u64, multiprocessors: u32) -> Self {
        let most_short = scatter_tile(carried.bytes, true) * SHORT_TILES * u64::from(multiprocessors);
        let is_short = len <= most_short;
        let part = most_moved(scatter_tile(carried.bytes, is_short));
        let id_bytes = if groups <= 1 << 16 { 2 } else { 4 };
        Self { carried, passes: passes(groups), len, is_short, part, id_bytes }
    }

    /// Returns the number of words that the tiles of one launch share.
    pub(crate) fn state_words(self) -> u64 {
        states_len(self.len.min(self.part).div_ceil(scatter_tile(self.carried.bytes, self.is_short)))
    }

    /// Returns the number of launches of a pass.
    pub(crate) fn parts(self) -> u64 {
        self.len.div_ceil(self.part)
    }

    /// Lays out the memory, for elements of `bytes` and `groups` groups. Has room for a copy of the ids if `copies`.
    pub(crate) fn layout(self, bytes: usize, groups: u64, copies: bool) -> Layout {
        let (len, passes, is_carried) = (self.len, self.passes, self.carried.bytes == bytes);
        let mut rooms = Rooms::default();
        let mut some = |needed: bool, bytes: usize| rooms.add(if needed { len } else { 0 }, bytes);
        let out = some(true, bytes);
        let sorted = if is_carried { out } else { some(true, self.carried.bytes) };
        let between = some(passes > 1, self.carried.bytes);
        let numbered = some(!is_carried, self.carried.bytes);
        let ids = [copies || passes > 2, passes > 1].map(|needed| some(needed, self.id_bytes));
        let values = DIGITS as u64;
        Layout {
            out,
            sorted,
            between,
            numbered,
            ids,
            next_starts: rooms.add(self.parts() * values, 8),
            // Zeros at first, up to the end of the first `states`.
            starts: rooms.add(u64::from(passes) * values + 1, 8),
            sizes: rooms.add(if passes > 1 { groups.saturating_add(1) } else { 0 }, 8),
            states: [(); 2].map(|()| rooms.add(self.state_words(), 4)),
            totals: rooms.add(SCAN_TOTALS_LEN as u64, 8),
            first_bad: rooms.add(1, 8),
            bytes: rooms.bytes(),
        }
    }
}

/// Returns the kernels for the longest words that make up an element of `bytes` at `address`.
pub(crate) fn moves_of(address: u64, bytes: usize) -> Result<&'static Moves, Error> {
    let fits =
        |moves: &&Moves| bytes.is_multiple_of(moves.bytes) && address.is_multiple_of(moves.bytes as u64);
    MOVES.iter().rev().find(fits).ok_or(Error::Plan { why: "every element is made of words of one byte" })
}
