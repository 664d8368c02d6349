//! Reductions of segments, runs and groups on a device against the reference or the CPU backend, bit for bit.
#![allow(missing_docs)]

mod atomics;
mod chunks;
mod empty;
mod groups;
mod segments;
