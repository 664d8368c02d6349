//! Keys as unsigned integers that compare as elements do.

use cuda_std::global::GlobalSlice;

use super::shapes::codes;
use crate::ops::Rank;
use crate::word::Sixteen;

/// An unsigned integer with as many bits as an element.
pub trait Key: Rank {
    /// The key's type in shared memory, which is accessed by at least four bytes.
    type Shared: bytemuck::Pod;
    /// The highest bit.
    const SIGN: Self;
    /// Converts to the type in shared memory.
    fn widen(self) -> Self::Shared;
    /// Converts back.
    fn narrow(shared: Self::Shared) -> Self;
    /// Returns the key with the bits of `mask` flipped.
    #[must_use]
    fn flip(self, mask: Self) -> Self;
    /// Returns the sum, which wraps round.
    #[must_use]
    fn plus(self, other: Self) -> Self;
    /// Returns the word in which the lowest `bits` bits are set, which are not all.
    fn lowest(bits: u32) -> Self;
    /// Returns the same number.
    fn wide(self) -> u128;
    /// Returns the lowest bits.
    fn of_wide(wide: u128) -> Self;
}

macro_rules! keys {
    ($($key:ty as $shared:ty: $widen:expr, $narrow:expr;)*) => { $(
        impl Key for $key {
            type Shared = $shared;
            const SIGN: Self = 1 << (<$key>::BITS - 1);
            #[cfg_attr(target_arch = "nvptx64", inline(always))]
            fn widen(self) -> $shared {
                $widen(self)
            }
            #[cfg_attr(target_arch = "nvptx64", inline(always))]
            fn narrow(shared: $shared) -> Self {
                $narrow(shared)
            }
            #[cfg_attr(target_arch = "nvptx64", inline(always))]
            fn flip(self, mask: Self) -> Self {
                self ^ mask
            }
            #[cfg_attr(target_arch = "nvptx64", inline(always))]
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            #[cfg_attr(target_arch = "nvptx64", inline(always))]
            fn lowest(bits: u32) -> Self {
                (1 as $key).wrapping_shl(bits).wrapping_sub(1)
            }
            #[cfg_attr(target_arch = "nvptx64", inline(always))]
            fn wide(self) -> u128 {
                self as u128
            }
            #[cfg_attr(target_arch = "nvptx64", inline(always))]
            fn of_wide(wide: u128) -> Self {
                wide as Self
            }
        }
    )* };
}
keys! {
    u8 as u32: u32::from, |shared| shared as u8;
    u16 as u32: u32::from, |shared| shared as u16;
    u32 as u32: |key| key, |shared| shared;
    u64 as u64: |key| key, |shared| shared;
    u128 as Sixteen: |key: u128| Sixteen([key as u64, (key >> 64) as u64]),
        |Sixteen([low, high]): Sixteen| u128::from(low) | u128::from(high) << 64;
}

/// Returns how many of the least keys wrap round to the end, behind the greatest: the keys of NaNs with a sign
/// for [`codes::nan_greatest`], else none. No float has 16 bytes.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn turned<W: Key>(coding: u32) -> W {
    if size_of::<W>() > 8 { W::zeroed() } else { W::lowest(coding >> codes::MANTISSA) }
}

/// The conversion between elements and keys: a sum of [`codes`].
#[derive(Clone, Copy)]
pub(super) struct Coding(pub(super) u32);

impl Coding {
    /// Returns the key of an element with these bits.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn encode<W: Key>(self, bits: W) -> W {
        let key = bits.flip(self.mask(bits >= W::SIGN)).distance_from(turned(self.0));
        if self.0 & codes::DESCENDING != 0 { !key } else { key }
    }

    /// Returns the bits of the element with this key.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn decode<W: Key>(self, key: W) -> W {
        let key = if self.0 & codes::DESCENDING != 0 { !key } else { key };
        let key = key.plus(turned(self.0));
        key.flip(self.mask(key < W::SIGN))
    }

    /// Returns the bits of an element that are flipped. Positive floats ascend with their bits and get the upper half of the
    /// keys; negative ones descend.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn mask<W: Key>(self, is_negative: bool) -> W {
        let none = W::zeroed();
        match self.0 & (codes::SIGNED | codes::FLOAT) {
            0 => none,
            codes::SIGNED => W::SIGN,
            _ if is_negative => !none,
            _ => W::SIGN,
        }
    }
}

/// Elements that are read as keys.
#[derive(Clone, Copy)]
pub(super) struct Keys<W> {
    /// The elements.
    pub(super) elements: GlobalSlice<W>,
    /// The conversion to keys.
    pub(super) coding: Coding,
}

impl<W: Key> Keys<W> {
    /// Returns the key at `index`.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[track_caller]
    pub(super) fn read(self, index: u64) -> W {
        self.coding.encode(self.elements.read(index))
    }

    /// Returns the keys at `first` and every 32nd place after it, of `len` from `start` on; the greatest keys beyond the end.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[track_caller]
    pub(super) fn warp_column<const I: usize>(
        self,
        (start, len): (u64, u64),
        first: u64,
        whole: bool,
    ) -> [W; I] {
        let window = self.elements.window(start, len);
        let behind = self.coding.decode(!W::zeroed());
        let column = crate::radix::column::warp_column(window, first, whole, behind);
        column.map(|bits| self.coding.encode(bits))
    }
}
