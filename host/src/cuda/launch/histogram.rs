//! The launches that count elements in bins, or write the place of each. They check that their arguments are memory the kernels may
//! touch, as [`enqueue`](crate::cuda::launch::enqueue) does for folds.

use cuda_std::memory::{Atomic, Optional, Writable};
use gpu_kernels::arguments;
use gpu_kernels::histogram::shapes::{
    FEW, Guess, HALVES_THREADS, HISTOGRAM_BLOCKS, HISTOGRAM_THREADS, OUTSIDE, halves_bytes,
};

use crate::cuda::launch::memory::Region;
use crate::cuda::launch::{Items, Kernels, Keys, Queue};
use crate::error::Error;
use crate::kernel::moves::Word;

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
    /// Returns the arguments of a kernel that finds the places of elements, without memory for its results.
    fn of_places(&self, keys: Keys<'_>, places: Places<'_>) -> Result<arguments::Bins<Word>, Error> {
        let Keys { items, len, signed, all, less } = keys;
        let Places { lows, bins, most, numbers, guess, ends: [low, high], scale: [scale, slack] } = places;
        // The kernels number all places in 32 bits.
        if bins == 0 || bins.checked_add(OUTSIDE).is_none() {
            return Err(Error::Plan { why: "a histogram has 1 to 2^31 bins" });
        }
        let lows = lows.part(0, bins.into(), items.bytes)?;
        Ok(arguments::Bins {
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
            counts: Optional::none(),
            outside: Optional::none(),
            places: Optional::none(),
        })
    }

    /// Writes the place of each of `keys`, at least one, to `to`: its bin, or one of [`OUTSIDE`] places behind the bins.
    pub(crate) fn places(
        &self,
        kernels: &Kernels,
        keys: Keys<'_>,
        places: Places<'_>,
        to: Region<'_>,
        multiprocessors: u32,
    ) -> Result<(), Error> {
        let arguments = arguments::Bins {
            places: self.opened::<Writable<u32>>(to, keys.len)?.into(),
            ..self.of_places(keys, places)?
        };
        let blocks = keys.blocks(HISTOGRAM_THREADS, multiprocessors.saturating_mul(2 * HISTOGRAM_BLOCKS));
        // SAFETY: opened above and by `of_places`: the elements and the ranks are readable, and there is room for the places. The
        // kernel writes nothing else, whatever the numbers are. The queue keeps all memory.
        unsafe {
            self.launch(kernels, keys.kernels()?.histogram_places, blocks, HISTOGRAM_THREADS, arguments)
        }
    }

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
        let (len, bins, select) = (keys.len, places.bins, keys.kernels()?);
        let of_all = bins.saturating_add(OUTSIDE);
        let arguments = arguments::Bins {
            counts: self.opened::<Atomic<u64>>(counts, bins.into())?.into(),
            outside: self.opened::<Atomic<u64>>(outside, OUTSIDE.into())?.into(),
            ..self.of_places(keys, places)?
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
