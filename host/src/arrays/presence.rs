//! The presence of an array's elements, one bit each.

use crate::error::Error;
use crate::memory;

/// A sequence of bits that grows at its end: set where an element is present, clear where it is missing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Presence {
    /// The bits, from the lowest of the first word. Bits from `len` on are clear.
    words: Vec<u64>,
    /// Number of bits.
    len: u64,
}

impl Presence {
    /// Returns the number of elements, including missing ones.
    pub(super) fn len(&self) -> u64 {
        self.len
    }

    /// Returns the bits, from the lowest of the first word. Bits after the last element are clear.
    pub(super) fn words(&self) -> &[u64] {
        &self.words
    }

    /// Returns the presence of elements that are in both of two arrays of equal length.
    pub(super) fn and(&self, other: &Self) -> Result<Self, Error> {
        let mut words = memory::with_room(self.words.len())?;
        words.extend(self.words.iter().zip(&other.words).map(|(left, right)| left & right));
        Ok(Self { words, len: self.len })
    }

    /// Returns a copy.
    pub(super) fn copied(&self) -> Result<Self, Error> {
        Ok(Self { words: memory::copied(&self.words)?, len: self.len })
    }

    /// Returns the number of present elements before a position.
    pub(super) fn before(&self, position: u64) -> u64 {
        let (whole, bits) = ((position / 64) as usize, position % 64);
        let (words, rest) = self.words.split_at(whole.min(self.words.len()));
        let rest = rest.first().map_or(0, |word| word & ((1 << bits) - 1));
        words.iter().chain([&rest]).map(|word| u64::from(word.count_ones())).sum()
    }

    /// Returns the position of the first missing element, or the number of elements.
    pub(super) fn first_missing(&self) -> u64 {
        let present = self.words.iter().take_while(|&&word| word == u64::MAX).count();
        let rest = self.words.get(present).map_or(0, |word| word.trailing_ones());
        present as u64 * 64 + u64::from(rest)
    }

    /// Makes room for `more` elements.
    pub(super) fn reserve(&mut self, more: u64) -> Result<(), Error> {
        memory::reserve(&mut self.words, usize::try_from(more / 64).unwrap_or(usize::MAX).saturating_add(1))
    }

    /// Appends `count` elements, which are all present or all missing.
    pub(super) fn push(&mut self, count: u64, there: bool) {
        let word = if there { u64::MAX } else { 0 };
        let mut left = count;
        while left > 0 {
            let bits = left.min(u64::from(u64::BITS));
            self.push_word(word, bits);
            left -= bits;
        }
    }

    /// Appends the bits of another sequence.
    pub(super) fn append(&mut self, other: &Self) {
        let mut left = other.len;
        for &word in &other.words {
            let bits = left.min(u64::from(u64::BITS));
            self.push_word(word, bits);
            left -= bits;
        }
    }

    /// Appends the lowest `bits` bits of `word`, at most 64.
    pub(super) fn push_word(&mut self, word: u64, bits: u64) {
        let word = if bits < 64 { word & ((1 << bits) - 1) } else { word };
        let free = self.len % 64;
        match self.words.last_mut() {
            Some(last) if free > 0 => {
                *last |= word << free;
                if free + bits > 64 {
                    self.words.push(word >> (64 - free));
                }
            }
            _ if bits > 0 => self.words.push(word),
            _ => {}
        }
        self.len += bits;
    }

    /// Returns the position of present element number `nth`, counted from 0. Reads the sequence from its start.
    pub(super) fn position(&self, nth: u64) -> Option<u64> {
        let mut before = nth;
        for (&word, base) in self.words.iter().zip((0..).step_by(64)) {
            let there = u64::from(word.count_ones());
            if before < there {
                let rest = (0..before).fold(word, |rest, _| rest & (rest - 1));
                return Some(base + u64::from(rest.trailing_zeros()));
            }
            before -= there;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns alternating runs of present and missing elements, which end at every position within a word.
    fn runs(seed: u64) -> Vec<(u64, bool)> {
        let scattered = |i: u64| (i + seed + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
        (0..40).map(|i| (scattered(i) % [3, 70, 200][i as usize % 3], i % 2 == 0)).collect()
    }

    fn positions(presence: &Presence) -> Vec<u64> {
        (0..).map_while(|nth| presence.position(nth)).collect()
    }

    #[test]
    fn positions_are_those_of_the_set_bits() {
        for seed in 0..50 {
            let mut presence = Presence::default();
            let mut plain = Vec::new();
            for (count, there) in runs(seed) {
                presence.push(count, there);
                plain.extend((0..count).map(|_| there));
            }
            let expected: Vec<u64> = (0..).zip(&plain).filter(|at| *at.1).map(|at| at.0).collect();
            assert_eq!(positions(&presence), expected);
            assert_eq!(presence.len(), plain.len() as u64);
        }
    }

    #[test]
    fn rows_in_pieces_are_one_row() {
        for seed in 0..50 {
            let (mut whole, mut joined) = (Presence::default(), Presence::default());
            for runs in runs(seed).chunks(7) {
                let mut piece = Presence::default();
                for &(count, there) in runs {
                    piece.push(count, there);
                    whole.push(count, there);
                }
                joined.append(&piece);
            }
            assert_eq!(joined, whole);
        }
    }
}
