//! The GPU backend: devices, arrays on them, streams, and reductions.
//!
//! | room | holds |
//! |---|---|
//! | `device.rs` | [`Cuda`]: an open device |
//! | `stream.rs`, `pending.rs`, `wake.rs` | [`Stream`]: work in order; [`Pending`]: a result on its way, and who wakes the task that awaits it |
//! | `graph.rs`, `event.rs` | [`Graph`]: launches recorded and replayed; [`Event`]: times |
//! | `foreign.rs`, `rust_cuda.rs` | arrays and streams of other libraries |
//! | `array/` | elements and results in device memory: [`DeviceArray`], [`DeviceSlice`], [`DeviceView`], [`DeviceScalar`], [`DeviceResults`], [`DeviceValues`] |
//! | `input.rs` | [`DeviceInput`]: what is reduced |
//! | `zip.rs`, `rows.rs`, `columns.rs`, `along/`, `segments.rs`, `groups/`, `runs/` | reductions of two arrays, of rows, columns, axes, segments, groups and runs |
//! | `finish.rs` | results made on the device |
//! | `scan/`, `compact.rs`, `sort/`, `select/` | scans, compactions, sorts, and the first in an order |
//! | `feed/` | [`Feed`]: arrays in host memory, of any length |
//! | `canary.rs` | whether a device computes as results are defined, asked when it is opened |
//! | `lane/` | queues with the scratch that reductions on them use, and their loan to blocking calls; a plan turned into launches |
//! | `tuning/` | [`Tuning`]: launch shapes that were measured on a device, kept from one process to the next |
//! | `launch/` | launches of the kernels on streams of the crate cust: all unsafe code |
#![deny(unsafe_code)]

mod along;
mod array;
mod canary;
mod columns;
mod compact;
mod device;
mod event;
mod feed;
mod finish;
#[allow(unsafe_code, reason = "functions whose callers promise what a pointer is")]
mod foreign;
mod graph;
mod groups;
mod input;
mod lane;
#[allow(unsafe_code, reason = "the one place that launches kernels")]
mod launch;
mod pending;
mod rows;
mod runs;
#[cfg(feature = "rust-cuda")]
#[allow(unsafe_code, reason = "functions whose callers promise what a buffer or a stream is")]
mod rust_cuda;
mod scan;
mod segments;
mod select;
mod sort;
mod stream;
mod tuning;
mod wake;
mod zip;

pub use array::results::DeviceResults;
pub use array::scalar::DeviceScalar;
pub use array::values::DeviceValues;
pub use array::view::DeviceView;
pub use array::{DeviceArray, DeviceSlice};
pub use device::Cuda;
pub use event::Event;
#[doc(hidden)]
pub use event::launch_times;
pub use feed::Feed;
pub use feed::host::{Host, host};
pub use graph::Graph;
pub use input::{DeviceElements, DeviceInput, Planned, StreamInput};
pub use launch::DeviceProperties;
pub(crate) use launch::OLDEST_CUDA;
pub use pending::Pending;
pub use runs::key_type::KeyType;
pub use scan::{DeviceScanInPlace, DeviceScanInput, StreamScanInput};
pub use sort::key::SortKey;
pub use stream::Stream;
pub use tuning::{Shape, Tuned, Tuning};
