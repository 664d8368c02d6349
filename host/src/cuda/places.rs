//! The first elements in an order, and elements by their place in it, found on the device.

use std::ops::Range;
use std::sync::Arc;

use gpu_kernels::moves::select::shape::{
    DIGIT_BITS, DIGITS, DIGITS_BLOCKS, FILTER_BLOCKS, LEAST_SAMPLED, MOST_SORTED, Sample,
};

use super::Cuda;
use super::driver::{Digit, Items, Keys, Memory, Pairs, Picked, Room, Rooms, Stretch, sorted_len};
use super::lane::Lane;
use crate::error::Error;
use crate::{Cpu, Order};

/// So few ranks are sorted on the host. To be measured: 2^10 and 2^16.
const FEW: u64 = 1 << 13;

/// Of a larger part of the elements than one in so many it takes less time to look at all again than to bring them together.
/// [H200, 2^28 f32: to count takes 255 us, to bring one in 16 together 785, and few 245.]
const RARE: u64 = 2048;

/// What is found at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// The rank of the element there.
    pub(super) rank: u64,
    /// How many ranks are less.
    before: u64,
    /// How many are equal.
    count: u64,
}

/// Candidates in memory of their own: their number and the pairs.
struct Candidates {
    memory: Arc<Memory>,
    count: Room,
    ranks: Room,
    indices: Option<Room>,
    room: u64,
}

impl Candidates {
    /// Adds their rooms to what else is in the memory.
    fn rooms(rooms: &mut Rooms, room: u64, has_indices: bool) -> (Room, Room, Option<Room>) {
        (rooms.add(1, 8), rooms.add(room, 8), has_indices.then(|| rooms.add(room, 8)))
    }

    /// For launches.
    fn pairs(&self) -> Result<Pairs<'_>, Error> {
        let whole = self.memory.whole();
        let indices = self.indices.map(|indices| indices.of(whole)).transpose()?;
        let (ranks, count) = (self.ranks.of(whole)?, self.count.of(whole)?);
        Ok(Pairs { ranks, indices, room: self.room, count })
    }

    /// The ranks as elements that are ranked as they are.
    fn keys(&self) -> Result<Keys<'_>, Error> {
        let items = Items { region: self.ranks.of(self.memory.whole())?, bytes: 8 };
        Ok(Keys { items, len: self.room, signed: 0, all: 0 })
    }
}

impl Lane {
    /// The first `k` pairs of a rank and an index in their order; `k` is at least 1 and at most the number of elements.
    pub(super) fn first(&self, cuda: &Cuda, keys: Keys<'_>, k: usize) -> Result<Vec<(u64, u64)>, Error> {
        self.queue().context().usable()?;
        self.queue().make_room()?;
        if k <= MOST_SORTED
            && let Some(found) = self.first_few(cuda, keys, k)?
        {
            return Ok(found);
        }
        self.first_many(cuda, keys, k)
    }

    /// The first few by one look, or `None` if there was no room for those that are not behind what a sample says.
    fn first_few(&self, cuda: &Cuda, keys: Keys<'_>, k: usize) -> Result<Option<Vec<(u64, u64)>>, Error> {
        let (queue, kernels) = (self.queue(), cuda.kernels());
        let (bits, blocks) = (bits_of(keys), cuda.multiprocessors().saturating_mul(FILTER_BLOCKS));
        let sample = (keys.len >= LEAST_SAMPLED).then(|| Sample::new(keys.len, keys.items.bytes, k));
        let room = sample.map_or(keys.len, |sample| sample.room);
        let groups = sample.map_or(0, |sample| sample.groups);
        let mut rooms = Rooms::default();
        let (count, ranks, indices) = Candidates::rooms(&mut rooms, room, true);
        let [first_ranks, first_indices, bounds, sorted] =
            [groups, groups, 4, sorted_len(k)].map(|len| rooms.add(len, 8));
        let memory = Arc::new(Memory::scratch(queue.context(), rooms.bytes())?);
        let candidates = Candidates { memory, count, ranks, indices, room };
        let (whole, mut pairs) = (candidates.memory.whole(), candidates.pairs()?);

        let mut stretch = Stretch::Known(0, most(keys), u64::MAX);
        if let Some(sample) = sample {
            let (ranks, indices) = (first_ranks.of(whole)?, first_indices.of(whole)?);
            queue.sample(kernels, keys, sample, (ranks, indices))?;
            let firsts = Pairs { ranks, indices: Some(indices), room: groups, count: pairs.count };
            let bounds = bounds.of(whole)?;
            queue.pick(kernels, (firsts, false), k, (bits, keys.len), Picked::Bounds(bounds))?;
            stretch = Stretch::Found(bounds);
            // Which is 0 by then.
            pairs.count = bounds.part(3, 1, 8)?;
        } else {
            queue.fill(pairs.count, 0)?;
        }
        queue.filter(kernels, keys, stretch, pairs, blocks)?;
        let sorted = sorted.of(whole)?;
        queue.pick(kernels, (pairs, true), k, (bits, keys.len), Picked::Sorted(sorted))?;
        let found = sorted.download::<u64>(queue, sorted_len(k) as usize)?;
        Ok(match found.split_at_checked(2) {
            Some(([count, _], found)) if (k as u64..=room).contains(count) => {
                Some(found.as_chunks::<2>().0.iter().map(|&[rank, index]| (rank, index)).collect())
            }
            _ => None,
        })
    }

    /// The first of any number: by the `k`-th, which is found digit by digit, and sorted on the host.
    fn first_many(&self, cuda: &Cuda, keys: Keys<'_>, k: usize) -> Result<Vec<(u64, u64)>, Error> {
        let found = self.at_places(cuda, keys, (0, most(keys)), &[k as u64 - 1])?;
        let Some(&[Place { rank, before, count }]) = found.as_deref().and_then(|found| found.first_chunk())
        else {
            return Err(Error::NoResult);
        };
        let wanted = k as u64 - before;
        let limit = if wanted == count { u64::MAX } else { self.index_of(cuda, keys, rank, wanted)? };
        let candidates = self.candidates(cuda, keys, Stretch::Known(0, rank, limit), k as u64, true)?;
        let Pairs { ranks, indices: Some(indices), count, .. } = candidates.pairs()? else {
            return Err(Error::NoResult);
        };
        if count.download::<u64>(self.queue(), 1)? != [k as u64] {
            return Err(Error::NoResult);
        }
        let (mut ranks, mut indices) =
            (ranks.download::<u64>(self.queue(), k)?, indices.download::<u64>(self.queue(), k)?);
        Cpu::new().sort_pairs(&mut ranks, &mut indices, Order::Ascending)?;
        // They came in any order, so those of equal ranks have theirs yet to come.
        let mut start = 0;
        for run in ranks.chunk_by(|a, b| a == b) {
            let end = start + run.len();
            if let Some(of_run) = indices.get_mut(start..end) {
                of_run.sort_unstable();
            }
            start = end;
        }
        Ok(ranks.into_iter().zip(indices).collect())
    }

    /// What is at `places`, which ascend and are less than the number of elements, if all ranks are from `least` to `most`;
    /// otherwise `None`.
    pub(super) fn at_places(
        &self,
        cuda: &Cuda,
        keys: Keys<'_>,
        (least, most): (u64, u64),
        places: &[u64],
    ) -> Result<Option<Vec<Place>>, Error> {
        self.queue().context().usable()?;
        self.queue().make_room()?;
        let mut found = Vec::with_capacity(places.len());
        if keys.len <= FEW {
            let ranks = self.ranks(cuda, keys, (least, most), keys.len)?;
            if (ranks.len() as u64) < keys.len {
                return Ok(None);
            }
            few(&ranks, places, 0, &mut found);
            return Ok(Some(found));
        }
        let shift = shift_of(most - least);
        let counts = self.counts(cuda, keys, (least, most), Digit::OfRank(shift))?;
        if counts.iter().sum::<u64>() != keys.len {
            return Ok(None);
        }
        self.narrow(cuda, keys, (least, most), &counts, (places, 0), &mut found)?;
        Ok(Some(found))
    }

    /// Adds what is at `places` to `found`. Of the elements, those with ranks from `least` to `most` stand from place `before`
    /// on, and `counts` has how many of them have each digit.
    fn narrow(
        &self,
        cuda: &Cuda,
        keys: Keys<'_>,
        (least, most): (u64, u64),
        counts: &[u64],
        (mut places, mut before): (&[u64], u64),
        found: &mut Vec<Place>,
    ) -> Result<(), Error> {
        let shift = shift_of(most - least);
        for (&count, digit) in counts.iter().zip(0_u64..) {
            let (here, behind) = places.split_at(places.partition_point(|&place| place - before < count));
            places = behind;
            let first = least + (digit << shift);
            if !here.is_empty() {
                let last = most.min(first.saturating_add((1 << shift) - 1));
                if first == last {
                    found.extend(here.iter().map(|_| Place { rank: first, before, count }));
                } else if count <= FEW {
                    few(&self.ranks(cuda, keys, (first, last), count)?, here, before, found);
                } else {
                    let digit = Digit::OfRank(shift_of(last - first));
                    if count > keys.len / RARE {
                        let counts = self.counts(cuda, keys, (first, last), digit)?;
                        self.narrow(cuda, keys, (first, last), &counts, (here, before), found)?;
                    } else {
                        let stretch = Stretch::Known(first, last, u64::MAX);
                        let candidates = self.candidates(cuda, keys, stretch, count, false)?;
                        let keys = candidates.keys()?;
                        let counts = self.counts(cuda, keys, (first, last), digit)?;
                        self.narrow(cuda, keys, (first, last), &counts, (here, before), found)?;
                    }
                }
            }
            before += count;
            if places.is_empty() {
                break;
            }
        }
        Ok(())
    }

    /// The index of the `wanted`-th element with this rank, of which there are as many.
    fn index_of(&self, cuda: &Cuda, keys: Keys<'_>, rank: u64, mut wanted: u64) -> Result<u64, Error> {
        let mut range: Range<u64> = 0..keys.len;
        while range.end - range.start > 1 {
            let len = range.end - range.start;
            let region = keys.items.region.part(range.start, len, keys.items.bytes)?;
            let part = Keys { items: Items { region, ..keys.items }, len, ..keys };
            let shift = shift_of(len - 1);
            let counts = self.counts(cuda, part, (rank, rank), Digit::OfIndex(shift))?;
            let mut digit = 0;
            for &count in &counts {
                if wanted <= count {
                    break;
                }
                wanted -= count;
                digit += 1;
            }
            let start = range.start + (digit << shift);
            if start >= range.end {
                return Err(Error::NoResult);
            }
            range = start..range.end.min(start + (1 << shift));
        }
        Ok(range.start)
    }

    /// How many elements with ranks from one to another have each digit. Waits.
    fn counts(
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
        sums.download::<u64>(self.queue(), DIGITS)
    }

    /// The elements within a stretch, for as many as there is room.
    fn candidates(
        &self,
        cuda: &Cuda,
        keys: Keys<'_>,
        stretch: Stretch<'_>,
        room: u64,
        has_indices: bool,
    ) -> Result<Candidates, Error> {
        let mut rooms = Rooms::default();
        let (count, ranks, indices) = Candidates::rooms(&mut rooms, room, has_indices);
        let memory = Arc::new(Memory::scratch(self.queue().context(), rooms.bytes())?);
        let candidates = Candidates { memory, count, ranks, indices, room };
        let pairs = candidates.pairs()?;
        self.queue().fill(pairs.count, 0)?;
        let blocks = cuda.multiprocessors().saturating_mul(FILTER_BLOCKS);
        self.queue().filter(cuda.kernels(), keys, stretch, pairs, blocks)?;
        Ok(candidates)
    }

    /// The ranks from one to another, of which there are at most `room`, in order. Waits.
    fn ranks(
        &self,
        cuda: &Cuda,
        keys: Keys<'_>,
        (least, most): (u64, u64),
        room: u64,
    ) -> Result<Vec<u64>, Error> {
        let stretch = Stretch::Known(least, most, u64::MAX);
        let candidates = self.candidates(cuda, keys, stretch, room, false)?;
        let pairs = candidates.pairs()?;
        let count = pairs.count.download::<u64>(self.queue(), 1)?.first().copied().unwrap_or(0).min(room);
        let mut ranks = pairs.ranks.download::<u64>(self.queue(), count as usize)?;
        ranks.sort_unstable();
        Ok(ranks)
    }
}

/// Adds what is at `places` to `found`: `ranks` are in order, and stand from place `before` on.
fn few(ranks: &[u64], places: &[u64], before: u64, found: &mut Vec<Place>) {
    found.extend(places.iter().filter_map(|&place| {
        let rank = *ranks.get((place - before) as usize)?;
        let less = ranks.partition_point(|&other| other < rank);
        let count = ranks.partition_point(|&other| other <= rank) - less;
        Some(Place { rank, before: before + less as u64, count: count as u64 })
    }));
}

/// Bits of a rank.
fn bits_of(keys: Keys<'_>) -> u32 {
    8 * keys.items.bytes as u32
}

/// The greatest rank.
fn most(keys: Keys<'_>) -> u64 {
    u64::MAX >> (64_u32.saturating_sub(bits_of(keys)))
}

/// Where the highest digit of numbers up to this one begins.
fn shift_of(greatest: u64) -> u32 {
    (u64::BITS - greatest.leading_zeros()).saturating_sub(DIGIT_BITS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_ranks_have_their_places() {
        let mut found = Vec::new();
        few(&[3, 3, 5, 9, 9, 9], &[100, 101, 102, 105], 100, &mut found);
        let place = |rank, before, count| Place { rank, before, count };
        assert_eq!(found, [place(3, 100, 2), place(3, 100, 2), place(5, 102, 1), place(9, 103, 3)]);
    }

    #[test]
    fn digits_are_the_highest_bits() {
        for greatest in [0, 1, 2047, 2048, 4095, 1 << 32, u64::MAX] {
            let shift = shift_of(greatest);
            assert!(greatest >> shift < 1 << DIGIT_BITS);
            assert!(shift == 0 || greatest >> (shift - 1) >= 1 << DIGIT_BITS);
        }
    }
}
