//! The generator behind the seeded orders: SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).

/// A stream of numbers that depends on the seed alone.
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number below `end`, which must not be 0. The bias of the multiplication is below `end` / 2^32.
    pub(super) fn below(&mut self, end: u32) -> u32 {
        (((self.next() >> 32) * u64::from(end)) >> 32) as u32
    }

    /// Returns one of the bits set in `mask`, chosen at random, or 0 if none is set.
    pub(super) fn bit_of(&mut self, mask: u32) -> u32 {
        let mut rest = mask;
        if rest != 0 {
            for _ in 0..self.below(mask.count_ones()) {
                rest &= rest - 1;
            }
        }
        rest & rest.wrapping_neg()
    }

    /// Permutes `items` (Fisher and Yates).
    pub(super) fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i as u32 + 1) as usize);
        }
    }
}
