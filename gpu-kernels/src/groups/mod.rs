//! Groups and runs become segments: elements are sorted stably by their groups' ids, and runs of equal keys are found.
//!
//! **The partition** is a radix sort by the bytes of the ids, the least significant first: [`shapes::passes`] of them. One pass
//! over the ids counts the digits of all passes (`histogram`); the sums of the counts (`scan`) are where each digit's
//! elements begin. The passes are a [radix sort's](crate::radix), with ids for keys and elements for values. If the
//! elements are not words, their positions are sorted instead, and the elements are copied at the end (`gather`).
//!
//! **Atomics** fold groups where any order of the elements gives the same bits, without a sort (`atomics`).
//!
//! **Runs** are counted in each block's portion, and written to the positions that the counts' sums give (`runs`).

#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
pub(crate) mod atomics;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
pub mod entry;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
pub(crate) mod gather;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
pub(crate) mod histogram;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
pub(crate) mod ids;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
pub(crate) mod runs;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
pub(crate) mod scan;
pub mod shapes;
