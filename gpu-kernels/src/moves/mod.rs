//! Moves: kernels that put elements elsewhere, and know of them only how many bytes they have.
//!
//! | kernel | from | to |
//! |---|---|---|
//! | `pack` | a strided view of up to 8 dimensions | its elements in row-major order, one after the other |
//! | `compact` | elements, with flags, a range of ranks, or the one before | the selected ones one after the other; behind them the others, if wanted |
//! | `groups` | elements and the ids of their groups, or keys | the elements of each group one after the other; where runs begin |
//! | `select` | elements and how they are ranked | the first few in order; how many have which digits |
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
