//! Moves: kernels that move elements, of which they know only the bytes or a rank.
//!
//! | kernel | from | to |
//! |---|---|---|
//! | `pack` | a strided view of up to 8 dimensions | its elements, contiguous and in row-major order |
//! | `compact` | elements, with flags, a range of ranks, or the one before | the selected ones, contiguous; then the others |
//! | `groups` | elements and the ids of their groups, or keys | the elements of each group, contiguous; the starts of runs |
//! | `select` | elements and their ranking | the first few in order; counts of digits |
//! | `radix` | elements of 1 to 8 bytes, alone or with values or their places | the same in order |
//! | `sort` | elements of 16 bytes, or few of any size, alone or with their places | the same in order |

#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
pub mod entry;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
pub(crate) mod pack;

#[cfg(not(target_arch = "nvptx64"))]
pub mod axes;
pub mod boxes;
mod catalogue;
pub mod compact;
pub mod groups;
#[cfg(not(target_arch = "nvptx64"))]
pub mod packing;
pub mod radix;
pub mod select;
pub mod sort;
mod word;

pub use word::Sixteen;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
pub use word::Word;
