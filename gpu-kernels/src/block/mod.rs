//! Block layer: the threads of a block, by shuffles, shared memory and one barrier per fold.

use cuda_std::shared::SharedArray;
use cuda_std::thread::{sync_threads, thread_idx_x};
use cuda_std::warp::WARP_SIZE;

use crate::op::{Accumulator, Element, Op};
use crate::shapes::MOST_ACC_BYTES;
use crate::warp::{self, Unrolling};

pub(crate) mod groups;

/// Warps of the largest block.
const MAX_WARPS: usize = 32;

cuda_std::shared_bytes! {
    /// A total of up to 16 bytes per warp, in even turns.
    fn warpfold_even_turn: 512
}

cuda_std::shared_bytes! {
    /// A total of up to 16 bytes per warp, in odd turns.
    fn warpfold_odd_turn: 512
}

cuda_std::shared_bytes! {
    /// A total of up to 64 bytes per warp, in even turns.
    fn warpfold_wide_even_turn: 2048
}

cuda_std::shared_bytes! {
    /// A total of up to 64 bytes per warp, in odd turns. A kernel has only the arrays that it uses, out of four.
    fn warpfold_wide_odd_turn: 2048
}

const _: () = assert!(MAX_WARPS * 16 == 512 && MAX_WARPS * MOST_ACC_BYTES == 2048);

/// A running block of `THREADS` threads, seen from one of them, with which your own kernels fold.
///
/// Its methods are collectives: every thread of the block makes the same calls in the same order, as the caller of
/// [`enter`](Self::enter) promises. Each has one barrier (none in a block of one warp), and none is needed between them,
/// whatever their operators and types are. Accumulators are at most 64 bytes; the scratch is 1 KiB of static shared memory, and
/// 4 KiB more if any accumulator is over 16 bytes.
///
/// ```
/// use cuda_std::emulator::Launch;
/// use cuda_std::global::{GlobalCells, GlobalSlice};
/// use gpu_kernels::block::Block;
/// use gpu_kernels::{Op, Sum};
///
/// cuda_std::kernel! {
///     /// The share that each of 64 numbers has in their sum.
///     ///
///     /// # Safety
///     /// Launched with one block of 64 threads. `input` is readable and `output` writable for 64 numbers, and nothing else
///     /// uses them during the launch, but for reading `input`.
///     pub unsafe fn shares(input: *const f32, output: *mut f32) {
///         // SAFETY: by this function's contract; every thread runs the same calls below.
///         let (mut block, input, output) =
///             unsafe { (Block::<64>::enter(), GlobalSlice::new(input, 64), GlobalCells::new(output, 64)) };
///         let i = u64::from(block.thread());
///         let sum = block.reduce_all::<f32, Sum>(Sum.lift(input.read(i), i));
///         output.write(i, input.read(i) / sum);
///     }
/// }
///
/// let (input, mut output) = ([0.5f32; 64], [0.0f32; 64]);
/// let arguments = shares { input: input.as_ptr(), output: output.as_mut_ptr() };
/// // SAFETY: both have 64 numbers and live as long as the launch.
/// Launch::new(1, 64).run(|| unsafe { shares(arguments) })?;
/// assert_eq!(output, [1.0 / 64.0; 64]);
/// # Ok::<(), cuda_std::emulator::Misuse>(())
/// ```
#[derive(Debug)]
pub struct Block<const THREADS: u32> {
    thread: u32,
    /// Whether the next fold uses the scratch of odd turns. A scratch is written again two turns later. By then all threads
    /// have passed the barrier of the turn between, so they have read what it held.
    is_odd: bool,
}

impl<const THREADS: u32> Block<THREADS> {
    /// Warps of the block.
    const WARPS: u32 = {
        assert!(
            THREADS.is_multiple_of(WARP_SIZE) && THREADS >= 32 && THREADS <= 1024,
            "a block has 32 to 1024 threads, in whole warps of 32"
        );
        THREADS / WARP_SIZE
    };

    /// Makes this thread's token of the block.
    ///
    /// # Safety
    /// The block was launched with `THREADS` threads in one dimension. Each of them calls this once per launch, and all of them
    /// reach every collective on the token, in the same order.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[must_use]
    pub unsafe fn enter() -> Self {
        const { assert!(Self::WARPS > 0) }
        Self { thread: thread_idx_x(), is_odd: false }
    }

    /// Returns this thread's index in the block, from 0.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[must_use]
    pub fn thread(&self) -> u32 {
        self.thread
    }

    /// Folds the threads' accumulators in pairs of neighbours: threads (0, 1), (2, 3), ... and again, until one is left.
    ///
    /// Called by: every thread of the block. Valid in: thread 0. Scratch: the turn's. Order: thread order.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[track_caller]
    pub fn reduce<T: Element, O: Op<T>>(&mut self, acc: O::Acc) -> O::Acc {
        // SAFETY: every lane of the warp is here, as `enter`'s caller promised.
        let total = unsafe { warp::reduce::<T, O>(acc) };
        if Self::WARPS == 1 {
            return total;
        }
        let totals = self.share(total);
        if self.thread < WARP_SIZE { self.fold_totals::<T, O>(totals) } else { O::IDENTITY }
    }

    /// Folds as [`reduce`](Self::reduce), with the result in every thread: each warp folds the warps' totals for itself.
    ///
    /// Called by: every thread of the block. Valid in: every thread. Scratch: the turn's. Order: thread order.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[track_caller]
    pub fn reduce_all<T: Element, O: Op<T>>(&mut self, acc: O::Acc) -> O::Acc {
        // SAFETY: every lane of the warp is here, as `enter`'s caller promised.
        let total = unsafe { warp::reduce::<T, O>(acc) };
        let total = if Self::WARPS == 1 {
            total
        } else {
            let totals = self.share(total);
            self.fold_totals::<T, O>(totals)
        };
        // SAFETY: as above.
        unsafe { warp::broadcast(total) }
    }

    /// Returns thread 0's `value` in every thread.
    ///
    /// Called by: every thread of the block. Valid in: every thread. Scratch: the turn's first place.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[track_caller]
    pub fn broadcast<A: Accumulator>(&mut self, value: A) -> A {
        if Self::WARPS == 1 {
            // SAFETY: every lane of the only warp is here, as `enter`'s caller promised.
            return unsafe { warp::broadcast(value) };
        }
        let places = self.share(value);
        places.read(0)
    }

    /// Takes a turn: shares the value of each warp's first lane with all threads.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[track_caller]
    fn share<A: Accumulator>(&mut self, value: A) -> SharedArray<A, MAX_WARPS> {
        let places = scratch::<A>(self.is_odd);
        self.is_odd = !self.is_odd;
        if self.thread.is_multiple_of(WARP_SIZE) {
            places.write((self.thread / WARP_SIZE) as usize, value);
        }
        sync_threads();
        places
    }

    /// Folds the warps' totals in pairs of neighbours. The result is in the first lane of each warp that calls.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[track_caller]
    fn fold_totals<T: Element, O: Op<T>>(&self, totals: SharedArray<O::Acc, MAX_WARPS>) -> O::Acc {
        let lane = self.thread % WARP_SIZE;
        let total = if lane < Self::WARPS { totals.read(lane as usize) } else { O::IDENTITY };
        // Absent warps are identities, so any further levels would change nothing.
        match Self::WARPS {
            0..=2 => warp::reduce_segments::<T, O, 1, 2>(total, Unrolling::Fast),
            3..=4 => warp::reduce_segments::<T, O, 1, 4>(total, Unrolling::Fast),
            5..=8 => warp::reduce_segments::<T, O, 1, 8>(total, Unrolling::Fast),
            9..=16 => warp::reduce_segments::<T, O, 1, 16>(total, Unrolling::Fast),
            _ => warp::reduce_segments::<T, O, 1, 32>(total, Unrolling::Fast),
        }
    }
}

/// Returns the scratch of even or odd turns. Small and large accumulators have memory of their own, so that turns of different
/// types do not overlap.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn scratch<A: Accumulator>(is_odd: bool) -> SharedArray<A, MAX_WARPS> {
    const { assert!(size_of::<A>() <= MOST_ACC_BYTES, "an accumulator has at most 64 bytes on a GPU") }
    let narrow =
        if is_odd { warpfold_odd_turn().array_if_fits() } else { warpfold_even_turn().array_if_fits() };
    match (narrow, is_odd) {
        (Some(places), _) => places,
        (None, true) => warpfold_wide_odd_turn().array(),
        (None, false) => warpfold_wide_even_turn().array(),
    }
}
