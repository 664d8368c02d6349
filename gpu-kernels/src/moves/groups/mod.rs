//! Groups and keys to segments: elements are sorted stably by their groups' ids, and runs of equal keys found.
//!
//! **The partition** is a radix sort, the least significant digit first: [`shape::passes`] over [`shape::MOST_DIGIT_BITS`] bits
//! at most. All digits of all passes are counted by one look at the ids (`histogram`), and summed up (`scan`): that is where
//! a digit's elements begin. In a pass each block moves a tile of neighbours (`scatter`), and learns how many elements before
//! them have each digit from what the tiles before them tell (`look_back`): so ids and elements are read and written once in
//! each pass. Elements that are no words have their places sorted, and are brought there at the end (`gather`).
//!
//! **Runs** are counted in each block's portion, and written where the counts' sums say (`runs`).

#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
pub mod entry;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
pub(crate) mod gather;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
pub(crate) mod histogram;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
pub(crate) mod ids;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
pub(crate) mod look_back;
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
pub mod shape;
