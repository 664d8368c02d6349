//! The digits of a key: its bytes.

use cuda_std::bits::byte;

use super::shapes::DIGIT_BITS;
use crate::sort::Key;

const _: () = assert!(DIGIT_BITS == u8::BITS);

/// Returns the digit `number` of `key`, from the least significant on, taken from it anew in each [turn](byte).
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn digit<W: Key, const TURN: u32>(key: W, number: u32) -> u32 {
    let word = if const { size_of::<W>() > 4 } && number >= 4 { key.digit(32, 32) } else { key.digit(0, 32) };
    byte::<TURN>(word, number)
}
