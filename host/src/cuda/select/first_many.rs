//! The first elements in an order, if they are too many for one block to sort: compacted with few others, and sorted as
//! pairs.

use gpu_kernels::sort::shapes::codes;

use crate::cuda::Cuda;
use crate::cuda::executor::Executor;
use crate::cuda::launch::{Digit, Items, Keys, Memory, Pairs, Rooms, SortKeys, Stretch, position_bytes};
use crate::cuda::select::candidates::{HEAD, most, shift_of};
use crate::cuda::select::first::{First, Form};
use crate::cuda::sort::plan::{Beside, SortPlan, Sorted};
use crate::error::Error;

/// Number of unwanted elements that may be sorted with the wanted ones. To exclude them would take another pass over
/// all elements, and a wait of the host. To be measured: 2^14 and 2^18.
const MORE: u64 = 1 << 16;

/// The reciprocal of the share of all elements that may be unwanted, if that is more than [`MORE`]. To compact, pack
/// and sort that share takes about as long as another pass, by what each took alone (docs/tuning/gpu.md). To be
/// measured: 64 and 256.
const MORE_OF: u64 = 128;

impl Executor {
    /// Finds the first `k`, at least 1 and at most all: turns those up to a bound into pairs that compare as numbers,
    /// and sorts these.
    pub(crate) fn first_many(&self, cuda: &Cuda, keys: Keys<'_>, k: u64) -> Result<First, Error> {
        let (stretch, count) = self.bounded(cuda, keys, k)?;
        let mut rooms = Rooms::default();
        let [indices, ranks] = [rooms.add(count, 8), rooms.add(count, 8)];
        // Whether a rank and an index have 32 bits each.
        let is_short = keys.items.bytes <= 4 && position_bytes(keys.len) == 4;
        let form = if is_short { Form::Halves(indices) } else { Form::IndexRank };
        let bytes = form.words() as usize * 8;
        let found = rooms.add(count.saturating_mul(form.words()).saturating_add(HEAD), 8);
        let packed = rooms.add(count, bytes);
        // The plan needs only which results are wanted.
        let result = |region| Sorted { elements: Some(region), beside: Beside::Nothing };
        let plan = SortPlan::new(&mut rooms, (count, bytes), result(keys.items.region));
        let memory = Memory::scratch(self.queue(), rooms.bytes())?;
        let whole = memory.whole();

        let region = found.of(whole)?;
        self.queue().fill(region.part(0, HEAD, 8)?, 0)?;
        let pairs = Pairs {
            ranks: ranks.of(whole)?,
            indices: Some(indices.of(whole)?),
            room: count,
            count: region.part(0, 1, 8)?,
        };
        self.filter(cuda, keys, stretch, pairs)?;
        let (region, packed) = (region.part(HEAD, count.saturating_mul(form.words()), 8)?, packed.of(whole)?);
        let (len, apart) = (count as usize, (ranks.first() - indices.first()).cast_signed());
        if is_short {
            let axes = [(len, 2), (2, apart / 4)];
            self.enqueue_pack_of::<u32>(cuda, &memory, indices.first() / 4, &axes, packed)?;
        } else {
            let axes = [(len, 1), (2, apart / 8)];
            self.enqueue_pack_of::<u64>(cuda, &memory, indices.first() / 8, &axes, packed)?;
        }
        let keys = SortKeys { items: Items { region: packed, bytes }, len: count, coding: codes::UNSIGNED };
        self.sort_planned(cuda, keys, result(region), (&plan, whole))?;
        Ok(First { found, k, expected: count..=count, form, memory })
    }

    /// Returns a range of the order with the first `k` and few others, and its number of elements. Waits for each
    /// digit.
    fn bounded(&self, cuda: &Cuda, keys: Keys<'_>, k: u64) -> Result<(Stretch<'static>, u64), Error> {
        let few = k.saturating_add(MORE.max(keys.len / MORE_OF));
        // There are `count` elements with ranks from `least` to `last`, after `before` others.
        let (mut least, mut last, mut before, mut count) = (0, most(keys), 0, keys.len);
        while before + count > few {
            if least == last {
                let (limit, count) = self.bounded_by_index(cuda, keys, least, (k - before, few - before))?;
                return Ok((Stretch::Known(0, least, limit), before + count));
            }
            let shift = shift_of(last - least);
            let counts = self.counts(cuda, keys, (least, last), Digit::OfRank(shift))?;
            let (digit, less, of_digit) = digit_at(&counts, k - 1 - before).ok_or(Error::NoResult)?;
            (before, count) = (before + less, of_digit);
            least += digit << shift;
            last = last.min(least.saturating_add((1 << shift) - 1));
        }
        Ok((Stretch::Known(0, last, u64::MAX), before + count))
    }

    /// Returns an index up to which at least `wanted` and at most `few` elements have this rank, and their number.
    /// More than `few` elements have this rank in all.
    fn bounded_by_index(
        &self,
        cuda: &Cuda,
        keys: Keys<'_>,
        rank: u64,
        (wanted, few): (u64, u64),
    ) -> Result<(u64, u64), Error> {
        let (mut first, mut end, mut before, mut count) = (0, keys.len, 0, keys.len);
        while before + count > few {
            let len = end - first;
            let region = keys.items.region.part(first, len, keys.items.bytes)?;
            let part = Keys { items: Items { region, ..keys.items }, len, ..keys };
            let shift = shift_of(len - 1);
            let counts = self.counts(cuda, part, (rank, rank), Digit::OfIndex(shift))?;
            let (digit, less, of_digit) = digit_at(&counts, wanted - 1 - before).ok_or(Error::NoResult)?;
            (before, count) = (before + less, of_digit);
            first += digit << shift;
            end = end.min(first.saturating_add(1 << shift));
        }
        Ok((end - 1, before + count))
    }
}

/// Returns the digit of the element at `position`, the number of elements with lower digits, and the number with the same
/// digit.
fn digit_at(counts: &[u64], position: u64) -> Option<(u64, u64, u64)> {
    let mut before = 0;
    for (&count, digit) in counts.iter().zip(0_u64..) {
        if position - before < count {
            return Some((digit, before, count));
        }
        before += count;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_has_a_digit() {
        let counts = [0, 3, 0, 2];
        let found = [0, 2, 3, 4, 5].map(|position| digit_at(&counts, position));
        let (one, three) = (Some((1, 0, 3)), Some((3, 3, 2)));
        assert_eq!(found, [one, one, three, three, None]);
    }
}
