//! Reductions of segments, runs and groups on a GPU against the reference or the CPU backend, bit for bit. Without a device these tests fail.
#![allow(missing_docs)]

mod groups;
mod segments;
