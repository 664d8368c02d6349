//! One pass of the partition: which bits of the ids it looks at.

/// A digit of the ids.
#[derive(Clone, Copy)]
pub(crate) struct Pass {
    /// Where the digit begins.
    pub(crate) shift: u32,
    /// Bits of the digit, at least 1 and at most [`MOST_DIGIT_BITS`](super::shapes::MOST_DIGIT_BITS).
    pub(crate) bits: u32,
}

impl Pass {
    /// How many values the digit has.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn digits(self) -> u32 {
        1 << self.bits
    }

    /// An id's digit.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn digit(self, id: u32) -> u32 {
        id >> self.shift & (self.digits() - 1)
    }
}
