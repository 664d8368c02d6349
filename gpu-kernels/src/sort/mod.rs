//! The sort of keys of 16 bytes, and of parts: a quicksort with many pivots, level by level, whose short segments are finished by
//! one block each. Shorter keys are sorted by digits ([`radix`](super::radix)). Few keys of any size are one segment, which a
//! block finishes (`leaf`).
//!
//! A *level* splits every segment that is too long for a block into [`shapes::BUCKETS`] by pivots of its own. `pivots` finds
//! them by sorting a sample in a block. `count` looks up the bucket of each key in a tree of pivots in shared memory, and
//! counts the buckets of each tile. The counts are summed up (`groups::scan`). `scatter` moves the keys of each tile to their
//! buckets, stably. `lists` decides which buckets are segments of the next level, which neighbours are short enough to be
//! sorted by one block together (`leaf`: by digits of the bits in which they may differ), and which are in order. Sanders and
//! Winkel, *Super Scalar Sample Sort*, ESA 2004; on GPUs Leischner, Osipov and Sanders, *GPU Sample Sort*, IPDPS 2010.
//!
//! **Parts** of an array are sorted each on its own: `parts` lists them by length. If all have a few keys, `lanes` of a warp sort one
//! each. Otherwise some threads of a block merge a `short` part, a
//! block sorts a longer one as a leaf, and one that fits no block is a segment of the first level. Keys of all sizes are sorted
//! so. If only the first results of each part are wanted, buckets behind these are neither moved nor listed.
//!
//! **Keys** are unsigned integers that compare as elements do (`coding`), from the first load to the last store. So equal keys
//! are no special case: a pivot `p` that the sample has several times makes two bounds, `p` and `p + 1`, and a bucket whose
//! bounds are neighbours has equal keys and is done.
//!
//! **The number of levels.** A level is *good* for a bucket with at most a quarter of its segment's keys, and *bad* for any
//! other bucket. A bucket that a bad level leaves is next split by bounds that are evenly spaced over all its possible values,
//! which are then 256 times fewer. Along any chain of segments there are at most log4(n / tile) good levels, since then a block
//! takes the rest. Each bad level but the last is followed by an even one, and after as many of these as a key has bytes all
//! keys are equal. So any input takes at most log4(n / tile) + bytes + 1 levels, each linear in its keys, without recursion.
//!
//! **The bits** do not depend on timing: each launch moves each key to a place that follows from keys and bounds alone. Only
//! the order in which segments are listed depends on which block is first, and no result depends on that order. No block waits
//! for another.

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
mod lanes;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
mod leaf;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
mod lists;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
pub(crate) mod parts;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
mod pivots;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
mod ranks;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
mod scatter;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
mod segment;
pub mod shapes;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
mod short;

#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
pub use coding::Key;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
pub(crate) use coding::turned;
