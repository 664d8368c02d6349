//! Scans on a GPU, of arrays and of segments, against the CPU backend, bit for bit. Without a device these tests fail.
#![allow(missing_docs)]

mod along;
mod equal;
#[cfg(feature = "emulator")]
mod own;
mod scan;
mod scan_segments;
