//! Launches: each kind checks that its arguments are what the kernels may touch, has its queue keep what they use, and enqueues.
//! The only module of the GPU backend with unsafe code.
//!
//! The driver beneath is the crate [`cust`], which knows no operator. A [`Queue`] is one of its streams, which keeps whatever
//! its unfinished work uses. The one thing let go a moment earlier is the input of a launch whose own result has arrived:
//! [`reply`] says why it may.

mod arrivals;
mod canary;
mod chunk;
mod function;
mod kernels;
mod launch;
mod launch_columns;
mod launch_compact;
mod launch_finish;
mod launch_gather;
mod launch_input;
mod launch_moves;
mod launch_partition;
mod launch_rows;
mod launch_runs;
mod launch_scan;
mod launch_scan_segments;
mod launch_segments;
mod launch_select;
mod launch_sort;
mod launch_totals;
mod portions;
mod probe;
mod queue;
mod registers;
mod reply;
mod rooms;
mod watch;

pub(super) use canary::Canary;
pub(super) use cust::context::Context;
pub(super) use cust::event::Event;
pub(super) use cust::graph::{Graph, Recording};
pub(super) use cust::mark::Mark;
pub(super) use cust::memory::{self, Lent, LockedBuffer, Memory, Region, is_page_locked};
pub(super) use cust::stream::StreamHandle;
pub(super) use cust::trace::{Times, trace};
pub(super) use kernels::Kernels;
pub(super) use launch::{Input, Output};
pub(super) use launch_columns::are_vectors as are_columns_vectors;
pub(super) use launch_compact::{Compacted, Selector};
pub(super) use launch_gather::gather_blocks;
pub(super) use launch_input::span_len;
pub(super) use launch_partition::{Digits, IdCheck, Starts, Tagged};
pub(super) use launch_scan_segments::{SCAN_SEGMENTS_LIST, ScanSegmentsRoom};
pub(super) use launch_segments::{Given, Offsets, SEGMENTS_LIST, SegmentsRoom, SegmentsWork};
pub(super) use launch_select::{Digit, Keys, Pairs, Picked, Stretch, sorted_len};
pub(super) use launch_sort::{SortIndices, SortKeys, SortLevel, SortRoom};
pub(super) use launch_totals::SCAN_TOTALS_LEN;
pub(super) use portions::{Items, Portions};
pub(super) use probe::{Device, Driver};
pub(super) use queue::Queue;
pub(super) use reply::Reply;
pub(super) use rooms::{Room, Rooms};
pub(super) use watch::MOST_WATCHING;
