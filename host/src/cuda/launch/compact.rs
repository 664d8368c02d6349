//! The launch that brings selected elements together, with arguments that are checked to be what the kernel may touch: as
//! [`enqueue`](crate::cuda::launch::enqueue) does for those that fold.

use std::ptr;

use gpu_kernels::arguments::{Compact, CompactByFlags, Unique};
use gpu_kernels::moves::compact::shape::{COMPACT_THREADS, compact_tile, states_len};

use crate::cuda::launch::enqueue;
use crate::cuda::launch::memory::Region;
use crate::cuda::launch::{Items, Kernels, Queue};
use crate::error::Error;
use crate::kernel::moves::{MOVES, Moves, RANKED};

/// What selects elements.
#[derive(Clone, Copy, Debug)]
pub(in crate::cuda) enum Selector<'a> {
    /// A byte beside each that is not 0.
    Flags(Region<'a>),
    /// That they differ from the one before them, or are the first. Their others are not kept.
    Changes,
    /// Their ranks: so many from one on, or all others. In the first bytes of each word, as many as an element has.
    Ranks {
        /// Whether elements are ranked as floats.
        is_float: bool,
        /// The least.
        least: u64,
        /// How far the greatest is above it.
        span: u64,
        /// Whether the others are selected.
        outside: bool,
    },
}

/// What a compaction reads and writes.
#[derive(Clone, Copy, Debug)]
pub(in crate::cuda) struct Compacted<'a> {
    /// The elements, each one word.
    pub(in crate::cuda) input: Items<'a>,
    /// How many there are, at least 1.
    pub(in crate::cuda) len: u64,
    /// Where they go: room for as many. `None` if they are only counted.
    pub(in crate::cuda) out: Option<Region<'a>>,
    /// How many are selected, as an earlier launch counted them, if the others are to follow.
    pub(in crate::cuda) total: Option<Region<'a>>,
    /// Room for their number.
    pub(in crate::cuda) count: Region<'a>,
    /// Room for [`states_bytes`](Self::states_bytes).
    pub(in crate::cuda) states: Region<'a>,
}

impl Compacted<'_> {
    /// Bytes of the states that the launch over so many elements of a size needs.
    pub(in crate::cuda) fn states_bytes(len: u64, bytes: usize) -> Result<usize, Error> {
        let tiles = tiles(len, bytes)?;
        let refused = Error::Plan { why: "the states of all tiles fit memory" };
        usize::try_from(states_len(u64::from(tiles)) * 8).map_err(|_| refused)
    }
}

/// The kernels over words of so many bytes.
fn moves(bytes: usize) -> Result<&'static Moves, Error> {
    let moves = MOVES.iter().find(|moves| moves.bytes == bytes);
    moves.ok_or(Error::Plan { why: "elements of 1, 2, 4, 8 or 16 bytes are brought together on a GPU" })
}

/// Tiles of so many elements, a block for each.
fn tiles(len: u64, bytes: usize) -> Result<u32, Error> {
    moves(bytes)?;
    enqueue::blocks(len.div_ceil(compact_tile(bytes) as u64))
}

impl Queue {
    /// Brings the selected elements together, and writes how many they are.
    pub(in crate::cuda) fn compact(
        &self,
        kernels: &Kernels,
        select: Selector<'_>,
        with: Compacted<'_>,
    ) -> Result<(), Error> {
        let Compacted { input: items, len, out, total, count, states } = with;
        let blocks = tiles(len, items.bytes)?;
        let input = items.open_words(self, len, items.bytes)?;
        let out = match out {
            Some(region) => Items { region, bytes: items.bytes }.open_words(self, len, items.bytes)?,
            None => ptr::null_mut(),
        };
        let total = total.map_or(Ok(ptr::null_mut()), |total| self.opened::<u64>(total, 1))?;
        let count = self.opened::<u64>(count, 1)?;
        let words = states_len(u64::from(blocks));
        let cleared = states.part(0, words, 8)?;
        let states = self.opened::<u64>(states, words)?;
        self.fill(cleared, 0)?;
        match select {
            Selector::Flags(flags) => {
                let flags = Items { region: flags, bytes: 1 }.open(self, len, 1)?;
                let arguments = CompactByFlags { input, len, flags, out, total, count, states };
                let entry = moves(items.bytes)?.compact_by_flags;
                // SAFETY: as many readable elements and flags as there are, room for as many or none, for a count and for the
                // states of a block each, which were just set to 0; checked above. A wrong total makes places beyond the
                // elements, of which the kernel writes none. The queue keeps all.
                unsafe { self.launch(kernels, entry, blocks, COMPACT_THREADS, arguments) }
            }
            Selector::Changes => {
                let arguments = Unique { input, len, out, count, states };
                // SAFETY: as above.
                unsafe {
                    self.launch(kernels, moves(items.bytes)?.unique, blocks, COMPACT_THREADS, arguments)
                }
            }
            Selector::Ranks { is_float, least, span, outside } => {
                let is_it = |ranked: &&crate::kernel::moves::Ranked| {
                    (ranked.bytes, ranked.is_float) == (items.bytes, is_float)
                };
                let entry = RANKED.iter().find(is_it);
                let entry =
                    entry.ok_or(Error::Plan { why: "numbers of 1 to 8 bytes are ranked on a GPU" })?;
                let arguments = Compact {
                    input: input.cast(),
                    len,
                    least,
                    span,
                    outside: u32::from(outside),
                    out: out.cast(),
                    total,
                    count,
                    states,
                };
                // SAFETY: as above; of `least` and `span` the driver reads as many bytes as a word of this entry has, which they
                // have: those of a lesser word come first.
                unsafe { self.launch(kernels, entry.compact, blocks, COMPACT_THREADS, arguments) }
            }
        }
    }
}
