//! The kernels for each word size, and their launches in tests.

use bytemuck::Pod;
use cuda_std::emulator::{Launch, Order};
use gpu_kernels::arguments::{CountRuns, Gather, Scatter, WriteRuns};
use gpu_kernels::word::entry;

pub(crate) const ORDERS: [Order; 4] =
    [Order::InOrder, Order::Reversed, Order::Shuffled(3), Order::Interleaved(4)];

/// The entry points for words of one size, as the emulator calls them.
pub(crate) struct Kernels<W: Copy> {
    pub(crate) scatter: unsafe fn(Scatter<W>),
    pub(crate) gather: unsafe fn(Gather<W>),
    pub(crate) count_runs: unsafe fn(CountRuns<W>),
    pub(crate) write_runs: unsafe fn(WriteRuns<W>),
}

pub(crate) trait Moved: Pod + PartialEq + std::fmt::Debug {
    const KERNELS: Kernels<Self>;
    fn of(random: u64) -> Self {
        let mut word = Self::zeroed();
        let bytes: Vec<u8> = random.to_le_bytes().repeat(2);
        bytemuck::bytes_of_mut(&mut word).copy_from_slice(&bytes[..size_of::<Self>()]);
        word
    }
}

macro_rules! moved {
    ($($row:ident: $word:ty;)*) => { $(
        impl Moved for $word {
            const KERNELS: Kernels<Self> = Kernels {
                scatter: entry::$row::scatter,
                gather: entry::$row::gather,
                count_runs: entry::$row::count_runs,
                write_runs: entry::$row::write_runs,
            };
        }
    )* };
}
gpu_kernels::for_each_move_kernel!(moved);

/// The shape of a test's launches.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    /// Items per block that counts.
    pub(crate) portion: usize,
    /// Integers per block that scans; one block scans all if there are fewer.
    pub(crate) scan_portion: usize,
    pub(crate) order: Order,
}

impl Shape {
    pub(crate) fn launch(self, blocks: usize, threads: u32, memory: &[*const [u8]], kernel: impl Fn()) {
        let mut launch = Launch::new(blocks as u32, threads).order(self.order);
        for &memory in memory {
            launch = launch.register(memory);
        }
        launch.run(kernel).unwrap_or_else(|misuse| panic!("{self:?}, {blocks} blocks: {misuse}"));
    }
}

pub(crate) fn bytes<A>(memory: &[A]) -> *const [u8] {
    std::ptr::slice_from_raw_parts(memory.as_ptr().cast(), size_of_val(memory))
}
