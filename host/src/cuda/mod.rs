//! The GPU backend: devices, arrays on them, streams, and reductions.
//!
//! | file | holds |
//! |---|---|
//! | `device.rs` | [`Cuda`]: an open device |
//! | `array.rs` | [`DeviceArray`] and [`DeviceSlice`]: elements in its memory |
//! | `scalar.rs` | [`DeviceScalar`]: a result that stays there |
//! | `results.rs`, `lens.rs` | [`DeviceResults`]: several of them; of how many elements each is |
//! | `rows.rs`, `columns.rs` | reductions of the rows and the columns of a matrix |
//! | `view.rs`, `axes.rs`, `pieces.rs` | [`DeviceView`]: an array of several dimensions; reductions along some of them |
//! | `segments.rs` | reductions of segments between offsets, and of chunks |
//! | `compact.rs` | elements that a predicate or flags select, brought together; partitions |
//! | `groups.rs`, `keys.rs`, `key_type.rs` | reductions by group and by key; which keys |
//! | `partition.rs` | elements sorted by group, and runs of equal keys, in memory of the call |
//! | `finish.rs`, `values.rs` | results made on the device; [`DeviceValues`]: where those are that a stream makes |
//! | `scan.rs`, `scan_segments.rs` | scans; of segments |
//! | `select.rs` | the first in an order, medians and quantiles |
//! | `first.rs`, `first_many.rs` | the first pairs of a rank and an index: found, and brought to the host or to arrays |
//! | `places.rs`, `candidates.rs` | elements by their place in an order; those within a stretch of it, and how many have which digits |
//! | `sort.rs`, `sort_key.rs`, `sort_levels.rs`, `sort_plan.rs` | sorts; of which elements, level by level, and in which memory |
//! | `input.rs` | [`DeviceInput`]: what is reduced |
//! | `pairs.rs` | reductions of two arrays side by side |
//! | `stream.rs` | [`Stream`]: work in order, waited for when its caller says so |
//! | `pending.rs`, `wake.rs` | [`Pending`]: a result on its way; who wakes the task that awaits it |
//! | `foreign.rs` | arrays and streams of other libraries |
//! | `event.rs`, `graph.rs` | [`Event`]: times; [`Graph`]: launches recorded and replayed |
//! | `word.rs` | plain data as words, as kernels take ranks |
//! | `canary.rs` | whether a device computes as results are defined, asked when it is opened |
//! | `lane.rs`, `scratch.rs` | a queue with the scratch that reductions on it use; a plan turned into launches |
//! | `lanes.rs` | lanes of a device, for blocking calls of any thread |
//! | `host_slice.rs` | reductions of slices in host memory, of any length |
//! | `feed.rs`, `feeder.rs`, `source.rs` | [`Feed`]: in which chunks they go to the device, and how that is done |
//! | `tuning/` | [`Tuning`]: launch shapes that were measured on a device, kept from one process to the next |
//! | `launch/` | launches of the kernels on streams of the crate cust: all unsafe code |
#![deny(unsafe_code)]

mod array;
mod axes;
mod canary;
mod candidates;
mod columns;
mod compact;
mod device;
mod event;
mod feed;
mod feeder;
mod finish;
mod first;
mod first_many;
#[allow(unsafe_code, reason = "functions whose callers promise what a pointer is")]
mod foreign;
mod graph;
mod groups;
mod host_slice;
mod input;
mod key_type;
mod keys;
mod lane;
mod lanes;
#[allow(unsafe_code, reason = "the one place that launches kernels")]
mod launch;
mod lens;
mod pairs;
mod partition;
mod partition_plan;
mod pending;
mod pieces;
mod places;
mod results;
mod rows;
mod runs;
#[cfg(feature = "rust-cuda")]
#[allow(unsafe_code, reason = "functions whose callers promise what a buffer or a stream is")]
mod rust_cuda;
mod scalar;
mod scan;
mod scan_segments;
mod scratch;
mod segments;
mod select;
mod sort;
mod sort_key;
mod sort_levels;
mod sort_plan;
mod source;
mod stream;
mod tuning;
mod values;
mod view;
mod wake;
mod word;

pub use array::{DeviceArray, DeviceSlice};
pub use device::Cuda;
pub use event::Event;
#[doc(hidden)]
pub use event::launch_times;
pub use feed::Feed;
pub use graph::Graph;
pub use host_slice::{Host, host};
pub use input::{DeviceElements, DeviceInput, Planned, StreamInput};
pub use key_type::KeyType;
pub use pending::Pending;
pub use results::DeviceResults;
pub use scalar::DeviceScalar;
pub use scan::{DeviceScanInPlace, DeviceScanInput, StreamScanInput};
pub use sort_key::SortKey;
pub use stream::Stream;
pub use tuning::{Shape, Tuned, Tuning};
pub use values::DeviceValues;
pub use view::DeviceView;
