//! Threads as ranks with parts in device memory: every result has the bits of the CPU over the concatenated parts. Each
//! rank opens a device for itself; ranks share them where there are fewer. Without a device these tests fail.
#![allow(missing_docs)]

mod arrays;
mod catalogue;
#[path = "../world/cuts.rs"]
#[allow(dead_code, reason = "the tests of ranks in host memory use the rest")]
mod cuts;
mod devices;
mod empty;
mod flat;
mod parts;
#[path = "../world/ranks.rs"]
#[allow(dead_code, reason = "the tests of ranks in host memory use the rest")]
mod ranks;
mod refused;
