//! One pass of the partition: which bits of the ids it looks at, and which elements a block has.

use cuda_std::thread::block_idx_x;

/// A digit of the ids, and the elements of a block.
#[derive(Clone, Copy)]
pub(crate) struct Pass {
    /// How many elements there are.
    pub(crate) len: u64,
    /// Elements of a block, which follow each other.
    pub(crate) portion: u64,
    /// Where the digit begins.
    pub(crate) shift: u32,
    /// Bits of the digit, at least 2 and at most [`MOST_DIGIT_BITS`](super::shape::MOST_DIGIT_BITS).
    pub(crate) bits: u32,
}

impl Pass {
    /// How many values the digit has.
    #[inline(always)]
    pub(crate) fn digits(self) -> u32 {
        1 << self.bits
    }

    /// An id's digit.
    #[inline(always)]
    pub(crate) fn digit(self, id: u32) -> u32 {
        id >> self.shift & (self.digits() - 1)
    }

    /// Where this block's elements begin and end.
    #[inline(always)]
    pub(crate) fn range(self) -> (u64, u64) {
        let start = (u64::from(block_idx_x()) * self.portion).min(self.len);
        (start, start + self.portion.min(self.len - start))
    }
}
