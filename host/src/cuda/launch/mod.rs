//! Launches of the kernels. Each kind of launch checks that its arguments are memory the kernels may touch, has its
//! queue keep that memory alive, and enqueues.
//!
//! Nearly all unsafe code of the GPU backend is here. The only other unsafe code is in `foreign.rs`, whose
//! public functions are unsafe because their callers guarantee what a pointer or a stream is.
//!
//! The driver is reached through the crate [`cust`], which knows no operator. A [`Queue`] is one of its streams, and
//! keeps everything that its unfinished work uses. There is one exception: the input of a launch is let go as soon as
//! the launch's own result has arrived, which [`queue::reply`] justifies.

mod canary;
mod columns;
mod compact;
mod enqueue;
mod finish;
mod first;
mod fold;
mod forward;
mod gather;
mod groups;
mod histogram;
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

pub(crate) use canary::Canary;
pub(crate) use columns::are_vectors as are_columns_vectors;
pub(crate) use compact::{Compacted, Selector};
pub(crate) use cust::context::Context;
pub(crate) use cust::event::Event;
pub(crate) use cust::graph::{Graph, Joined, Recording};
pub(crate) use cust::mark::Mark;
pub(crate) use cust::memory::{self, Lent, LockedBuffer, Memory, Region, is_page_locked};
pub(crate) use cust::stream::StreamHandle;
pub(crate) use cust::trace::{Times, trace};
pub(crate) use enqueue::{Input, Output};
pub(crate) use first::{FirstOf, FirstTo, SlicedSegments, Slices};
pub(crate) use fold::{Reduction, belongs, span_len};
pub(crate) use forward::{Labels, LogOf, Matrix, NormOf};
pub(crate) use gather::gather_blocks;
pub(crate) use groups::atomics::AtomicGroups;
pub(crate) use groups::partition::{IdCheck, Starts, Tagged};
pub(crate) use groups::totals::SCAN_TOTALS_LEN;
pub(crate) use histogram::{Places, Room as HistogramRoom};
pub(crate) use kernels::Kernels;
pub(crate) use long::{most_moved, position_bytes};
pub(crate) use portions::{Items, Portions};
pub use probe::DeviceProperties;
pub(crate) use probe::Driver;
pub(crate) use probe::OLDEST_CUDA;
pub(crate) use queue::Queue;
pub(crate) use queue::reply::Reply;
pub(crate) use queue::watch::MOST_WATCHING;
pub(crate) use radix::{RadixMoved, RadixRoom, RadixValues, radix_parts};
pub(crate) use rooms::{Room, Rooms};
pub(crate) use scan::segments::ScanSegmentsRoom;
pub(crate) use segments::{Given, Offsets, SEGMENTS_LIST, SegmentsRoom, SegmentsWork};
pub(crate) use select::{Digit, Keys, Pairs, Picked, Stretch, sorted_len};
pub(crate) use sort::parts::{Divided, PartEnds, PartRoom, PartRooms};
pub(crate) use sort::{SortIndices, SortKeys, SortLevel, SortRoom, SortTo};
