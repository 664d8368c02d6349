//! Parts in device memory of arrays that the ranks of a [`World`](crate::World) reduce.
//!
//! The tree is the same as for parts in host memory, and ranks exchange the same data. The device folds the tiles that
//! lie within its part. Their totals, and the elements of a tile across a cut, are copied to the host. An operation
//! that a device does not support for a part copies all elements of the part to the host.

mod axes;
mod elements;
mod flat;
#[expect(clippy::disallowed_methods, reason = "a few words for each rank")]
mod nccl;
mod parts;

pub use nccl::{Channel, Nccl, NcclSizes};
