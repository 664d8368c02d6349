//! Parts of words.

use crate::imp;

/// Returns byte `number % 4` of `word`, counted from the lowest: `prmt`, one instruction where a shift and a mask take two.
///
/// `TURN`, up to 3, makes no difference to the result. The compiler keeps no byte in a register from one turn to another, but takes
/// it from the word again.
///
/// ```
/// # use cuda_std::{bits::byte, emulator::Launch};
/// Launch::new(1, 1).run(|| {
///     assert_eq!(byte::<0>(0x8765_4321, 0), 0x21);
///     assert_eq!(byte::<1>(0x8765_4321, 3), 0x87);
/// })?;
/// # Ok::<(), cuda_std::emulator::Misuse>(())
/// ```
#[inline(always)]
#[must_use]
pub fn byte<const TURN: u32>(word: u32, number: u32) -> u32 {
    const { assert!(TURN < 4) }
    imp::byte(word, number % 4, TURN)
}

/// Returns the lower 16 bits of `word` if `number` is even, and otherwise the upper ones: `prmt`. With a `TURN` as [`byte`].
///
/// ```
/// # use cuda_std::{bits::half, emulator::Launch};
/// Launch::new(1, 1).run(|| {
///     assert_eq!(half::<0>(0x8765_4321, 0), 0x4321);
///     assert_eq!(half::<1>(0x8765_4321, 1), 0x8765);
/// })?;
/// # Ok::<(), cuda_std::emulator::Misuse>(())
/// ```
#[inline(always)]
#[must_use]
pub fn half<const TURN: u32>(word: u32, number: u32) -> u32 {
    const { assert!(TURN < 4) }
    imp::half(word, number % 2, TURN)
}
