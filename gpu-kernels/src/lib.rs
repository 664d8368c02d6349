//! The operators, the canonical reduction tree, and the GPU kernels of warpfold.
//!
//! Compiled for `nvptx64-nvidia-cuda` this crate is the kernels. Compiled for the host it is the operators and the tree, along
//! which the CPU backend folds; with the feature `emulator` it also has the kernels, for cuda_std's SIMT emulator.
//!
//! The kernels are built in layers. Each layer calls only the layers below it.
//!
//! | layer | file | called by | answer valid in | scratch |
//! |---|---|---|---|---|
//! | segments | [`segments`] | an entry point: every thread of every block | global memory, when the launch has ended | lists of tiles, their accumulators |
//! | scan | [`scan`] | an entry point: every thread of every block | global memory, when the launch has ended | its block's, words that blocks post |
//! | columns | `columns` | an entry point: every thread of every block | global memory, when the launch has ended | its block's |
//! | rows | `rows` | an entry point: every thread of every block | global memory, when the launch has ended | its block's |
//! | forward | [`forward`] | an entry point: every thread of every block | global memory, when the launch has ended | its block's |
//! | finish | `finish.rs` | an entry point: any threads | global memory, when the launch has ended | none |
//! | radix | [`radix`] | an entry point: every thread of every block | global memory, when the launch has ended | its block's, words that blocks post |
//! | sort | [`sort`] | an entry point: every thread of every block | global memory, when the launch has ended | its block's |
//! | histogram | [`histogram`] | an entry point: every thread of every block | global memory, when the launch has ended | its block's |
//! | select | [`select`] | an entry point: every thread of every block | global memory, when the launch has ended | its block's |
//! | groups | [`groups`] | an entry point: every thread of every block | global memory, when the launch has ended | its block's, words that blocks post |
//! | compact | [`compact`] | an entry point: every thread of every block | global memory, when the launch has ended | its block's, words that blocks post |
//! | pack | [`pack`] | an entry point: every thread of every block | global memory, when the launch has ended | its block's |
//! | row | `row` | every thread of the block | every thread | the block's, its groups' |
//! | grid | `grid.rs` | an entry point: every thread of every block | global memory, when the launch has ended | partial results, a ticket |
//! | block | `block` | every thread of the block | thread 0, or every thread | one accumulator per warp, twice |
//! | hand-over | `hand_over` | as each says: a thread, a warp, the block | every caller | words that blocks post, a ticket |
//! | warp | `warp` | every lane of the warp | lane 0, or every lane | none |
//! | thread | `thread` | one thread | that thread | none |
//! | word | [`word`] | every layer that moves elements and knows only their bytes or ranks | | |
//! | tree | [`tree`], [`mod@reference`] | every layer | | |
//! | operator | [`op`], [`ops`], [`mod@formula`] | every layer | | |
//!
//! Your own kernels may call `row`, `block`, `warp` and `thread`, which are public: see `examples/softmax`. They exist on the
//! device and with the feature `emulator`.
#![cfg_attr(target_arch = "nvptx64", no_std)]
#![cfg_attr(target_arch = "nvptx64", feature(asm_experimental_arch))]
#![cfg_attr(target_arch = "nvptx64", feature(f16))]
#![cfg_attr(
    all(
        target_arch = "nvptx64",
        any(
            feature = "catalogue",
            feature = "formula",
            feature = "forward",
            feature = "rows",
            feature = "moves",
            feature = "scan",
            feature = "ladder"
        )
    ),
    feature(abi_ptx)
)]

pub mod addresses;
pub mod arguments;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
pub mod block;
pub mod canary;
mod catalogue;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
mod columns;
pub mod compact;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
pub mod entry;
mod families;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
mod finish;
pub mod formula;
pub mod forward;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
mod grid;
pub mod groups;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
mod hand_over;
pub mod histogram;
#[cfg(all(feature = "ladder", any(target_arch = "nvptx64", feature = "emulator")))]
pub mod ladder;
pub mod op;
pub mod ops;
pub mod pack;
#[cfg(target_arch = "nvptx64")]
mod panic;
pub mod radix;
#[cfg(not(target_arch = "nvptx64"))]
pub mod reference;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
pub mod row;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
mod rows;
pub mod scan;
pub mod segments;
pub mod select;
pub mod shapes;
pub mod sort;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
pub mod source;
pub mod stored;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
pub mod thread;
pub mod tree;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
pub mod warp;
pub mod word;

#[cfg(not(target_arch = "nvptx64"))]
pub use formula::Formula;
pub use formula::Mapped;
pub use forward::FloatElement;
/// The crate [`half`], whose 16-bit floats are elements.
pub use half::{bf16, f16};
/// The crate [`num_complex`], whose complex numbers are elements.
pub use num_complex::Complex;
pub use op::{Accumulator, Atomic, Element, Op, is_free};
pub use ops::*;
pub use stored::{Storable, StoredAt, StoredOf};
pub use tree::TREE_VERSION;
