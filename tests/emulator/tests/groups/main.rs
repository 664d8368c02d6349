//! The kernels that sort by group and find runs, under the emulator: against a stable sort, and the obvious loop.
#![allow(missing_docs)]

mod kernels;
mod partition;
mod runs;
mod scan;
mod sort;
