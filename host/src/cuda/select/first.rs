//! The first elements in an order. A few are found in one pass; all are copied to arrays.

use std::ops::RangeInclusive;
use std::sync::Arc;

use gpu_kernels::Element;
use gpu_kernels::select::shapes::{LEAST_SAMPLED, MOST_SORTED, Sample};

use crate::cuda::Cuda;
use crate::cuda::executor::Executor;
use crate::cuda::launch::{
    Input, Items, Keys, Memory, Pairs, Picked, Region, Room, Rooms, Stretch, sorted_len,
};
use crate::cuda::select::candidates::{HEAD, bits_of, most};
use crate::error::Error;

/// The first pairs of rank and index in order, on the device, after a head of two words. The first of these has the
/// number of pairs collected.
pub(crate) struct First {
    pub(crate) memory: Arc<Memory>,
    pub(crate) found: Room,
    /// Number of pairs wanted.
    pub(crate) k: u64,
    /// Numbers of collected pairs for which the pairs are valid.
    pub(crate) expected: RangeInclusive<u64>,
    pub(crate) form: Form,
}

/// The representation of a pair.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Form {
    /// Two words: rank and index.
    RankIndex,
    /// Two words: index and rank, which form a 128-bit number that compares like the pair.
    IndexRank,
    /// One word, with the rank in its upper half and the index in its lower half. The room has as many words whose
    /// upper halves are 0.
    Halves(Room),
}

impl Form {
    /// Returns the number of words of a pair.
    pub(crate) fn words(self) -> u64 {
        if matches!(self, Self::Halves(_)) { 1 } else { 2 }
    }
}

impl First {
    /// Copies these elements of `x` and their indices, of 8 bytes each, to memory of their own, and waits. Returns
    /// `None` if the pairs are not valid.
    fn arrays<T: Element>(
        &self,
        executor: &Executor,
        cuda: &Cuda,
        x: Input<'_, T>,
    ) -> Result<Option<[Arc<Memory>; 2]>, Error> {
        // A search for a few pairs may have failed; then there are no indices to go by.
        if matches!(self.form, Form::RankIndex) && !self.is_found(executor)? {
            return Ok(None);
        }
        let k = self.k as usize;
        let [values, indices] = [executor.allocate(k, size_of::<T>())?, executor.allocate(k, 8)?];
        let enqueued = self.enqueue_indices(executor, cuda, indices.whole()).and_then(|()| {
            let positions = Items { region: indices.whole(), bytes: 8 };
            executor.enqueue_gather(cuda, (x.items(), x.len()), (positions, self.k), values.whole())
        });
        // Waits before it reports an error.
        let is_found = self.is_found(executor);
        enqueued?;
        Ok(is_found?.then_some([values, indices]))
    }

    /// Enqueues the launch that writes the indices to `out`.
    fn enqueue_indices(&self, executor: &Executor, cuda: &Cuda, out: Region<'_>) -> Result<(), Error> {
        let (first, k) = (self.found.first() / 8 + HEAD as usize, self.k as usize);
        match self.form {
            Form::RankIndex => executor.enqueue_pack_of::<u64>(cuda, &self.memory, first + 1, &[(k, 2)], out),
            Form::IndexRank => executor.enqueue_pack_of::<u64>(cuda, &self.memory, first, &[(k, 2)], out),
            Form::Halves(zeros) => {
                // The lower half of this word, and the upper half of the word in `zeros`.
                let (first, upper) = (2 * first, zeros.first() / 4 + 1);
                let axes = [(k, 2), (2, upper.wrapping_sub(first).cast_signed())];
                executor.enqueue_pack_of::<u32>(cuda, &self.memory, first, &axes, out)
            }
        }
    }

    /// Waits, and returns whether the number of collected pairs is as expected.
    fn is_found(&self, executor: &Executor) -> Result<bool, Error> {
        let count = self.region()?.download::<u64>(executor.queue(), 1)?;
        Ok(count.first().is_some_and(|count| self.expected.contains(count)))
    }

    fn region(&self) -> Result<Region<'_>, Error> {
        self.found.of(self.memory.whole())
    }
}

impl Executor {
    /// Returns the first `k` elements, at least 1 and at most all, and their indices. Waits for them.
    pub(crate) fn first<T: Element>(
        &self,
        cuda: &Cuda,
        keys: Keys<'_>,
        k: usize,
        x: Input<'_, T>,
    ) -> Result<[Arc<Memory>; 2], Error> {
        self.queue().context().usable()?;
        self.queue().make_room()?;
        if k <= MOST_SORTED
            && let Some(found) = self.first_few(cuda, keys, k)?.arrays(self, cuda, x)?
        {
            return Ok(found);
        }
        self.first_many(cuda, keys, k as u64)?.arrays(self, cuda, x)?.ok_or(Error::NoResult)
    }

    /// Finds the first few in one pass. The result is not valid if there was no room for all elements up to the bound
    /// that a sample gave.
    fn first_few(&self, cuda: &Cuda, keys: Keys<'_>, k: usize) -> Result<First, Error> {
        let (queue, kernels, bits) = (self.queue(), cuda.kernels(), bits_of(keys));
        let sample = (keys.len >= LEAST_SAMPLED).then(|| Sample::new(keys.len, keys.items.bytes, k));
        let room = sample.map_or(keys.len, |sample| sample.room);
        let groups = sample.map_or(0, |sample| sample.groups);
        let mut rooms = Rooms::default();
        let [count, ranks, indices, first_ranks, first_indices, bounds, found] =
            [1, room, room, groups, groups, 4, sorted_len(k)].map(|len| rooms.add(len, 8));
        let memory = Memory::scratch(queue, rooms.bytes())?;
        let whole = memory.whole();
        let (count, indices) = (count.of(whole)?, Some(indices.of(whole)?));
        let mut pairs = Pairs { ranks: ranks.of(whole)?, indices, room, count };

        let mut stretch = Stretch::Known(0, most(keys), u64::MAX);
        if let Some(sample) = sample {
            let (ranks, indices) = (first_ranks.of(whole)?, first_indices.of(whole)?);
            queue.sample(kernels, keys, sample, (ranks, indices))?;
            let firsts = Pairs { ranks, indices: Some(indices), room: groups, count };
            let bounds = bounds.of(whole)?;
            queue.pick(kernels, (firsts, false), k, (bits, keys.len), Picked::Bounds(bounds))?;
            stretch = Stretch::Found(bounds);
            // This word is 0 by then.
            pairs.count = bounds.part(3, 1, 8)?;
        } else {
            queue.fill(count, 0)?;
        }
        self.filter(cuda, keys, stretch, pairs)?;
        queue.pick(kernels, (pairs, true), k, (bits, keys.len), Picked::Sorted(found.of(whole)?))?;
        let k = k as u64;
        Ok(First { memory, found, k, expected: k..=room, form: Form::RankIndex })
    }
}
