//! The launch that counts elements in bins. It checks that its arguments are memory the kernels may touch, as
//! [`enqueue`](crate::cuda::launch::enqueue) does for folds.

use gpu_kernels::arguments;
use gpu_kernels::histogram::shapes::{
    FEW, Guess, HALVES_THREADS, HISTOGRAM_BLOCKS, HISTOGRAM_THREADS, OUTSIDE, halves_bytes,
};

use crate::cuda::launch::memory::Region;
use crate::cuda::launch::{Items, Kernels, Keys, Queue};
use crate::error::Error;

/// Bins, as kernels take them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Places<'a> {
    /// The least rank of each bin, as words of the elements' size, in order.
    pub(crate) lows: Region<'a>,
    /// The number of bins, at least 1.
    pub(crate) bins: u32,
    /// The greatest rank of the last bin.
    pub(crate) most: u64,
    /// The ranks of the least and the greatest number.
    pub(crate) numbers: [u64; 2],
    pub(crate) guess: Guess,
    /// The first and the last edge of floats.
    pub(crate) ends: [f64; 2],
    /// Bins in a distance of 1, and how far a position may be from the true one.
    pub(crate) scale: [f64; 2],
}

/// A device, as far as it determines the shape of a launch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room {
    pub(crate) multiprocessors: u32,
    /// Most bytes of shared memory of a block.
    pub(crate) shared_bytes: u32,
}

impl Queue {
    /// Writes the number of elements in each bin to `counts`, and the numbers of elements below, above and
    /// NaN to `outside`.
    pub(crate) fn histogram(
        &self,
        kernels: &Kernels,
        keys: Keys<'_>,
        places: Places<'_>,
        (counts, outside): (Region<'_>, Region<'_>),
        room: Room,
    ) -> Result<(), Error> {
        let Keys { items, len, signed, all, less } = keys;
        let Places { lows, bins, most, numbers, guess, ends: [low, high], scale: [scale, slack] } = places;
        let select = keys.kernels()?;
        // The kernels number all places in 32 bits.
        let of_all = bins.checked_add(OUTSIDE).filter(|_| bins > 0);
        let of_all = of_all.ok_or(Error::Plan { why: "a histogram has 1 to 2^31 bins" })?;
        let lows = lows.part(0, bins.into(), items.bytes)?;
        let arguments = arguments::Bins {
            input: items.open(self, len, items.bytes)?,
            len,
            signed,
            all,
            less,
            lows: Items { region: lows, bytes: items.bytes }.open(self, bins.into(), items.bytes)?,
            bins,
            most,
            least_number: numbers[0],
            greatest_number: numbers[1],
            guess: guess as u32,
            low,
            high,
            scale,
            slack,
            counts: self.opened(counts, bins.into())?,
            outside: self.opened(outside, OUTSIDE.into())?,
        };
        self.fill(counts.part(0, bins.into(), 8)?, 0)?;
        self.fill(outside.part(0, OUTSIDE.into(), 8)?, 0)?;
        if len == 0 {
            return Ok(());
        }
        let resident = room.multiprocessors.max(1);
        let (threads, resident_blocks) = (HISTOGRAM_THREADS, resident.saturating_mul(HISTOGRAM_BLOCKS));
        if of_all <= FEW {
            // A block counts in 32 bits.
            let blocks = keys.blocks(threads, resident_blocks).max((len >> 31) as u32 + 1);
            // SAFETY: opened above: the elements and the ranks are readable, the sums have room for all bins and for what is outside.
            // The kernel writes nothing else, whatever the numbers are. No block has more elements than it can count, and the counters
            // of all places fit its memory. The queue keeps all memory.
            return unsafe { self.launch(kernels, select.histogram, blocks, threads, arguments) };
        }
        let scratch = halves_bytes(of_all);
        // Each block clears its counters, and adds them to the sums: worth it for more elements than counters.
        let worth = len / u64::from(of_all);
        if scratch <= room.shared_bytes && worth > 0 {
            let blocks = keys.blocks(HALVES_THREADS, resident).min(u32::try_from(worth).unwrap_or(u32::MAX));
            let shape = (blocks, HALVES_THREADS, scratch);
            // SAFETY: as above; the counters of all places fit `scratch`.
            return unsafe { self.launch_with_scratch(kernels, select.histogram_halves, shape, arguments) };
        }
        let blocks = keys.blocks(threads, resident_blocks.saturating_mul(2));
        // SAFETY: as above; this kernel has no counters.
        unsafe { self.launch(kernels, select.histogram_wide, blocks, threads, arguments) }
    }
}
