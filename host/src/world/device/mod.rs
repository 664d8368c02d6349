//! Parts in device memory of arrays that the ranks of a [`World`](crate::World) reduce.
//!
//! The tree is that of parts in host memory, and so is what ranks exchange: the device folds the tiles that lie within
//! its part, and their totals come to the host. So do the elements of a tile across a cut. Operations that a device does
//! not do for a part copy all of its elements to the host.

mod axes;
mod elements;
mod flat;
#[expect(clippy::disallowed_methods, reason = "a few words for each rank")]
mod nccl;
mod parts;

pub use nccl::{Channel, Nccl, NcclSizes};
