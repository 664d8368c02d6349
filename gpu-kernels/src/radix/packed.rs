//! Small numbers, one for each key of a thread, several in a register.

use cuda_std::bits::{byte, half};
use cuda_std::thread::unknown;

/// The most keys of a thread, in whole words.
const MOST_ITEMS: usize = 32;

/// A number below 2^16 for each key of a thread, two in a word.
#[derive(Clone, Copy)]
pub(super) struct Numbers([u32; MOST_ITEMS / 2]);

impl Numbers {
    /// Numbers that are all 0.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn none() -> Self {
        Self([0; MOST_ITEMS / 2])
    }

    /// Sets a number that is 0.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn set(&mut self, i: usize, number: u32) {
        // Now, not where it is read: until then it would take a register of its own.
        self.0[i / 2] = unknown(self.0[i / 2] | number << (i % 2 * 16));
    }

    /// Returns a number, taken from its word anew in each [turn](half).
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn get<const TURN: u32>(self, i: usize) -> u32 {
        half::<TURN>(self.0[i / 2], i as u32)
    }
}

/// A digit of each of a thread's keys, four in a word.
#[derive(Clone, Copy)]
pub(super) struct Digits([u32; MOST_ITEMS / 4]);

impl Digits {
    /// Digits that are all 0.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn none() -> Self {
        Self([0; MOST_ITEMS / 4])
    }

    /// Sets a digit that is 0.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn set(&mut self, i: usize, digit: u32) {
        // Now, not where it is read: until then it would take a register of its own.
        self.0[i / 4] = unknown(self.0[i / 4] | digit << (i % 4 * 8));
    }

    /// Returns a digit.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn get(self, i: usize) -> u32 {
        byte::<0>(self.0[i / 4], i as u32 % 4)
    }
}
