//! The first elements of each part of an array, in one read of each part.
//!
//! A *team* of threads, a warp or a block, has a part (`team`), or a slice of a long one, whose first pairs of rank and index another launch
//! then puts together. It keeps the best pairs of what it has seen in shared memory.
//!
//! **The first bound** spares most of the work. If all elements are loaded at once, it is the `k`-th of the threads' bests: `k` elements do
//! not come after it. Otherwise it is guessed from a sample (`source`): a piece of each of the threads' shares, so that elements in order are no special
//! case. If fewer than `k` elements are up to the guess, the part is read again without one.
//!
//! **Parts of a few elements** have a lane each, which compares each two of them (`tiny`).
//!
//! **The bits** do not depend on timing: no two pairs are equal, so the first `k` are one set in one order, whatever the order in which
//! they are appended.

#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
mod best;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
pub mod entry;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
mod first;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
mod order;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
pub(super) mod pair;
pub mod shapes;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
mod source;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
mod team;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
mod tiny;

#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
pub use pair::Paired;
