//! Reductions to one value on a device against the reference or the CPU backend, bit for bit; devices, memory and streams.
#![allow(missing_docs)]

mod another_library;
mod arrays;
mod canary;
mod catalogue;
mod concurrency;
mod configs;
mod errors;
mod extremes;
mod foreign;
mod host_slices;
mod large;
mod latency;
mod laws;
mod pairs;
mod tuning;
mod zip;
