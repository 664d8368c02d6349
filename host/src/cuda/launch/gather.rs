//! The launches that number positions, and that gather elements. They check that their arguments are memory the kernels
//! may touch, as [`enqueue`](crate::cuda::launch::enqueue) does for one input.

use gpu_kernels::arguments::{Gather, Places};
use gpu_kernels::groups::shapes::GATHER_THREADS;

use crate::cuda::launch::memory::Region;
use crate::cuda::launch::portions::{Items, width};
use crate::cuda::launch::{Kernels, Queue};
use crate::error::Error;
use crate::kernel::moves::{Moves, POSITIONS};

/// Returns the number of blocks that fill a device while they process `len` elements.
pub(crate) fn gather_blocks(len: u64, multiprocessors: u32) -> u32 {
    let all = len.div_ceil(u64::from(GATHER_THREADS)).max(1);
    // Each multiprocessor holds 2048 threads.
    all.min(u64::from(multiprocessors) * u64::from(2048 / GATHER_THREADS)) as u32
}

impl Queue {
    /// Writes 0, `step`, 2 `step` and so on, at most `most`, to `len` items of 4 or 8 bytes.
    pub(crate) fn number_positions(
        &self,
        kernels: &Kernels,
        out: Items<'_>,
        (len, blocks): (u64, u32),
        (step, most): (u64, u64),
    ) -> Result<(), Error> {
        let bytes = width(out.bytes, &[4, 8])?;
        let arguments = Places { out: out.open(self, len, out.bytes)?, bytes, len, step, most };
        // SAFETY: `open` checked that there is room for `len` numbers, and has the queue keep it.
        unsafe { self.launch(kernels, POSITIONS, blocks, GATHER_THREADS, arguments) }
    }

    /// Copies the elements of `x` at `count` positions to `out`. `x` has `elements` elements, each made of whole words of
    /// the kernels' size. Positions beyond the elements are not read: the kernel checks them.
    pub(crate) fn gather(
        &self,
        kernels: &Kernels,
        moves: &Moves,
        (x, elements): (Items<'_>, u64),
        positions: Items<'_>,
        out: Region<'_>,
        (count, blocks): (u64, u32),
    ) -> Result<(), Error> {
        let words = u32::try_from(x.bytes / moves.bytes).ok().filter(|&words| words > 0 && words < 1 << 26);
        let Some(words) = words.filter(|_| x.bytes.is_multiple_of(moves.bytes)) else {
            return Err(Error::Plan {
                why: "elements are moved as whole words, of which they have less than 2^26",
            });
        };
        let arguments = Gather {
            input: x.open(self, elements, moves.bytes)?,
            len: elements.saturating_mul(u64::from(words)),
            places: positions.open(self, count, positions.bytes)?,
            place_bytes: width(positions.bytes, &[4, 8])?,
            count,
            words,
            out: Items { region: out, bytes: x.bytes }.open(self, count, moves.bytes)?,
        };
        // SAFETY: `open` checked that the words and positions are readable and that `out` has room for `count` elements,
        // and has the queue keep all memory.
        unsafe { self.launch(kernels, moves.gather, blocks, GATHER_THREADS, arguments) }
    }
}
