//! The launch that compacts elements. It checks that its arguments are memory the kernel may touch, as
//! [`enqueue`](crate::cuda::launch::enqueue) does for folds.

use cuda_std::memory::{Optional, Readable, Writable};
use gpu_kernels::arguments::{Compact, CompactByFlags, CompactByFormula, Unique};
use gpu_kernels::compact::shapes::{COMPACT_THREADS, compact_tile, states_len};
use gpu_kernels::formula::Captured;

use crate::cuda::launch::memory::Region;
use crate::cuda::launch::{Items, Kernels, Queue, enqueue};
use crate::error::Error;
use crate::kernel::moves::{MOVES, Moves, RANKED, Ranking, SATISFYING, Word};

/// How elements are selected.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Selector<'a> {
    /// Elements whose flag, a byte, is not 0.
    Flags(Region<'a>),
    /// Elements that differ from their left neighbour, and the first. The other elements cannot be kept.
    Changes,
    /// Elements for which a formula holds that is given numbers of their size.
    Formula(Captured),
    /// Elements whose ranks are in a range, or outside it. Ranks are in the first bytes of each word, as many as an
    /// element has.
    Ranks {
        /// Whether elements are ranked as floats.
        is_float: bool,
        /// The least rank of the range.
        least: u64,
        /// The difference between the greatest rank of the range and the least.
        span: u64,
        /// Whether the elements outside the range are selected.
        outside: bool,
    },
}

/// The memory that a compaction reads and writes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Compacted<'a> {
    /// The elements, each one word.
    pub(crate) input: Items<'a>,
    /// Number of elements, at least 1.
    pub(crate) len: u64,
    /// Room for `len` elements, or `None` to only count.
    pub(crate) out: Option<Region<'a>>,
    /// The number of selected elements from an earlier launch, if the others are to follow the selected ones.
    pub(crate) total: Option<Region<'a>>,
    /// Room for the number of selected elements.
    pub(crate) count: Region<'a>,
    /// Room for [`states_bytes`](Self::states_bytes).
    pub(crate) states: Region<'a>,
}

impl Compacted<'_> {
    /// Returns the bytes of the states that a launch over `len` elements of `bytes` needs.
    pub(crate) fn states_bytes(len: u64, bytes: usize) -> Result<usize, Error> {
        let tiles = tiles(len, bytes)?;
        let refused = Error::Plan { why: "the states of all tiles fit memory" };
        usize::try_from(states_len(u64::from(tiles)) * 8).map_err(|_| refused)
    }
}

/// Returns the kernels over words of `bytes` bytes.
fn moves(bytes: usize) -> Result<&'static Moves, Error> {
    let moves = MOVES.iter().find(|moves| moves.bytes == bytes);
    moves.ok_or(Error::Plan { why: "elements of 1, 2, 4, 8 or 16 bytes are brought together on a GPU" })
}

/// Returns the number of tiles of `len` elements: one block per tile.
fn tiles(len: u64, bytes: usize) -> Result<u32, Error> {
    moves(bytes)?;
    enqueue::blocks(len.div_ceil(compact_tile(bytes) as u64))
}

impl Queue {
    /// Compacts the selected elements, and writes their number.
    pub(crate) fn compact(
        &self,
        kernels: &Kernels,
        select: Selector<'_>,
        with: Compacted<'_>,
    ) -> Result<(), Error> {
        let Compacted { input: items, len, out, total, count, states } = with;
        let blocks = tiles(len, items.bytes)?;
        let input: Readable<Word> = items.open(self, len, items.bytes)?;
        let out = out.map(|region| Items { region, bytes: items.bytes });
        let out: Optional<Writable<Word>> = Items::open_if(out, self, len, items.bytes)?;
        let total = self.opened_if(total, 1)?;
        let count = self.opened(count, 1)?;
        let words = states_len(u64::from(blocks));
        let cleared = states.part(0, words, 8)?;
        let states = self.opened(states, words)?;
        self.fill(cleared, 0)?;
        match select {
            Selector::Flags(flags) => {
                let flags = Items { region: flags, bytes: 1 }.open(self, len, 1)?;
                let arguments = CompactByFlags { input, len, flags, out, total, count, states };
                let entry = moves(items.bytes)?.compact_by_flags;
                // SAFETY: `open` and `opened` checked above that `len` elements and flags are readable, that `out` has
                // room for as many or is null, and that there is room for the count and a state per block. The states
                // were just filled with 0. A wrong total leads to positions beyond the elements, which the kernel does not
                // write. The queue keeps all memory.
                unsafe { self.launch(kernels, entry, blocks, COMPACT_THREADS, arguments) }
            }
            Selector::Changes => {
                let arguments = Unique { input, len, out, count, states };
                // SAFETY: as above.
                unsafe {
                    self.launch(kernels, moves(items.bytes)?.unique, blocks, COMPACT_THREADS, arguments)
                }
            }
            Selector::Formula(formula) => {
                let found = SATISFYING.iter().find(|satisfying| satisfying.bytes == items.bytes);
                let satisfying = found
                    .ok_or(Error::Plan { why: "formulas are given numbers of 4 or 8 bytes on a GPU" })?;
                let arguments = CompactByFormula { input, len, out, total, count, states, formula };
                let entry = satisfying.compact.after(formula.program());
                // SAFETY: as above. What the formula computes selects elements, and is the address of none.
                unsafe { self.launch(kernels, entry, blocks, COMPACT_THREADS, arguments) }
            }
            Selector::Ranks { is_float, least, span, outside } => {
                let ranking = if is_float { Ranking::Floats } else { Ranking::Integers };
                let found = RANKED.iter().find(|(of, ranked)| (*of, ranked.bytes) == (ranking, items.bytes));
                let (_, ranked) =
                    found.ok_or(Error::Plan { why: "numbers of 1 to 8 bytes are ranked on a GPU" })?;
                let arguments = Compact {
                    input: input.cast(),
                    len,
                    least,
                    span,
                    outside: u32::from(outside),
                    out: out.get().map(Writable::cast).into(),
                    total,
                    count,
                    states,
                };
                // SAFETY: as above. The driver reads as many bytes of `least` and `span` as a word of this entry has.
                // `selector` put them in the first bytes.
                unsafe { self.launch(kernels, ranked.compact, blocks, COMPACT_THREADS, arguments) }
            }
        }
    }
}
