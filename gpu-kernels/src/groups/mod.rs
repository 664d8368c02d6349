//! Groups and runs become segments: elements are sorted stably by their groups' ids, and runs of equal keys are found.
//!
//! **The partition** is a radix sort, the least significant digit first. It has [`shapes::passes`] over at most
//! [`shapes::MOST_DIGIT_BITS`] bits each. One pass over the ids counts the digits of all passes (`histogram`); the sums
//! of the counts (`scan`) are where each digit's elements begin. In a pass each block moves a tile of neighbours
//! (`scatter`). The block learns from the posts of earlier tiles (`hand_over`) how many elements with each digit
//! precede its own. Each pass therefore reads and writes ids and elements once. If the elements are not words, their
//! positions are sorted instead, and the elements are copied at the end (`gather`).
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
