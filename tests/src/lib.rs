//! What all tests share: the one list of sizes, the data, and results as bits.

pub mod bits;
pub mod data;
pub mod golden;
pub mod sizes;

pub use bits::Bits;
pub use data::{Sample, samples};
