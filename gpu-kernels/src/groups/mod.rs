//! Groups and runs become segments: elements are sorted stably by their groups' ids, and runs of equal keys are found.
//!
//! **The partition** is a radix sort, the least significant digit first: [`shapes::passes`] over
//! [`shapes::MOST_DIGIT_BITS`] bits at most. One pass over the ids counts the digits of all passes (`histogram`); the
//! sums of the counts (`scan`) are where each digit's elements begin. In a pass each block moves a tile of neighbours
//! (`scatter`). The number of elements before them with each digit comes from what the tiles before have posted
//! (`hand_over`), so each pass reads and writes ids and elements once. For elements that are no words, their positions
//! are sorted instead, and the elements are copied at the end (`gather`).
//!
//! **Runs** are counted in each block's portion, and written to the positions that the counts' sums give (`runs`).

#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
pub mod entry;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
pub(crate) mod gather;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
pub(crate) mod histogram;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
pub(crate) mod ids;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
pub(crate) mod pass;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
pub(crate) mod ranks;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
pub(crate) mod runs;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
pub(crate) mod scan;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
pub(crate) mod scatter;
pub mod shapes;
