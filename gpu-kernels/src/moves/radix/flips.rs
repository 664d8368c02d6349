//! Between elements and keys, an exclusive or apart: which one depends on the highest bit alone.

use crate::moves::sort::Key;
use crate::moves::sort::launch::codes;

/// What is flipped of a number without its highest bit, and of one with it.
#[derive(Clone, Copy)]
pub(super) struct Flips<W> {
    low: W,
    high: W,
}

impl<W: Key> Flips<W> {
    /// Nothing.
    pub(super) fn none() -> Self {
        Self { low: W::zeroed(), high: W::zeroed() }
    }

    /// From elements to keys, `coding` being a sum of [`codes`]. Positive floats ascend with their bits and get the upper half;
    /// negative ones descend.
    #[inline(always)]
    pub(super) fn encoding(coding: u32) -> Self {
        let sign = if coding & (codes::SIGNED | codes::FLOAT) == 0 { W::zeroed() } else { W::SIGN };
        let high = if coding & codes::FLOAT == 0 { sign } else { !W::zeroed() };
        let all = Self::all(coding);
        Self { low: sign.flip(all), high: high.flip(all) }
    }

    /// From keys to elements.
    #[inline(always)]
    pub(super) fn decoding(coding: u32) -> Self {
        let Self { low, high } = Self::encoding(coding);
        // Of floats, an element without the highest bit has a key with it, unless all is flipped.
        let is_crossed = (coding & codes::FLOAT != 0) != (coding & codes::DESCENDING != 0);
        if is_crossed { Self { low: high, high: low } } else { Self { low, high } }
    }

    /// All bits, if the greatest come first.
    #[inline(always)]
    fn all(coding: u32) -> W {
        if coding & codes::DESCENDING == 0 { W::zeroed() } else { !W::zeroed() }
    }

    /// Whether anything is flipped.
    #[inline(always)]
    pub(super) fn is_some(self) -> bool {
        self.low != W::zeroed() || self.high != W::zeroed()
    }

    /// Returns what becomes the greatest key.
    #[inline(always)]
    pub(super) fn last(self) -> W {
        let greatest = !W::zeroed();
        let bits = greatest.flip(self.high);
        if bits >= W::SIGN { bits } else { greatest.flip(self.low) }
    }

    /// The other one.
    #[inline(always)]
    pub(super) fn of(self, bits: W) -> W {
        bits.flip(if bits >= W::SIGN { self.high } else { self.low })
    }
}
