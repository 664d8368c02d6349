//! Sorting keys of 16 bytes: a quicksort of many pivots, level by level, whose short segments are finished in a block each. Shorter
//! keys are sorted by digits ([`radix`](super::radix)); few keys of any size are one segment, which a block finishes (`leaf`).
//!
//! A *level* splits every segment that is too long for a block into [`shape::BUCKETS`] by pivots of its own: `pivots` finds
//! them by sorting a sample in a block; `count` looks up the bucket of each key in a tree of pivots in shared memory, and
//! counts the buckets of each tile; the counts are summed up (`groups::scan`); `scatter` moves the keys of each tile to their
//! buckets, stably; and `lists` says which buckets are segments of the next level, which neighbours are short enough to be
//! sorted by a block together (`leaf`: by digits of the bits in which they may differ), and which are in order. Sanders and
//! Winkel, *Super Scalar Sample Sort*, ESA 2004; on GPUs Leischner, Osipov and Sanders, *GPU Sample Sort*, IPDPS 2010.
//!
//! **Keys** are unsigned integers that compare as elements do (`coding`), from the first load to the last store. So equal keys
//! need no case of their own: a pivot `p` that the sample has several times is two bounds, `p` and `p + 1`, and a bucket
//! whose bounds are neighbours has equal keys and is done.
//!
//! **How many levels there are.** A level is *good* for a bucket with at most a quarter of its segment's keys, and *bad* for
//! another one; what a bad level leaves is split next by bounds that are evenly spaced over all values that it may have, which
//! are then 256 times fewer. Along any chain of segments good levels are at most log4(n / tile), since then a block takes the
//! rest. Each bad one but the last is followed by an even one, and after as many of these as a key has bytes all keys are
//! equal. So there are at most log4(n / tile) + bytes + 1 levels of any input, each linear in its keys, and no recursion.
//!
//! **The bits** depend on nobody's speed: each launch puts each key in a place that follows from keys and bounds alone. Only
//! the order in which segments are listed depends on which block is first, and nothing hangs on that. No block waits for
//! another one.

#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
mod block;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
mod coding;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
mod count;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
pub mod entry;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
mod indices;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
mod leaf;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
mod lists;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
mod pivots;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
mod scatter;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
mod segment;
pub mod shape;

#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
pub use coding::Key;
