//! The GPU against the CPU backend, bit for bit. Without a device these tests fail.
#![cfg(feature = "cuda")]
#![allow(missing_docs)]

#[path = "gpu/arrays.rs"]
mod arrays;
#[path = "gpu/axes.rs"]
mod axes;
#[path = "gpu/canary.rs"]
mod canary;
#[path = "gpu/catalogue.rs"]
mod catalogue;
#[path = "gpu/columns.rs"]
mod columns;
#[path = "gpu/compact.rs"]
mod compact;
#[path = "gpu/concurrency.rs"]
mod concurrency;
#[path = "gpu/errors.rs"]
mod errors;
#[path = "gpu/finish.rs"]
mod finish;
#[path = "gpu/foreign.rs"]
mod foreign;
#[path = "gpu/groups.rs"]
mod groups;
#[path = "gpu/host_slices.rs"]
mod host_slices;
#[path = "gpu/large.rs"]
mod large;
#[path = "gpu/latency.rs"]
mod latency;
#[path = "gpu/laws.rs"]
mod laws;
#[path = "gpu/rows.rs"]
mod rows;
#[path = "gpu/sanitize.rs"]
mod sanitize;
#[path = "gpu/scan.rs"]
mod scan;
#[path = "gpu/scan_segments.rs"]
mod scan_segments;
#[path = "gpu/segments.rs"]
mod segments;
#[path = "gpu/select.rs"]
mod select;
#[path = "gpu/shapes.rs"]
mod shapes;
#[path = "gpu/sort.rs"]
mod sort;
#[path = "gpu/tuning.rs"]
mod tuning;
#[path = "gpu/zip.rs"]
mod zip;

use std::sync::OnceLock;

use warpfold::Cuda;

/// The device that all tests share.
fn cuda() -> &'static Cuda {
    static CUDA: OnceLock<Cuda> = OnceLock::new();
    CUDA.get_or_init(|| {
        Cuda::open(0).unwrap_or_else(|error| panic!("these tests need a CUDA device: {error}"))
    })
}
