//! Candidates: elements within a range of the order, compacted on the device, and counts of their digits.

use std::sync::Arc;

use gpu_kernels::select::shapes::{DIGIT_BITS, DIGITS, DIGITS_BLOCKS, FILTER_BLOCKS};

use crate::cuda::Cuda;
use crate::cuda::executor::Executor;
use crate::cuda::launch::{Digit, Items, Keys, Memory, Pairs, Region, Rooms, Stretch};
use crate::error::Error;
use crate::memory;

/// Words in front of the candidates: their number, and a second one to align vectors.
pub(crate) const HEAD: u64 = 2;

/// Ranks in memory of their own, after a head.
pub(crate) struct Candidates {
    memory: Arc<Memory>,
    count: u64,
}

impl Candidates {
    /// Returns the candidates as keys, which are ranks already.
    pub(crate) fn keys(&self) -> Result<Keys<'_>, Error> {
        let items = Items { region: self.memory.whole().part(HEAD, self.count, 8)?, bytes: 8 };
        Ok(Keys { items, len: self.count, signed: 0, all: 0, less: 0 })
    }
}

impl Executor {
    /// Counts the elements with ranks from `ranks.0` to `ranks.1` by each value of a digit. Waits.
    pub(crate) fn counts(
        &self,
        cuda: &Cuda,
        keys: Keys<'_>,
        ranks: (u64, u64),
        digit: Digit,
    ) -> Result<Vec<u64>, Error> {
        let sums = self.room(8 * DIGITS)?;
        let sums = sums.region(0, 8 * DIGITS)?;
        self.queue().fill(sums, 0)?;
        let blocks = cuda.multiprocessors().saturating_mul(DIGITS_BLOCKS);
        self.queue().count_by_digit(cuda.kernels(), keys, ranks, digit, sums, blocks)?;
        Ok(sums.download::<u64>(self.queue(), DIGITS)?)
    }

    /// Enqueues the launch that adds the elements within `stretch` to `pairs`.
    pub(crate) fn filter(
        &self,
        cuda: &Cuda,
        keys: Keys<'_>,
        stretch: Stretch<'_>,
        pairs: Pairs<'_>,
    ) -> Result<(), Error> {
        let blocks = cuda.multiprocessors().saturating_mul(FILTER_BLOCKS);
        self.queue().filter(cuda.kernels(), keys, stretch, pairs, blocks)
    }

    /// Enqueues the launch that compacts the `count` ranks from `ranks.0` to `ranks.1`.
    pub(crate) fn candidates(
        &self,
        cuda: &Cuda,
        keys: Keys<'_>,
        ranks: (u64, u64),
        count: u64,
    ) -> Result<Candidates, Error> {
        let mut rooms = Rooms::default();
        let words = rooms.add(HEAD.saturating_add(count), 8);
        let memory = Memory::scratch(self.queue(), rooms.bytes())?;
        let words = words.of(memory.whole())?;
        self.queue().fill(words.part(0, HEAD, 8)?, 0)?;
        self.bring_together(cuda, keys, ranks, words, count)?;
        Ok(Candidates { memory, count })
    }

    /// Returns the ranks from `ranks.0` to `ranks.1`, at most `room`, in order. Waits.
    pub(crate) fn ranks(
        &self,
        cuda: &Cuda,
        keys: Keys<'_>,
        ranks: (u64, u64),
        room: u64,
    ) -> Result<Vec<u64>, Error> {
        let words = HEAD.saturating_add(room) as usize;
        let memory = self.room(words.saturating_mul(8))?;
        let region = memory.region(0, words.saturating_mul(8))?;
        // All of it is copied to the host, including what no kernel writes.
        self.queue().fill(region, 0)?;
        self.bring_together(cuda, keys, ranks, region, room)?;
        let words = region.download::<u64>(self.queue(), words)?;
        let Some((&[count, _], ranks)) = words.split_first_chunk() else { return Err(Error::NoResult) };
        let mut ranks = memory::copied(ranks.get(..count.min(room) as usize).unwrap_or(ranks))?;
        ranks.sort_unstable();
        Ok(ranks)
    }

    /// Enqueues the launch that writes the ranks from `least` to `most` to `words`, after a head that is 0, as far as
    /// there is `room`.
    fn bring_together(
        &self,
        cuda: &Cuda,
        keys: Keys<'_>,
        (least, most): (u64, u64),
        words: Region<'_>,
        room: u64,
    ) -> Result<(), Error> {
        let (count, ranks) = (words.part(0, 1, 8)?, words.part(HEAD, room, 8)?);
        let pairs = Pairs { ranks, indices: None, room, count };
        self.filter(cuda, keys, Stretch::Known(least, most, u64::MAX), pairs)
    }
}

/// Bits of a rank.
pub(crate) fn bits_of(keys: Keys<'_>) -> u32 {
    8 * keys.items.bytes as u32
}

/// Returns the greatest rank.
pub(crate) fn most(keys: Keys<'_>) -> u64 {
    u64::MAX >> (64_u32.saturating_sub(bits_of(keys)))
}

/// Returns the lowest bit of the highest digit of numbers up to `greatest`.
pub(crate) fn shift_of(greatest: u64) -> u32 {
    (u64::BITS - greatest.leading_zeros()).saturating_sub(DIGIT_BITS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_the_highest_bits() {
        for greatest in [0, 1, 2047, 2048, 4095, 1 << 32, u64::MAX] {
            let shift = shift_of(greatest);
            assert!(greatest >> shift < 1 << DIGIT_BITS);
            assert!(shift == 0 || greatest >> (shift - 1) >= 1 << DIGIT_BITS);
        }
    }
}
