//! Words: plain bytes of the size of one load.

#[cfg(all(feature = "moves", any(target_arch = "nvptx64", feature = "emulator")))]
pub mod entry;

use bytemuck::{Pod, Zeroable};

/// Sixteen bytes, aligned to 16.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C, align(16))]
pub struct Sixteen(pub [u64; 2]);

/// A word that is moved unchanged.
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
pub trait Word: Pod {
    /// The word's type in shared memory, which is accessed by at least four bytes.
    type Shared: Pod;
    /// One byte for each word of a 16-byte vector.
    type Flags: Pod;
    /// Converts to the type in shared memory.
    fn widen(self) -> Self::Shared;
    /// Converts back.
    fn narrow(shared: Self::Shared) -> Self;
}

#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
macro_rules! words {
    ($($word:ty as $shared:ty, $flags:ty;)*) => { $(
        impl Word for $word {
            type Shared = $shared;
            type Flags = $flags;
            #[inline(always)]
            fn widen(self) -> $shared {
                self.into()
            }
            #[inline(always)]
            fn narrow(shared: $shared) -> Self {
                shared as Self
            }
        }
    )* };
}
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
words! {
    u8 as u32, Sixteen;
    u16 as u32, u64;
    u32 as u32, u32;
    u64 as u64, u16;
}

#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
impl Word for Sixteen {
    type Shared = Self;
    type Flags = u8;
    #[inline(always)]
    fn widen(self) -> Self {
        self
    }
    #[inline(always)]
    fn narrow(shared: Self) -> Self {
        shared
    }
}
