//! The GPU backend: devices, arrays on them, streams, and reductions.
//!
//! | module | contents |
//! |---|---|
//! | `device.rs` | [`Cuda`]: an open device |
//! | `stream.rs`, `pending.rs` | [`Stream`]: work in order; [`Pending`]: a result on its way |
//! | `wake.rs` | wakes the tasks that await results |
//! | `graph.rs`, `event.rs` | [`Graph`]: recorded launches, replayed; [`Event`]: times |
//! | `foreign.rs` | arrays and streams of other libraries |
//! | `array/` | elements in device memory: [`DeviceArray`], [`DeviceSlice`] |
//! | `array/` | results in device memory: [`DeviceScalar`], [`DeviceResults`], [`DeviceValues`] |
//! | `input.rs` | [`DeviceElements`]; how inputs with parts are reduced |
//! | `zip.rs`, `rows.rs`, `columns.rs`, `along/` | reductions of two arrays, and of rows, columns and axes |
//! | `segments.rs`, `windows.rs`, `groups/`, `runs/` | reductions of segments, windows, groups and runs |
//! | `finish.rs` | results computed on the device |
//! | `scan/`, `compact.rs`, `sort/`, `select/`, `histogram/` | scans, compactions, sorts, the first elements in an order, counts in bins |
//! | `feed/` | [`Feed`]: arrays in host memory, of any length |
//! | `canary.rs` | the check of a device's arithmetic, made when the device is opened |
//! | `world/` | parts in device memory of arrays of several ranks; [`Nccl`]: moves between their devices |
//! | `executor/` | queues with scratch memory, their loan to blocking calls, and the launches of a plan |
//! | `tuning/` | [`Tuning`]: launch configurations measured on a device, kept from one process to the next |
//! | `launch/` | launches of the kernels on streams of the crate cust, and the unsafe code that this takes |
#![deny(unsafe_code)]

mod along;
pub(crate) mod array;
mod canary;
mod columns;
mod compact;
mod device;
mod event;
pub(crate) mod executor;
mod feed;
mod finish;
#[allow(unsafe_code, reason = "functions whose callers promise what a pointer is")]
mod foreign;
mod forward;
mod graph;
mod groups;
mod histogram;
pub(crate) mod input;
#[allow(unsafe_code, reason = "the one place that launches kernels")]
pub(crate) mod launch;
mod parts;
mod pending;
mod rows;
mod runs;
mod scan;
mod segments;
mod select;
mod sort;
mod stream;
#[expect(clippy::disallowed_methods, reason = "rows of a table of kernels, and lines of its file")]
mod tuning;
mod wake;
mod windows;
mod zip;

pub use array::results::DeviceResults;
pub use array::scalar::DeviceScalar;
pub use array::values::DeviceValues;
pub use array::{DeviceArray, DeviceSlice};
pub use device::Cuda;
pub use event::Event;
#[doc(hidden)]
pub use event::launch_times;
pub use feed::Feed;
pub use feed::host::{Host, host};
pub use graph::Graph;
pub use histogram::DeviceBins;
pub(crate) use input::DeviceElements;
pub use input::Planned;
pub use launch::DeviceProperties;
pub(crate) use launch::OLDEST_CUDA;
pub use pending::Pending;
pub(crate) use runs::key_type::KeyType;
pub use stream::Stream;
#[cfg(fuzzing)]
pub use tuning::fuzz::is_tuning_or_refused;
pub use tuning::{LaunchConfig, Tuned, Tuning};
