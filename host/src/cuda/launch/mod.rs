//! Launches: each kind checks that its arguments are what the kernels may touch, has its queue keep what they use, and enqueues.
//! The only module of the GPU backend with unsafe code.
//!
//! The driver beneath is the crate [`cust`], which knows no operator. A [`Queue`] is one of its streams, which keeps whatever
//! its unfinished work uses. The one thing let go a moment earlier is the input of a launch whose own result has arrived:
//! [`queue::reply`] says why it may.

mod canary;
mod chunk;
mod columns;
mod compact;
mod enqueue;
mod finish;
mod fold;
mod gather;
mod groups;
mod kernels;
mod pack;
mod portions;
mod probe;
mod queue;
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
pub(super) use fold::span_len;
pub(super) use gather::gather_blocks;
pub(super) use groups::partition::{Digits, IdCheck, Starts, Tagged};
pub(super) use groups::totals::SCAN_TOTALS_LEN;
pub(super) use kernels::Kernels;
pub(super) use portions::{Items, Portions};
pub use probe::DeviceProperties;
pub(super) use probe::Driver;
pub(crate) use probe::OLDEST_CUDA;
pub(super) use queue::Queue;
pub(super) use queue::reply::Reply;
pub(super) use queue::watch::MOST_WATCHING;
pub(super) use rooms::{Room, Rooms};
pub(super) use scan::segments::{SCAN_SEGMENTS_LIST, ScanSegmentsRoom};
pub(super) use segments::{Given, Offsets, SEGMENTS_LIST, SegmentsRoom, SegmentsWork};
pub(super) use select::{Digit, Keys, Pairs, Picked, Stretch, sorted_len};
pub(super) use sort::{SortIndices, SortKeys, SortLevel, SortRoom};
