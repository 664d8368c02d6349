//! Atomics: the hand-over between blocks, and sums that many threads add to.

use bytemuck::Pod;

use crate::imp;

/// A counter in global memory that the blocks of a launch take numbers from.
#[derive(Clone, Copy)]
pub struct Ticket {
    counter: *mut u32,
}

impl Ticket {
    /// Makes the handle.
    ///
    /// # Safety
    /// `counter` is an aligned u32 in global memory that only tickets touch during the launch.
    #[inline(always)]
    #[must_use]
    pub unsafe fn new(counter: *mut u32) -> Self {
        Self { counter }
    }

    /// Takes a number: the counter goes from 0 to `last` and then round to 0 again, and the value before is
    /// given. What the caller wrote before is visible to whoever takes a later number, at device scope
    /// (PTX ISA, memory consistency model, release and acquire patterns).
    ///
    /// With `last` = takers - 1, exactly one of them gets `last`, what all others wrote is visible to it, and
    /// the counter stands at 0 again for the next launch.
    #[inline(always)]
    #[must_use]
    #[track_caller]
    pub fn take(self, last: u32) -> u32 {
        // SAFETY: `new`'s caller promised the counter.
        unsafe { imp::ticket(self.counter, last, true) }
    }

    /// [`take`](Self::take) by those threads for which `wanted` holds; the others get `u32::MAX`, which is never a number
    /// of fewer than 2^32 takers. Without a branch: the threads of a warp stay together.
    #[inline(always)]
    #[must_use]
    #[track_caller]
    pub fn take_if(self, wanted: bool, last: u32) -> u32 {
        // SAFETY: `new`'s caller promised the counter.
        unsafe { imp::ticket(self.counter, last, wanted) }
    }
}

/// A number that [`AtomicCells`] add to by one instruction: i32, u32, i64, u64 (which wrap round), f32 and f64.
pub trait AtomicNumber: Pod + sealed::Add {}

mod sealed {
    /// The instructions of a type.
    pub trait Add: Sized {
        /// Adds `value` at `address`.
        ///
        /// # Safety
        /// `address` is an aligned number in global memory that only atomics touch, unless ordered by a
        /// ticket or a barrier.
        unsafe fn add(address: *mut Self, value: Self);
        /// The same, and gives the value before.
        ///
        /// # Safety
        /// As for `add`.
        unsafe fn fetch_add(address: *mut Self, value: Self) -> Self;
    }
}

macro_rules! numbers {
    ($($number:ty: $add:ident, $fetch_add:ident);* $(;)?) => { $(
        impl AtomicNumber for $number {}
        impl sealed::Add for $number {
            #[inline(always)]
            #[track_caller]
            unsafe fn add(address: *mut Self, value: Self) {
                // SAFETY: by this function's contract.
                unsafe { imp::$add(address, value) }
            }

            #[inline(always)]
            #[track_caller]
            unsafe fn fetch_add(address: *mut Self, value: Self) -> Self {
                // SAFETY: by this function's contract.
                unsafe { imp::$fetch_add(address, value) }
            }
        }
    )* };
}
numbers!(
    i32: add_i32, fetch_add_i32;
    u32: add_u32, fetch_add_u32;
    i64: add_i64, fetch_add_i64;
    u64: add_u64, fetch_add_u64;
    f32: add_f32, fetch_add_f32;
    f64: add_f64, fetch_add_f64;
);

/// Numbers in global memory that any thread of the launch may add to at any time, and nobody's addition is lost.
///
/// In which order the additions happen is open. Integers do not mind. The sum of floats depends on it, so its bits
/// differ from run to run; and f32 additions in global memory flush subnormals (PTX ISA 9.7.13.5). Therefore no kernel
/// that warpfold ships adds by atomics, and `cargo xtask lint` refuses those of floats: they are for histograms, and to
/// learn what they cost.
///
/// The additions are relaxed, at device scope: they order no other memory. What a thread wrote before is handed over
/// by a [`Ticket`] or a barrier, and so is the sum itself if the same launch reads it.
///
/// ```
/// use cuda_std::{atomic::AtomicCells, emulator::Launch, thread};
///
/// let mut bins = [0u32; 4];
/// let start = bins.as_mut_ptr();
/// let counts = Launch::new(2, 64).run(|| {
///     // SAFETY: there are 4 bins, and they live as long as the launch.
///     let bins = unsafe { AtomicCells::new(start, 4) };
///     bins.add(thread::index_1d() % 4, 1);
/// })?;
/// assert_eq!(bins, [32; 4]);
/// // Eight lanes of each of the four warps meet at each bin, and wait for each other.
/// assert_eq!((counts.atomics, counts.atomic_replays), (128, 4 * 7));
/// # Ok::<(), cuda_std::emulator::Misuse>(())
/// ```
#[derive(Clone, Copy)]
pub struct AtomicCells<T> {
    start: *mut T,
    len: u64,
}

impl<T: AtomicNumber> AtomicCells<T> {
    /// Makes the handle.
    ///
    /// # Safety
    /// `start` is aligned, and readable and writable for `len` numbers in global memory. Nothing but atomics touches
    /// them during the launch, or what does is ordered with these by barriers or [tickets](Ticket).
    #[inline(always)]
    #[must_use]
    pub unsafe fn new(start: *mut T, len: u64) -> Self {
        Self { start, len }
    }

    /// Number of cells.
    #[inline(always)]
    #[must_use]
    pub fn len(self) -> u64 {
        self.len
    }

    /// Whether there are no cells.
    #[inline(always)]
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len == 0
    }

    /// Adds `value` to the cell at `index`: `red.add`. Traps (on the host: panics) if `index >= len`.
    #[inline(always)]
    #[track_caller]
    pub fn add(self, index: u64, value: T) {
        // SAFETY: `new`'s caller promised the cells, of which this is one.
        unsafe { T::add(self.cell(index), value) }
    }

    /// Adds `value` to the cell at `index`, and gives what stood there before: `atom.add`. Traps (on the host: panics)
    /// if `index >= len`.
    #[inline(always)]
    #[track_caller]
    pub fn fetch_add(self, index: u64, value: T) -> T {
        // SAFETY: `new`'s caller promised the cells, of which this is one.
        unsafe { T::fetch_add(self.cell(index), value) }
    }

    /// The address of a cell, which is there.
    #[inline(always)]
    #[track_caller]
    fn cell(self, index: u64) -> *mut T {
        if index >= self.len {
            imp::out_of_bounds();
        }
        // SAFETY: within the cells by the line above; `new`'s caller promised them.
        unsafe { self.start.add(index as usize) }
    }
}

impl AtomicCells<u32> {
    /// What stands in the cell at `index`, which other threads may change at any time: `ld.relaxed`. Relaxed, as an addition
    /// is: what it says of other memory is nothing. Traps (on the host: panics) if `index >= len`.
    ///
    /// A thread that waits for another block's store repeats it with a
    /// [`nanosleep`](crate::thread::nanosleep) between, and waits for ever unless that block runs: see [`Ticket`].
    #[inline(always)]
    #[must_use]
    #[track_caller]
    pub fn load(self, index: u64) -> u32 {
        // SAFETY: `new`'s caller promised the cells, of which this is one.
        unsafe { imp::load_relaxed_u32(self.cell(index)) }
    }

    /// Puts `value` in the cell at `index`: `st.relaxed`. Relaxed, as an addition is. Traps (on the host: panics) if
    /// `index >= len`.
    #[inline(always)]
    #[track_caller]
    pub fn store(self, index: u64, value: u32) {
        // SAFETY: `new`'s caller promised the cells, of which this is one.
        unsafe { imp::store_relaxed_u32(self.cell(index), value) }
    }
}

impl AtomicCells<u64> {
    /// What stands in the cell at `index`: `ld.relaxed`. It orders no other memory, so only what the cell itself says may be
    /// relied on. Traps (on the host: panics) if `index >= len`.
    #[inline(always)]
    #[must_use]
    #[track_caller]
    pub fn load(self, index: u64) -> u64 {
        // SAFETY: `new`'s caller promised the cells, of which this is one.
        unsafe { imp::load_relaxed(self.cell(index)) }
    }

    /// Puts `value` in the cell at `index`: `st.relaxed`. Whoever [loads](Self::load) it sees all of it or nothing; what else
    /// was written before need not be seen. Traps (on the host: panics) if `index >= len`.
    #[inline(always)]
    #[track_caller]
    pub fn store(self, index: u64, value: u64) {
        // SAFETY: `new`'s caller promised the cells, of which this is one.
        unsafe { imp::store_relaxed(self.cell(index), value) }
    }

    /// Puts `value` in the cell at `index` if it is less than what stands there: `red.min`. Relaxed, as an addition is. Traps
    /// (on the host: panics) if `index >= len`.
    #[inline(always)]
    #[track_caller]
    pub fn min(self, index: u64, value: u64) {
        // SAFETY: `new`'s caller promised the cells, of which this is one.
        unsafe { imp::min_u64(self.cell(index), value) }
    }
}
