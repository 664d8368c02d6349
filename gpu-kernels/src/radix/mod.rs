//! Sorting by digits: a least-significant-digit radix sort of keys of 1 to 8 bytes, with values of 4 or 8 bytes beside them or
//! none. Adinets and Merrill, "Onesweep: A Faster Least Significant Digit Radix Sort for GPUs" (arXiv:2206.01784).
//!
//! One launch counts all digits of all keys (`digits`), and one sums the counts up to where each digit's keys begin
//! (`starts`). Then each digit takes a launch that reads and writes each key once (`scatter`): a block ranks the keys of a tile
//! by the digit (`ranks`), learns from what the tiles before its own have posted how many keys there have each digit
//! (`hand_over`), and writes the keys in the order of their ranks.
//!
//! **What a pass does is decided on the device**, from what was counted (`route`): the passes of digits that all keys share do
//! nothing, and keys that are in order already, or in strictly descending order, are copied once. So the launches are the same
//! for every input, and the host waits for none of them.
//!
//! **The bits** depend on nobody's speed: the place of a key follows from the keys alone. The sort is stable. Blocks wait for
//! lower tickets alone, whose blocks run or have ended.

#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
pub(crate) mod column;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
mod digit;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
mod digits;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
pub mod entry;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
pub(crate) mod flips;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
pub(crate) mod output;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
mod packed;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
mod positions;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
mod ranks;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
mod route;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
pub(crate) mod scatter;
pub mod shapes;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
mod starts;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
pub(crate) mod tiles;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
mod values;

#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
pub use values::{NoValue, Place, Value};
