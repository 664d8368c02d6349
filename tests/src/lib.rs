//! Shared by all tests: the list of sizes, the data, numbers of threads, and results as bits.

pub mod bits;
pub mod data;
#[cfg(feature = "cuda")]
mod device;
pub mod extremes;
pub mod failing;
pub mod formulas;
pub mod golden;
pub mod laws;
pub mod memory;
pub mod operators;
pub mod oracle;
pub mod orders;
mod sampled;
pub mod sizes;
pub mod threads;
pub mod total;
pub mod turn;

/// The catalogue, for the macros that name its operators.
#[doc(hidden)]
pub use gpu_kernels;

pub use bits::{Bits, stored_bits};
pub use data::{Sample, samples};
#[cfg(feature = "cuda")]
pub use device::{cuda, is_emulated, on_gpu_or_emulated, open, takes_case};
pub use memory::{Offset, poison};
pub use orders::{ORDERS, Sequence};

/// The examples of README.md, as tests. They are not in the library, whose package has its README elsewhere.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;

/// The example of docs/start.md.
#[cfg(doctest)]
#[doc = include_str!("../../docs/start.md")]
struct Start;

/// The examples of docs/calls.md.
#[cfg(doctest)]
#[doc = include_str!("../../docs/calls.md")]
struct Calls;

/// The examples of docs/recipes.md.
#[cfg(doctest)]
#[doc = include_str!("../../docs/recipes.md")]
struct Recipes;

/// The examples of docs/threads.md.
#[cfg(doctest)]
#[doc = include_str!("../../docs/threads.md")]
struct Threads;

/// The examples of docs/rows.md.
#[cfg(doctest)]
#[doc = include_str!("../../docs/rows.md")]
struct Rows;

/// The examples of docs/moves.md.
#[cfg(doctest)]
#[doc = include_str!("../../docs/moves.md")]
struct Moves;

/// The example of docs/exact.md.
#[cfg(doctest)]
#[doc = include_str!("../../docs/exact.md")]
struct Exact;

/// The examples of docs/files-and-arrays.md.
#[cfg(doctest)]
#[doc = include_str!("../../docs/files-and-arrays.md")]
struct FilesAndArrays;

/// The examples of docs/troubleshooting.md.
#[cfg(doctest)]
#[doc = include_str!("../../docs/troubleshooting.md")]
struct Troubleshooting;

/// The examples of docs/own-operators.md.
#[cfg(doctest)]
#[doc = include_str!("../../docs/own-operators.md")]
struct OwnOperators;

/// The reference in DESIGN.md, as a test.
#[cfg(doctest)]
#[doc = include_str!("../../DESIGN.md")]
struct Design;
