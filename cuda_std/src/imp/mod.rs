//! The two halves of the device library: same functions, same order, one of them compiled.
//!
//! `nvptx` is instructions. `emulated` asks the emulator's scheduler. Nothing above this module knows which.

#[cfg(not(target_arch = "nvptx64"))]
#[path = "emulated.rs"]
mod half;
#[cfg(target_arch = "nvptx64")]
#[path = "nvptx.rs"]
mod half;

pub(crate) use half::*;

/// How a shuffle picks the lane to read from, with its name in the PTX ISA.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shuffle {
    Up,
    Down,
    Xor,
    Idx,
}
