//! Long integers in memory: what states do with a total besides adding elements.

use core::fmt::Debug;
use core::hash::Hash;

use super::counts::Way;
use crate::total::ExactTotal;

/// Most words of a magnitude that is added: the square of an integer of 128 bits, times a weight.
pub(super) const MAGNITUDE: usize = 10;

/// A long integer in two's complement, the lowest word first. It wraps, so that it forms a group.
#[allow(unreachable_pub, reason = "a public trait's type has it; compilers before 1.95 do not see that")]
pub trait Long: Copy + Debug + Eq + Hash {
    /// Zero.
    const ZERO: Self;
    /// Bytes of the integer.
    const BYTES: usize;

    /// Returns the words.
    fn words(&self) -> &[u32];
    /// Returns the words, to be changed.
    fn words_mut(&mut self) -> &mut [u32];

    /// Takes the flags of a total away, and returns them.
    fn take_flags(&mut self) -> u32;

    /// Adds `other`.
    #[inline]
    fn add(&mut self, other: &Self) {
        let mut carry = 0;
        for (word, &other) in self.words_mut().iter_mut().zip(other.words()) {
            let sum = u64::from(*word) + u64::from(other) + carry;
            (*word, carry) = (sum as u32, sum >> 32);
        }
    }

    /// Takes `other` away.
    #[inline]
    fn subtract(&mut self, other: &Self) {
        let mut carry = 1;
        for (word, &other) in self.words_mut().iter_mut().zip(other.words()) {
            let sum = u64::from(*word) + u64::from(!other) + carry;
            (*word, carry) = (sum as u32, sum >> 32);
        }
    }

    /// Adds `other`, or takes it away.
    #[inline]
    fn join(&mut self, other: &Self, way: Way) {
        match way {
            Way::Push => self.add(other),
            Way::Retract => self.subtract(other),
        }
    }

    /// Adds a short magnitude times 2 to the power of `place`, or takes it away. The integer has three words from the place on.
    #[inline]
    fn add_short(&mut self, magnitude: u64, place: u32, is_negative: bool) {
        let words = self.words_mut().get_mut((place / 32) as usize..).unwrap_or_default();
        let Some((low, above)) = words.split_first_chunk_mut::<3>() else { return };
        // In two's complement, so that there is no branch on the sign, which nothing predicts.
        let sign = if is_negative { u128::MAX } else { 0 };
        let moved = ((u128::from(magnitude) << (place % 32)) ^ sign).wrapping_sub(sign);
        let bottom = (u64::from(low[1]) << 32 | u64::from(low[0])).overflowing_add(moved as u64);
        let top = u64::from(low[2]) + u64::from((moved >> 64) as u32) + u64::from(bottom.1);
        *low = [bottom.0 as u32, (bottom.0 >> 32) as u32, top as u32];
        let is_carried = top >> 32 != 0;
        // Above are the sign's words. A carry out of a negative number, and none out of another, leaves them as they are. Zero has
        // no sign.
        if is_carried != is_negative && magnitude != 0 {
            carry(above, is_negative);
        }
    }

    /// Adds a magnitude times 2 to the power of `place`, or takes it away.
    #[inline]
    fn add_magnitude<const N: usize>(&mut self, magnitude: &[u32; N], place: u32, is_negative: bool) {
        let (at, shift) = ((place / 32) as usize, place % 32);
        // Subtraction adds the complement, of zeros too, and 1.
        let complement = if is_negative { u32::MAX } else { 0 };
        let mut carry = u64::from(is_negative);
        let mut below = 0;
        for (i, word) in self.words_mut().iter_mut().skip(at).enumerate() {
            let here = magnitude.get(i).copied().unwrap_or(0);
            if i > N && carry == u64::from(is_negative) {
                return;
            }
            let moved = ((u64::from(here) << 32 | u64::from(below)) << shift >> 32) as u32;
            below = here;
            let sum = u64::from(*word) + u64::from(moved ^ complement) + carry;
            (*word, carry) = (sum as u32, sum >> 32);
        }
    }
}

impl<const WORDS: usize> Long for ExactTotal<WORDS> {
    const ZERO: Self = Self::EMPTY;
    const BYTES: usize = (WORDS - 1) * 4;

    #[inline]
    fn words(&self) -> &[u32] {
        self.words()
    }

    #[inline]
    fn words_mut(&mut self) -> &mut [u32] {
        self.words_mut()
    }

    #[inline]
    fn take_flags(&mut self) -> u32 {
        self.take_seen()
    }
}

/// Adds 1, or takes it away.
#[cold]
fn carry(words: &mut [u32], is_negative: bool) {
    for word in words {
        let (sum, is_carried) = if is_negative { word.overflowing_sub(1) } else { word.overflowing_add(1) };
        *word = sum;
        if !is_carried {
            return;
        }
    }
}

/// Returns the product of some factors. It has less than 320 bits.
pub(super) fn product(factors: &[u128]) -> [u32; MAGNITUDE] {
    let mut product = [0; MAGNITUDE];
    product[0] = 1;
    for &factor in factors {
        let before = core::mem::take(&mut product);
        for j in 0..4 {
            let word = (factor >> (32 * j)) as u32;
            let mut carry = 0;
            for (to, &from) in product.iter_mut().skip(j).zip(&before) {
                let sum = u64::from(*to) + u64::from(from) * u64::from(word) + carry;
                (*to, carry) = (sum as u32, sum >> 32);
            }
        }
    }
    product
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_added_and_taken_away_leaves_nothing() {
        let magnitude = product(&[u128::MAX, u128::MAX - 1, u64::MAX.into()]);
        for place in 0..70 {
            let mut total = ExactTotal::<16>::ZERO;
            total.add_magnitude(&magnitude, place, true);
            let mut same = ExactTotal::ZERO;
            let mut positive = ExactTotal::ZERO;
            positive.add_magnitude(&magnitude, place, false);
            same.subtract(&positive);
            assert_eq!(total, same, "{place}");
            assert_ne!(total, ExactTotal::ZERO);
            Long::add(&mut total, &positive);
            assert_eq!(total, ExactTotal::ZERO, "{place}");
        }
    }

    #[test]
    fn a_short_magnitude_is_added_as_any_other() {
        let starts = [0, 1, u32::MAX].map(|word| {
            let mut start = ExactTotal::<12>::ZERO;
            start.words_mut().fill(word);
            start
        });
        for start in starts {
            for magnitude in [0, 1, 3 << 40, u64::MAX] {
                for (place, is_negative) in (0..256).flat_map(|place| [(place, false), (place, true)]) {
                    let (mut short, mut long) = (start, start);
                    short.add_short(magnitude, place, is_negative);
                    long.add_magnitude(&product(&[magnitude.into()]), place, is_negative);
                    assert_eq!(short, long, "{magnitude} at {place}, {is_negative}");
                }
            }
        }
    }

    #[test]
    fn products_are_those_of_128_bits() {
        assert_eq!(product(&[u64::MAX.into(), u64::MAX.into()])[..4], words(u128::from(u64::MAX).pow(2)));
        assert_eq!(product(&[1 << 100, 3, 1 << 100])[6], 3 << 8);
    }

    fn words(x: u128) -> [u32; 4] {
        core::array::from_fn(|i| (x >> (32 * i)) as u32)
    }
}
