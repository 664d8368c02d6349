//! The launches that number places and bring elements to them, with arguments that are checked to be what the kernels may
//! touch: as [`enqueue`](crate::cuda::launch::enqueue) does for one input.

use gpu_kernels::arguments::{Gather, Places};
use gpu_kernels::moves::groups::shape::GATHER_THREADS;

use crate::cuda::launch::memory::Region;
use crate::cuda::launch::portions::{Items, width};
use crate::cuda::launch::{Kernels, Queue};
use crate::error::Error;
use crate::kernel::moves::{Moves, PLACES};

/// Blocks that fill a device while they go through `len` elements.
pub(in crate::cuda) fn gather_blocks(len: u64, multiprocessors: u32) -> u32 {
    let all = len.div_ceil(u64::from(GATHER_THREADS)).max(1);
    // Each multiprocessor holds 2048 threads.
    all.min(u64::from(multiprocessors) * u64::from(2048 / GATHER_THREADS)) as u32
}

impl Queue {
    /// Writes 0, 1 and so on to `len` items of 4 or 8 bytes.
    pub(in crate::cuda) fn number_places(
        &self,
        kernels: &Kernels,
        out: Items<'_>,
        len: u64,
        blocks: u32,
    ) -> Result<(), Error> {
        let arguments =
            Places { out: out.open(self, len, out.bytes)?, bytes: width(out.bytes, &[4, 8])?, len };
        // SAFETY: room for as many numbers, checked above; the queue keeps it.
        unsafe { self.launch(kernels, PLACES, blocks, GATHER_THREADS, arguments) }
    }

    /// Copies those of `x`, so many elements of whole words of the moves' size, that stand at `count` places to `out`. Places
    /// beyond the elements are not read: the kernel checks them.
    pub(in crate::cuda) fn gather(
        &self,
        kernels: &Kernels,
        moves: &Moves,
        (x, elements): (Items<'_>, u64),
        places: Items<'_>,
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
            input: x.open_words(self, elements, moves.bytes)?,
            len: elements.saturating_mul(u64::from(words)),
            places: places.open(self, count, places.bytes)?,
            place_bytes: width(places.bytes, &[4, 8])?,
            count,
            words,
            out: Items { region: out, bytes: x.bytes }.open_words(self, count, moves.bytes)?,
        };
        // SAFETY: as many readable words and places, and room for as many elements, checked above; the queue keeps all.
        unsafe { self.launch(kernels, moves.gather, blocks, GATHER_THREADS, arguments) }
    }
}
