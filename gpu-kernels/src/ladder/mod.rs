//! The ladder: sums from the first attempt to the library's own kernel, a rung per idea, as the texts climb it that this
//! library grew out of (Harris, *Optimizing Parallel Reduction in CUDA*; Wilt, *The CUDA Handbook*; and workshops). To
//! be read, run and compared; `examples/ladder` does, and docs/ladder.md walks through it.
//!
//! | rung | file | what is new |
//! |---|---|---|
//! | 1 | [`atomic`] | an atomic addition per element |
//! | 2 | [`pairwise`] | pairs through global memory, a launch per level |
//! | 3, 4 | [`interleaved`] | shared memory: a divergent branch, then a stride with bank conflicts |
//! | 5 | [`sequential`] | neighbouring lanes, neighbouring words |
//! | 6 | [`first_add`] | two elements per thread |
//! | 7 | [`last_warp`] | no barrier among 32 |
//! | 8 | [`unrolled`] | the block's size is a const generic |
//! | 9 | [`grid_stride`] | many elements per thread |
//! | 10, 11 | [`any_size`] | any block size; two passes of one kernel |
//! | 12 | [`single_pass`] | one launch, an atomic per thread or per block |
//! | 13 | [`ticket`] | one launch, no atomic on the value |
//! | 14 | [`one_block`] | one block of any length, and without shared memory |
//! | 15 | [`shuffle`] | warp shuffles |
//! | 16 | | `reduce_sum_f32` and `reduce_sum_i32_in_i32` of the catalogue |
//! | | [`block_scan`] | prefix sums within a block, three ways |
//! | | [`coalescing`], [`transpose`] | how memory wants to be accessed |
//! | | `addend`, `scratch` | what is added, and where |
//! | | [`entry`] | raw arguments become handles |
//! | | `rung` | the list, and what the host launches for each |
//! | | `emulated`, `sectors` | a rung under the emulator, in memory that begins as a GPU's |
//!
//! **These kernels are not the library's.** They are behind the feature `ladder`, are shipped with the example alone, and
//! are exempt from two of the library's rules. Their float sums need not have the bits of anything: each rung adds in an
//! order of its own, and those with atomics in another one at each run. And `cargo xtask lint`, which refuses float atomics,
//! lets exactly those of rungs 1 and 12 pass (`MAY_ADD_ATOMICALLY` in xtask/src/lint.rs).

mod addend;
pub mod any_size;
pub mod atomic;
pub mod block_scan;
pub mod coalescing;
#[cfg(not(target_arch = "nvptx64"))]
pub mod emulated;
pub mod entry;
pub mod first_add;
pub mod grid_stride;
pub mod interleaved;
pub mod last_warp;
pub mod one_block;
pub mod pairwise;
#[cfg(not(target_arch = "nvptx64"))]
pub mod rung;
mod scratch;
#[cfg(not(target_arch = "nvptx64"))]
pub mod sectors;
pub mod sequential;
pub mod shuffle;
pub mod single_pass;
pub mod ticket;
pub mod transpose;
pub mod unrolled;

pub use addend::Addend;
