//! A SIMT emulator: runs unchanged kernel source on the CPU, watches it, and counts.
//!
//! [`Launch`] runs a kernel's threads as coroutines on the calling OS thread. Every function of this crate
//! that the kernel calls asks the emulator; plain Rust between the calls runs at full speed and unwatched, a
//! raw pointer dereferenced included. A run is a function of the kernel, its input and the [`Order`]: no
//! clock and no OS scheduling enters. Several launches may run at once on several OS threads.
//!
//! What a launch reports is in [`Misuse`], what it counts in [`Counts`]. Memory is sequentially consistent
//! here, so a missing barrier often leaves the result right; the reports do not depend on that luck. They
//! come from the order that barriers, `sync_warp` and tickets establish, not from the order of this run.
//!
//! ```
//! use cuda_std::emulator::{Launch, Order};
//! use cuda_std::{atomic::Ticket, warp};
//!
//! cuda_std::kernel! {
//!     /// Counts the warps of the grid.
//!     ///
//!     /// # Safety
//!     /// `count` is valid for a u32 that nothing else uses.
//!     pub unsafe fn count_warps(count: *mut u32) {
//!         if warp::lane_id() == 0 {
//!             // SAFETY: by this function's contract. Nothing but tickets touches it.
//!             let _ = unsafe { Ticket::new(count) }.take(u32::MAX);
//!         }
//!     }
//! }
//!
//! for order in [Order::InOrder, Order::Reversed, Order::Shuffled(1), Order::Interleaved(1)] {
//!     let mut count = 0;
//!     let pointer = &raw mut count;
//!     // SAFETY: `count` lives as long as the launch.
//!     let counts = Launch::new(5, 96).order(order).run(|| unsafe { count_warps(pointer) })?;
//!     assert_eq!(count, 5 * 3);
//!     assert_eq!(counts.tickets, 5 * 3);
//! }
//! # Ok::<(), cuda_std::emulator::Misuse>(())
//! ```
//!
//! A report names the places in the source:
//!
//! ```
//! use cuda_std::emulator::{Launch, Misuse};
//! use cuda_std::thread;
//!
//! let found = Launch::new(1, 64).run(|| {
//!     if thread::thread_idx_x() < 32 {
//!         thread::sync_threads();
//!     }
//! });
//! let Err(Misuse::BarrierMissed { waiting, ended }) = found else { unreachable!("it is reported") };
//! assert_eq!((waiting.call, ended.thread[0] / 32), ("sync_threads", 1));
//! ```

mod atomic;
mod block;
mod counts;
mod global;
mod grid;
mod hand_over;
mod launch;
mod misuse;
mod order;
mod random;
mod schedule;
mod shared;
mod stack;
mod steps;
pub(crate) mod thread;
pub(crate) mod warp;

pub use counts::Counts;
pub use launch::{Dim, Launch, Order};
pub use misuse::{Misuse, Site};
