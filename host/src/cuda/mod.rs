//! The GPU backend: devices, arrays on them, streams, and reductions.
//!
//! | file | holds |
//! |---|---|
//! | `device.rs` | [`Cuda`]: an open device |
//! | `array.rs` | [`DeviceArray`] and [`DeviceSlice`]: elements in its memory |
//! | `scalar.rs` | [`DeviceScalar`]: a result that stays there |
//! | `stream.rs` | [`Stream`]: work in order, waited for when its caller says so |
//! | `event.rs`, `graph.rs` | [`Event`]: times; [`Graph`]: launches recorded and replayed |
//! | `canary.rs` | whether a device computes as results are defined, asked when it is opened |
//! | `lane.rs` | a queue with the scratch that reductions on it use; a plan turned into launches |
//! | `tuning/` | [`Tuning`]: launch shapes that were measured on a device, kept from one process to the next |
//! | `driver/` | the CUDA driver: all unsafe code, and all that names cust |
#![deny(unsafe_code)]

mod array;
mod canary;
mod device;
#[allow(unsafe_code, reason = "the one place that calls the CUDA driver")]
mod driver;
mod event;
mod graph;
mod lane;
mod scalar;
mod scratch;
mod stream;
mod tuning;

pub use array::{DeviceArray, DeviceSlice};
pub use device::Cuda;
pub use event::Event;
pub use graph::Graph;
pub use scalar::DeviceScalar;
pub use stream::Stream;
pub use tuning::{Shape, Tuned, Tuning};
