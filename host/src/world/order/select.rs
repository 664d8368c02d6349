//! The ranks of the elements that would be at given positions if the parts of all ranks were sorted.
//!
//! Works digit by digit from the highest: among the elements that agree with the known digits, all ranks count how
//! many have each next digit. The counts determine the digit at each position. Once few elements remain, they are
//! sent to all ranks.
//!
//! Knuth, *The Art of Computer Programming*, vol. 3, section 5.2.2 (radix exchange), where only parts with a requested
//! position are entered.

use gpu_kernels::Rank;

use crate::error::Error;
use crate::memory;
use crate::world::exchange::garbled;
use crate::world::{Communicator, World};

/// Most remaining elements of all ranks that are sent instead of counted.
const FEW: u64 = 1 << 12;

/// The known digits of ranks, and the next digit to find.
pub(super) struct Digit<'a, K> {
    /// The known digits of each kind of ranks, ascending; all other digits are 0.
    pub(super) known: &'a [K],
    /// The lowest bit of the next digit.
    pub(super) shift: u32,
    /// Bits of a digit.
    pub(super) bits: u32,
}

impl<K: Rank> Digit<'_, K> {
    /// Returns whether no digit is known yet.
    pub(super) fn is_first(&self) -> bool {
        self.shift + self.bits == K::BITS
    }

    /// Returns the kind with whose known digits a rank agrees.
    #[inline(always)]
    pub(super) fn kind(&self, rank: K) -> Option<usize> {
        let kind = self.known.partition_point(|&known| known <= rank).checked_sub(1)?;
        (rank.distance_from(self.known[kind]) <= self.most_unknown()).then_some(kind)
    }

    /// Returns the greatest number that the unknown digits can form.
    pub(super) fn most_unknown(&self) -> K {
        from_number(u128::MAX >> (u128::BITS - self.shift - self.bits))
    }

    /// Returns the least rank of a kind with this next digit.
    pub(super) fn least(&self, kind: usize, digit: usize) -> K {
        from_number(number(self.known[kind]) | (digit as u128) << self.shift)
    }

    /// Returns the number of different digits.
    pub(super) fn digits(&self) -> usize {
        1 << self.bits
    }
}

/// A part whose elements are counted by their ranks.
pub(super) trait Counted<K: Rank> {
    /// Counts its elements of each kind with each next digit.
    fn count(&mut self, digit: &Digit<'_, K>) -> Result<Vec<u64>, Error>;

    /// Returns the ranks of its elements of all kinds, in any order.
    fn of_kinds(&mut self, digit: &Digit<'_, K>) -> Result<Vec<K>, Error>;
}

impl<C: Communicator> World<C> {
    /// Returns the rank at each position, and how many elements of the same rank are before that position. Positions
    /// ascend, and are less than `total`, the number of all elements. A digit has `bits` bits.
    pub(super) fn ranks_at<K: Rank>(
        &self,
        positions: &[u64],
        total: u64,
        bits: u32,
        mut part: impl Counted<K>,
    ) -> Result<Vec<(K, u64)>, Error> {
        let mut found: Vec<(K, u64)> =
            memory::collected(positions.iter().map(|&position| (K::zeroed(), position)))?;
        let mut left = total;
        if found.is_empty() {
            return Ok(found);
        }
        for shift in (0..K::BITS).step_by(bits as usize).rev() {
            let mut known: Vec<K> = memory::collected(found.iter().map(|&(known, _)| known))?;
            known.dedup();
            let digit = Digit { known: &known, shift, bits };
            if left <= FEW {
                return self.ranks_among(found, &part.of_kinds(&digit)?, left);
            }
            let sums = self.sum_counts(&part.count(&digit)?)?;
            left = 0;
            let mut last = None;
            for (rank, position) in &mut found {
                let kind = known.partition_point(|known| known < rank);
                let of_kind = &sums[kind * digit.digits()..][..digit.digits()];
                let mut next = 0;
                while next + 1 < of_kind.len() && *position >= of_kind[next] {
                    *position -= of_kind[next];
                    next += 1;
                }
                *rank = digit.least(kind, next);
                if last != Some((kind, next)) {
                    left = left.saturating_add(of_kind[next]);
                }
                last = Some((kind, next));
            }
        }
        Ok(found)
    }

    /// Adds up the counts of all ranks. Most counts are 0 once some digits are known. So only the others are sent,
    /// each with its index.
    fn sum_counts(&self, own: &[u64]) -> Result<Vec<u64>, Error> {
        let there = || own.iter().zip(0_u64..).filter(|&(&count, _)| count > 0);
        let sent = there().flat_map(|(&count, at)| [at, count]);
        let sent: Vec<u64> = memory::collected(sent)?;
        let mut sums = memory::zeroed::<u64>(own.len())?;
        for (rank, sent) in self.gather_any::<u64>(&sent)?.iter().enumerate() {
            let (counts, []) = sent.as_chunks::<2>() else { return Err(garbled(rank)) };
            for &[at, count] in counts {
                let sum = usize::try_from(at).ok().and_then(|at| sums.get_mut(at));
                let sum = sum.ok_or_else(|| garbled(rank))?;
                *sum = sum.checked_add(count).ok_or_else(|| garbled(rank))?;
            }
        }
        Ok(sums)
    }

    /// Finds the rank at each position among all `left` remaining elements. A position is counted among the elements
    /// that agree with its known digits.
    fn ranks_among<K: Rank>(
        &self,
        mut found: Vec<(K, u64)>,
        own: &[K],
        left: u64,
    ) -> Result<Vec<(K, u64)>, Error> {
        let mut all = memory::joined(&self.gather_any::<K>(own)?)?;
        if all.len() as u64 != left {
            return Err(garbled(self.rank()));
        }
        all.sort_unstable();
        let before = |rank: K| all.partition_point(|&other| other < rank) as u64;
        for (known, position) in &mut found {
            let at = before(*known).saturating_add(*position);
            let rank = usize::try_from(at).ok().and_then(|at| all.get(at));
            *known = *rank.ok_or_else(|| garbled(self.rank()))?;
            *position = at - before(*known);
        }
        Ok(found)
    }
}

/// Converts a rank to a number.
fn number<K: Rank>(rank: K) -> u128 {
    (0..K::BITS).step_by(32).fold(0, |number, shift| number | u128::from(rank.digit(shift, 32)) << shift)
}

/// Converts a number with all bits of a rank to the rank.
fn from_number<K: Rank>(number: u128) -> K {
    let mut rank = K::zeroed();
    let number = number.to_le_bytes();
    let bytes = bytemuck::bytes_of_mut(&mut rank);
    bytes.copy_from_slice(&number[..bytes.len()]);
    if cfg!(target_endian = "big") {
        bytes.reverse();
    }
    rank
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_numbers() {
        assert_eq!((number(200_u8), from_number::<u8>(200)), (200, 200));
        assert_eq!((number(u64::MAX - 5), from_number::<u64>(7 << 40)), (u128::from(u64::MAX) - 5, 7 << 40));
        assert_eq!(
            (number(u128::MAX / 3), from_number::<u128>(u128::MAX / 3)),
            (u128::MAX / 3, u128::MAX / 3)
        );
    }

    #[test]
    fn ranks_of_a_kind_agree_in_the_known_digits() {
        let digit = Digit { known: &[0x1100_u16, 0x2200], shift: 4, bits: 4 };
        let kinds = [0x10ff, 0x1100, 0x11ff, 0x1200, 0x2205, 0xffff].map(|rank| digit.kind(rank));
        assert_eq!(kinds, [None, Some(0), Some(0), None, Some(1), None]);
        assert_eq!((digit.most_unknown(), digit.least(1, 0xf)), (0xff, 0x22f0));
        let first = Digit { known: &[0_u128], shift: 120, bits: 8 };
        assert!(first.is_first() && first.most_unknown() == u128::MAX && first.kind(u128::MAX) == Some(0));
    }
}
