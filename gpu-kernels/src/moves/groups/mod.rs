//! Groups and keys to segments: elements are sorted stably by their groups' ids, and runs of equal keys found.
//!
//! **The partition** is a radix sort, the least significant digit first: [`shape::passes`] over [`shape::MOST_DIGIT_BITS`] bits
//! at most. In a pass each block has a portion of the elements and counts its digits (`histogram`); the counts' sums, digit
//! by digit and block by block in each (`scan`), are where its elements go (`scatter`). Blocks meet between launches
//! only. Elements that are no words have their places sorted, and are brought there at the end (`gather`).
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
