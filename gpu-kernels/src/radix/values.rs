//! What goes with a key: a word, or nothing.

use bytemuck::{Pod, Zeroable};

/// A value that is moved with its key.
pub trait Value: Pod {
    /// Whether there is any.
    const IS_SOME: bool;
    /// The number of a place, as a value.
    fn of_place(place: u64) -> Self;
    /// The number again.
    fn place(self) -> u64;
}

/// No value at all.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(transparent)]
pub struct NoValue(u32);

impl Value for NoValue {
    const IS_SOME: bool = false;
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn of_place(_: u64) -> Self {
        Self(0)
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn place(self) -> u64 {
        0
    }
}

impl Value for u32 {
    const IS_SOME: bool = true;
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn of_place(place: u64) -> Self {
        place as Self
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn place(self) -> u64 {
        self.into()
    }
}

impl Value for u64 {
    const IS_SOME: bool = true;
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn of_place(place: u64) -> Self {
        place
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn place(self) -> u64 {
        self
    }
}
