//! The description of a launch.

use core::ops::Range;
use std::sync::Arc;

use super::counts::Counts;
use super::misuse::Misuse;
use super::schedule;
use super::stack::STACK_BYTES;
use super::written::Written;

/// Memory that a launch may access.
#[derive(Clone, Debug)]
pub(super) struct Registered {
    /// Its addresses.
    pub(super) bytes: Range<usize>,
    /// Which of its bytes may be read; `None` for all.
    pub(super) written: Option<Arc<Written>>,
}

fn range<T>(memory: *const [T]) -> Range<usize> {
    let start = memory.cast::<T>().addr();
    start..start.saturating_add(memory.len().saturating_mul(size_of::<T>()))
}

/// Extents in x, y and z: of a grid in blocks, or of a block in threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dim {
    /// Extent in x, which varies fastest.
    pub x: u32,
    /// Extent in y.
    pub y: u32,
    /// Extent in z, which varies slowest.
    pub z: u32,
}

impl Dim {
    /// Returns the product of the extents, which must be within a GPU's limits.
    pub(crate) fn count(self) -> u32 {
        self.x.wrapping_mul(self.y).wrapping_mul(self.z)
    }

    /// Returns the index with number `linear`, x varying fastest.
    pub(super) fn index(self, linear: u32) -> [u32; 3] {
        [linear % self.x, linear / self.x % self.y, linear / self.x / self.y]
    }
}

impl From<u32> for Dim {
    fn from(x: u32) -> Self {
        Self { x, y: 1, z: 1 }
    }
}

impl From<(u32, u32)> for Dim {
    fn from((x, y): (u32, u32)) -> Self {
        Self { x, y, z: 1 }
    }
}

impl From<(u32, u32, u32)> for Dim {
    fn from((x, y, z): (u32, u32, u32)) -> Self {
        Self { x, y, z }
    }
}

/// The order in which blocks, warps and lanes run. A correct kernel has the same result under each.
///
/// A lane runs until it waits for others (barrier, vote, shuffle, `sync_warp`), sleeps, fences, takes a ticket or adds
/// by an atomic. Then another lane may run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Order {
    /// Block after block. In a block each warp runs until it must wait, first warp and first lane first.
    InOrder,
    /// The same, from the last block, warp and lane.
    Reversed,
    /// Block after block in an order drawn from the seed. The next warp, how long it goes on, and the order of its lanes
    /// are drawn, too.
    Shuffled(u64),
    /// Like `Shuffled`, with several blocks resident: as many as make 2048 threads, at least two. Some run ahead of the others.
    Interleaved(u64),
}

/// A kernel launch on the emulator.
///
/// ```
/// use cuda_std::emulator::{Launch, Order};
/// use cuda_std::{global::{GlobalCells, GlobalSlice}, thread};
///
/// let input: Vec<f32> = (0..1000).map(|i| i as f32).collect();
/// let mut output = vec![0.0; 1000];
/// let (from, to) = (input.as_ptr(), output.as_mut_ptr());
/// let counts = Launch::new(4, 256)
///     .order(Order::Shuffled(7))
///     .register(&input[..])
///     .register(&output[..])
///     .run(|| {
///         // SAFETY: both have 1000 elements and live as long as the launch.
///         let (from, to) = unsafe { (GlobalSlice::new(from, 1000), GlobalCells::new(to, 1000)) };
///         let i = thread::index_1d();
///         if i < from.len() {
///             to.write(i, from.read(i) + 1.0);
///         }
///     })?;
/// assert_eq!(output[999], 1000.0);
/// assert_eq!(counts.global_bytes, 8000);
/// # Ok::<(), cuda_std::emulator::Misuse>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct Launch {
    pub(super) blocks: Dim,
    pub(super) threads: Dim,
    pub(super) order: Order,
    pub(super) shared_bytes: u32,
    pub(super) stack_bytes: usize,
    pub(super) memory: Vec<Registered>,
}

impl Launch {
    /// Creates a grid of `blocks` blocks of `threads` threads each: numbers, or tuples of two or three extents. The
    /// limits are a GPU's: 1024 threads per block (64 in z), 2^31 - 1 blocks in x and 65535 in y and z.
    pub fn new(blocks: impl Into<Dim>, threads: impl Into<Dim>) -> Self {
        Self {
            blocks: blocks.into(),
            threads: threads.into(),
            order: Order::InOrder,
            shared_bytes: 0,
            stack_bytes: STACK_BYTES,
            memory: Vec::new(),
        }
    }

    /// Sets the order of the threads; [`Order::InOrder`] by default.
    pub fn order(self, order: Order) -> Self {
        Self { order, ..self }
    }

    /// Sets the bytes of [dynamic shared memory](crate::dynamic_shared) of each block, at most 227 KiB; 0 by default.
    ///
    /// ```
    /// use cuda_std::{emulator::Launch, thread};
    ///
    /// cuda_std::dynamic_shared! {
    ///     /// A value per thread.
    ///     fn values
    /// }
    ///
    /// Launch::new(1, 100).shared_bytes(400).run(|| {
    ///     let (t, values) = (thread::thread_idx_x() as usize, values().slice::<u32>());
    ///     assert_eq!(values.len(), 100);
    ///     values.write(t, t as u32);
    ///     thread::sync_threads();
    ///     assert_eq!(values.read(99 - t), 99 - t as u32);
    /// })?;
    /// # Ok::<(), cuda_std::emulator::Misuse>(())
    /// ```
    pub fn shared_bytes(self, shared_bytes: u32) -> Self {
        Self { shared_bytes, ..self }
    }

    /// Registers a range of global memory that the kernel may access through [`global`](crate::global) and
    /// [`atomic`](crate::atomic). Once a range is registered, accesses outside all registered ranges are reported
    /// instead of done. Only the address is kept; the memory stays the caller's.
    pub fn register<T>(mut self, memory: *const [T]) -> Self {
        self.memory.push(Registered { bytes: range(memory), written: None });
        self
    }

    /// As [`register`](Self::register), but only the `written` part of the memory may be read. What the kernel writes
    /// is added to it.
    pub fn register_unwritten<T>(mut self, memory: *const [T], written: &Arc<Written>) -> Self {
        self.memory.push(Registered { bytes: range(memory), written: Some(Arc::clone(written)) });
        self
    }

    /// Sets the bytes of each thread's stack; 1 MiB by default. A launch whose stacks find no room is refused. A stack
    /// that overflows ends the process with a segmentation fault, at a guard page.
    pub fn stack_bytes(self, stack_bytes: usize) -> Self {
        Self { stack_bytes, ..self }
    }

    /// Calls `kernel` once per thread of the grid, and returns the counts.
    ///
    /// # Errors
    /// The first [`Misuse`] found. The threads are then unwound where they are; what the kernel wrote until then stays
    /// written. A destructor that panics while its thread is unwound ends the process, as everywhere in Rust, so the
    /// misuse is printed to standard error before.
    pub fn run(&self, kernel: impl Fn()) -> Result<Counts, Misuse> {
        schedule::run(self, &kernel)
    }
}
