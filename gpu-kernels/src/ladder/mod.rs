//! The ladder: sums from the first attempt to the library's own kernel, one idea per rung, in the order of the texts that this
//! library grew out of (Harris, *Optimizing Parallel Reduction in CUDA*; Wilt, *The CUDA Handbook*; and workshops). To be read,
//! run and compared; `examples/ladder` runs it, and docs/ladder.md walks through it.
//!
//! | rung | file | new in it |
//! |---|---|---|
//! | 1 | [`atomic`] | an atomic addition per element |
//! | 2 | [`pairwise`] | pairs through global memory, a launch per level |
//! | 3, 4 | [`interleaved`] | shared memory: a divergent branch, then a stride with bank conflicts |
//! | 5 | [`sequential`] | neighbouring lanes, neighbouring words |
//! | 6 | [`first_add`] | two elements per thread |
//! | 7 | [`last_warp`] | no barrier in the last warp |
//! | 8 | [`unrolled`] | the block's size is a const generic |
//! | 9 | [`grid_stride`] | many elements per thread |
//! | 10, 11 | [`any_size`] | any block size; two passes of one kernel |
//! | 12 | [`single_pass`] | one launch, an atomic per thread or per block |
//! | 13 | [`ticket`] | one launch, no atomic on the value |
//! | 14 | [`one_block`] | one block of any length, and without shared memory |
//! | 15 | [`shuffle`] | warp shuffles |
//! | 16 | | `reduce_sum_f32` and `reduce_sum_i32_in_i32` of the catalogue |
//! | | [`block_scan`] | prefix sums within a block, three ways |
//! | | [`coalescing`], [`transpose`] | access patterns of memory |
//! | | `addend`, `scratch` | the numbers that are added, and the shared memory |
//! | | [`entry`] | raw arguments become handles |
//! | | `host/rung` | the list, and the host's launches for each |
//! | | `host/emulated`, `host/sectors` | a rung under the emulator, in memory with a GPU's alignment |
//!
//! **These kernels are not the library's.** They are behind the feature `ladder`, are shipped with the example only,
//! and are exempt from two of the library's rules. First, their float sums need not have defined bits. Each rung adds
//! in an order of its own, and rungs with atomics add in another order at each run. Second, `cargo xtask lint` refuses
//! float atomics, but accepts them in rungs 1 and 12 alone (`MAY_ADD_ATOMICALLY` in xtask/src/lint.rs).

mod addend;
pub mod any_size;
pub mod atomic;
pub mod block_scan;
pub mod coalescing;
pub mod entry;
pub mod first_add;
pub mod grid_stride;
#[cfg(not(target_arch = "nvptx64"))]
pub mod host;
pub mod interleaved;
pub mod last_warp;
pub mod one_block;
pub mod pairwise;
mod scratch;
pub mod sequential;
pub mod shuffle;
pub mod single_pass;
pub mod ticket;
pub mod transpose;
pub mod unrolled;

pub use addend::Addend;
