//! Elements by their position in an order, found on the device.

use crate::cuda::Cuda;
use crate::cuda::executor::Executor;
use crate::cuda::launch::{Digit, Keys};
use crate::cuda::select::candidates::shift_of;
use crate::error::Error;
use crate::memory;

/// Most ranks that are sorted on the host. To be measured: 2^10 and 2^16.
const FEW: u64 = 1 << 13;

/// The reciprocal of a share of the elements. A larger share is counted in another pass over all elements, which takes
/// less time than compacting it. To compact one in 16 takes three times as long (docs/tuning/gpu.md).
const RARE: u64 = 2048;

impl Executor {
    /// Returns the ranks at `positions`, which ascend and are less than the number of elements, or `None` unless all ranks
    /// are from `least` to `most`.
    pub(crate) fn at_positions(
        &self,
        cuda: &Cuda,
        keys: Keys<'_>,
        (least, most): (u64, u64),
        positions: &[u64],
    ) -> Result<Option<Vec<u64>>, Error> {
        self.queue().context().usable()?;
        self.queue().make_room()?;
        let mut found = memory::with_room(positions.len())?;
        if keys.len <= FEW {
            let ranks = self.ranks(cuda, keys, (least, most), keys.len)?;
            if (ranks.len() as u64) < keys.len {
                return Ok(None);
            }
            few(&ranks, positions, 0, &mut found);
            return Ok(Some(found));
        }
        let shift = shift_of(most - least);
        let counts = self.counts(cuda, keys, (least, most), Digit::OfRank(shift))?;
        if counts.iter().sum::<u64>() != keys.len {
            return Ok(None);
        }
        self.narrow(cuda, keys, (least, most), &counts, (positions, 0), &mut found)?;
        Ok(Some(found))
    }

    /// Adds the ranks at `positions` to `found`. The elements with ranks from `least` to `most` begin at position `before`,
    /// and `counts` has their numbers by digit.
    fn narrow(
        &self,
        cuda: &Cuda,
        keys: Keys<'_>,
        (least, most): (u64, u64),
        counts: &[u64],
        (mut positions, mut before): (&[u64], u64),
        found: &mut Vec<u64>,
    ) -> Result<(), Error> {
        let shift = shift_of(most - least);
        for (&count, digit) in counts.iter().zip(0_u64..) {
            let (here, behind) =
                positions.split_at(positions.partition_point(|&position| position - before < count));
            positions = behind;
            let first = least + (digit << shift);
            if !here.is_empty() {
                let last = most.min(first.saturating_add((1 << shift) - 1));
                if first == last {
                    found.extend(here.iter().map(|_| first));
                } else if count <= FEW {
                    few(&self.ranks(cuda, keys, (first, last), count)?, here, before, found);
                } else {
                    let digit = Digit::OfRank(shift_of(last - first));
                    if count > keys.len / RARE {
                        let counts = self.counts(cuda, keys, (first, last), digit)?;
                        self.narrow(cuda, keys, (first, last), &counts, (here, before), found)?;
                    } else {
                        let candidates = self.candidates(cuda, keys, (first, last), count)?;
                        let keys = candidates.keys()?;
                        let counts = self.counts(cuda, keys, (first, last), digit)?;
                        self.narrow(cuda, keys, (first, last), &counts, (here, before), found)?;
                    }
                }
            }
            before += count;
            if positions.is_empty() {
                break;
            }
        }
        Ok(())
    }
}

/// Adds the ranks at `positions` to `found`. `ranks` are in order, and begin at position `before`.
fn few(ranks: &[u64], positions: &[u64], before: u64, found: &mut Vec<u64>) {
    found.extend(positions.iter().filter_map(|&position| ranks.get((position - before) as usize)));
}
