//! A SIMT emulator, which runs unchanged kernel source on the CPU, checks it, and counts what it does.
//!
//! [`Launch`] runs a kernel's threads as coroutines on the calling OS thread. The kernel's calls of this crate's
//! functions go through the emulator. Plain Rust between the calls runs at full speed and unchecked, including raw
//! pointers that are dereferenced. A run depends on the kernel, its input and the [`Order`] only, not on a clock or the
//! OS scheduler. Several launches may run at once on several OS threads.
//!
//! [`Misuse`] lists what a launch reports, and [`Counts`] what it counts. The emulator's memory is sequentially
//! consistent, so a kernel without a needed barrier often has the right result. It is reported all the same: reports
//! follow from the order that barriers, `sync_warp` and tickets establish, not from the order of this run.
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
//!     let arguments = count_warps { count: &raw mut count };
//!     // SAFETY: `count` lives as long as the launch.
//!     let counts = Launch::new(5, 96).order(order).run(|| unsafe { count_warps(arguments) })?;
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

mod addresses;
mod atomic;
mod block;
mod counts;
mod entry;
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
mod written;

pub use counts::Counts;
pub use entry::{Bound, Entry};
pub use launch::{Dim, Launch, Order};
pub use misuse::{Misuse, Site};
pub use written::Written;
