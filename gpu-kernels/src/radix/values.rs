//! What goes with a key: a word, or nothing.

use bytemuck::{Pod, Zeroable};

use crate::word::Word;

/// A value that is moved with its key.
pub trait Value: Pod {
    /// Whether there is any.
    const IS_SOME: bool;
    /// The value's type in shared memory, which is accessed by at least four bytes.
    type Shared: Pod;
    /// Converts to the type in shared memory.
    fn widen(self) -> Self::Shared;
    /// Converts back.
    fn narrow(shared: Self::Shared) -> Self;
}

impl<W: Word> Value for W {
    const IS_SOME: bool = true;
    type Shared = <W as Word>::Shared;
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn widen(self) -> Self::Shared {
        Word::widen(self)
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn narrow(shared: Self::Shared) -> Self {
        Word::narrow(shared)
    }
}

/// No value at all.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(transparent)]
pub struct NoValue(u32);

impl Value for NoValue {
    const IS_SOME: bool = false;
    type Shared = Self;
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn widen(self) -> Self {
        self
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn narrow(shared: Self) -> Self {
        shared
    }
}

/// A value that may be the number of its key's place.
pub trait Place: Value {
    /// The number of a place, as a value.
    fn of_place(place: u64) -> Self;
    /// The number again.
    fn place(self) -> u64;
}

impl Place for NoValue {
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn of_place(_: u64) -> Self {
        Self(0)
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn place(self) -> u64 {
        0
    }
}

impl Place for u32 {
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn of_place(place: u64) -> Self {
        place as Self
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn place(self) -> u64 {
        self.into()
    }
}

impl Place for u64 {
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn of_place(place: u64) -> Self {
        place
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn place(self) -> u64 {
        self
    }
}
