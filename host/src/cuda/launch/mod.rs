//! Launches of the kernels. Each kind of launch checks that its arguments are memory the kernels may touch, has its
//! queue keep that memory alive, and enqueues.
//!
//! Nearly all unsafe code of the GPU backend is here. The only other unsafe code is in `foreign.rs` and `rust_cuda.rs`,
//! whose public functions are unsafe because their callers guarantee what a pointer, a buffer or a stream is.
//!
//! The driver is reached through the crate [`cust`], which knows no operator. A [`Queue`] is one of its streams, and
//! keeps everything that its unfinished work uses. There is one exception: the input of a launch is let go as soon as
//! the launch's own result has arrived, which [`queue::reply`] justifies.

mod canary;
mod columns;
mod compact;
mod enqueue;
mod finish;
mod fold;
mod gather;
mod groups;
mod kernels;
mod long;
mod pack;
mod portions;
mod probe;
mod queue;
mod radix;
mod rooms;
mod rows;
mod scan;
mod segments;
mod select;
mod sort;

pub(super) use canary::Canary;
pub(super) use columns::are_vectors as are_columns_vectors;
pub(super) use compact::{Compacted, Selector};
pub(super) use cust::context::Context;
pub(super) use cust::event::Event;
pub(super) use cust::graph::{Graph, Recording};
pub(super) use cust::mark::Mark;
pub(super) use cust::memory::{self, Lent, LockedBuffer, Memory, Region, is_page_locked};
pub(super) use cust::stream::StreamHandle;
pub(super) use cust::trace::{Times, trace};
pub(super) use enqueue::{Input, Output};
pub(super) use fold::{belongs, span_len};
pub(super) use gather::gather_blocks;
pub(super) use groups::partition::{Digits, IdCheck, Starts, Tagged};
pub(super) use groups::totals::SCAN_TOTALS_LEN;
pub(super) use kernels::Kernels;
pub(super) use long::{most_moved, position_bytes};
pub(super) use portions::{Items, Portions};
pub use probe::DeviceProperties;
pub(super) use probe::Driver;
pub(crate) use probe::OLDEST_CUDA;
pub(super) use queue::Queue;
pub(super) use queue::reply::Reply;
pub(super) use queue::watch::MOST_WATCHING;
pub(super) use radix::{RadixMoved, RadixRoom, RadixValues, radix_parts};
pub(super) use rooms::{Room, Rooms};
pub(super) use scan::segments::ScanSegmentsRoom;
pub(super) use segments::{Given, Offsets, SEGMENTS_LIST, SegmentsRoom, SegmentsWork};
pub(super) use select::{Digit, Keys, Pairs, Picked, Stretch, sorted_len};
pub(super) use sort::{SortIndices, SortKeys, SortLevel, SortRoom};
