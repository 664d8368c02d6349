//! Elements become keys, and keys elements, by an exclusive or with one of two words, and by a sum. The highest bit says with
//! which word.

use crate::sort::shapes::codes;
use crate::sort::{Key, turned};

/// The two words: `low` for numbers without the highest bit, `high` for those with it; and how far flipped elements are behind
/// their keys.
#[derive(Clone, Copy)]
pub(crate) struct Flips<W> {
    low: W,
    high: W,
    distance: W,
}

impl<W: Key> Flips<W> {
    /// Returns flips that change nothing.
    pub(crate) fn none() -> Self {
        Self { low: W::zeroed(), high: W::zeroed(), distance: W::zeroed() }
    }

    /// Returns the flips from elements to keys. `coding` is a sum of [`codes`]. Positive floats ascend with their bits and get the upper half;
    /// negative ones descend.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn encoding(coding: u32) -> Self {
        let sign = if coding & (codes::SIGNED | codes::FLOAT) == 0 { W::zeroed() } else { W::SIGN };
        let high = if coding & codes::FLOAT == 0 { sign } else { !W::zeroed() };
        let (all, turned) = (Self::all(coding), turned(coding));
        let distance = if all == W::zeroed() { turned } else { W::zeroed().distance_from(turned) };
        Self { low: sign.flip(all), high: high.flip(all), distance }
    }

    /// Returns the flips from keys to elements.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn decoding(coding: u32) -> Self {
        let Self { low, high, distance } = Self::encoding(coding);
        // Of floats, an element without the highest bit has a key with it, unless all is flipped.
        let is_crossed = (coding & codes::FLOAT != 0) != (coding & codes::DESCENDING != 0);
        if is_crossed { Self { low: high, high: low, distance } } else { Self { low, high, distance } }
    }

    /// Returns the bits to flip for the order: all if the greatest come first, otherwise none.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn all(coding: u32) -> W {
        if coding & codes::DESCENDING == 0 { W::zeroed() } else { !W::zeroed() }
    }

    /// Returns whether anything is flipped.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn is_some(self) -> bool {
        self.low != W::zeroed() || self.high != W::zeroed()
    }

    /// Returns the element whose key is the greatest.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn last(self) -> W {
        let greatest = (!W::zeroed()).plus(self.distance);
        let bits = greatest.flip(self.high);
        if bits >= W::SIGN { bits } else { greatest.flip(self.low) }
    }

    /// Returns the key of an element, by the flips from elements to keys.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn key(self, bits: W) -> W {
        self.flipped(bits).distance_from(self.distance)
    }

    /// Returns the element of a key, by the flips from keys to elements.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn element(self, key: W) -> W {
        self.flipped(key.plus(self.distance))
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn flipped(self, bits: W) -> W {
        bits.flip(if bits >= W::SIGN { self.high } else { self.low })
    }
}
