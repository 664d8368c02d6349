//! Atomics: the hand-over between blocks, and sums that many threads add to.

use bytemuck::Pod;

use crate::imp;

/// A counter in global memory from which the blocks of a launch take numbers.
#[derive(Clone, Copy)]
pub struct Ticket {
    counter: *mut u32,
}

impl Ticket {
    /// Makes the handle.
    ///
    /// # Safety
    /// `counter` is an aligned u32 in global memory that only tickets touch during the launch.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[must_use]
    pub unsafe fn new(counter: *mut u32) -> Self {
        Self { counter }
    }

    /// Takes a number: returns the counter's value and increments it, or sets it to 0 after `last`. Everything that the
    /// caller wrote before is visible, at device scope, to each thread that takes a later number (PTX ISA, memory
    /// consistency model, release and acquire patterns).
    ///
    /// With `last` = takers - 1, exactly one taker gets `last`. Everything that the others wrote is visible to it, and
    /// the counter is 0 again for the next launch.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[must_use]
    #[track_caller]
    pub fn take(self, last: u32) -> u32 {
        // SAFETY: the caller of `new` promised the counter.
        unsafe { imp::ticket(self.counter, last, true) }
    }

    /// Does [`take`](Self::take) in threads in which `wanted` holds. The others get `u32::MAX`, which no taker gets
    /// while there are fewer than 2^32 of them. There is no branch, so the threads of a warp stay together.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[must_use]
    #[track_caller]
    pub fn take_if(self, wanted: bool, last: u32) -> u32 {
        // SAFETY: the caller of `new` promised the counter.
        unsafe { imp::ticket(self.counter, last, wanted) }
    }
}

/// A number to which [`AtomicCells`] add by one instruction: i32, u32, i64, u64 (which wrap), f32 and f64.
pub trait AtomicNumber: Pod + sealed::Add {}

mod sealed {
    /// The instructions for a type.
    pub trait Add: Sized {
        /// Adds `value` at `address`.
        ///
        /// # Safety
        /// `address` is an aligned number in global memory. Only atomics access it, unless a ticket or a barrier orders
        /// the access.
        unsafe fn add(address: *mut Self, value: Self);
        /// Adds `value` at `address` and returns the value before.
        ///
        /// # Safety
        /// As for `add`.
        unsafe fn fetch_add(address: *mut Self, value: Self) -> Self;
    }

    /// The instructions for the bits of a type.
    pub trait Update: Sized {
        /// Stores the greater of `value` and the value at `address`.
        ///
        /// # Safety
        /// As for [`Add::add`].
        unsafe fn max(address: *mut Self, value: Self);
        /// Sets the bits of `value` at `address`.
        ///
        /// # Safety
        /// As for [`Add::add`].
        unsafe fn or(address: *mut Self, value: Self);
        /// Flips the bits of `value` at `address`.
        ///
        /// # Safety
        /// As for [`Add::add`].
        unsafe fn xor(address: *mut Self, value: Self);
    }
}

macro_rules! numbers {
    ($($number:ty: $add:ident, $fetch_add:ident);* $(;)?) => { $(
        impl AtomicNumber for $number {}
        impl sealed::Add for $number {
            #[cfg_attr(target_arch = "nvptx64", inline(always))]
            #[track_caller]
            unsafe fn add(address: *mut Self, value: Self) {
                // SAFETY: promised by this function's contract.
                unsafe { imp::$add(address, value) }
            }

            #[cfg_attr(target_arch = "nvptx64", inline(always))]
            #[track_caller]
            unsafe fn fetch_add(address: *mut Self, value: Self) -> Self {
                // SAFETY: promised by this function's contract.
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

/// An unsigned integer that [`AtomicCells`] also update by its bits: u32 and u64.
pub trait AtomicWord: AtomicNumber + sealed::Update {}

macro_rules! words {
    ($($word:ty: $max:ident, $or:ident, $xor:ident);* $(;)?) => { $(
        impl AtomicWord for $word {}
        impl sealed::Update for $word {
            #[cfg_attr(target_arch = "nvptx64", inline(always))]
            #[track_caller]
            unsafe fn max(address: *mut Self, value: Self) {
                // SAFETY: promised by this function's contract.
                unsafe { imp::$max(address, value) }
            }

            #[cfg_attr(target_arch = "nvptx64", inline(always))]
            #[track_caller]
            unsafe fn or(address: *mut Self, value: Self) {
                // SAFETY: promised by this function's contract.
                unsafe { imp::$or(address, value) }
            }

            #[cfg_attr(target_arch = "nvptx64", inline(always))]
            #[track_caller]
            unsafe fn xor(address: *mut Self, value: Self) {
                // SAFETY: promised by this function's contract.
                unsafe { imp::$xor(address, value) }
            }
        }
    )* };
}
words!(
    u32: max_u32, or_u32, xor_u32;
    u64: max_u64, or_u64, xor_u64;
);

/// Numbers in global memory to which any thread of a launch may add at any time. No addition is lost.
///
/// The order of additions is unspecified. It does not matter for integers. A sum of floats depends on it, so its bits
/// differ from run to run; and f32 additions in global memory flush subnormals (PTX ISA 9.7.13.5). Therefore no kernel
/// that warpfold ships adds by atomics, and `cargo xtask lint` refuses atomic additions of floats. They are for
/// histograms, and for measuring what they cost.
///
/// Additions are relaxed, at device scope: they order no other memory. Use a [`Ticket`] or a barrier to hand over what
/// a thread wrote before, and to read the sum in the same launch.
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
    /// `start` is aligned, and readable and writable for `len` numbers in global memory. During the launch only atomics
    /// access them, or barriers or [tickets](Ticket) order other accesses.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[must_use]
    pub unsafe fn new(start: *mut T, len: u64) -> Self {
        Self { start, len }
    }

    /// Returns the number of cells.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[must_use]
    pub fn len(self) -> u64 {
        self.len
    }

    /// Returns whether there are no cells.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len == 0
    }

    /// Adds `value` to the cell at `index`: `red.add`. Traps (on the host: panics) if `index >= len`.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[track_caller]
    pub fn add(self, index: u64, value: T) {
        // SAFETY: the caller of `new` promised the cells, and `cell` checks the index.
        unsafe { T::add(self.cell(index), value) }
    }

    /// Adds `value` to the cell at `index` and returns the value before: `atom.add`. Traps (on the host: panics) if
    /// `index >= len`.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[track_caller]
    pub fn fetch_add(self, index: u64, value: T) -> T {
        // SAFETY: the caller of `new` promised the cells, and `cell` checks the index.
        unsafe { T::fetch_add(self.cell(index), value) }
    }

    /// Returns the address of the cell at `index`. Traps (on the host: panics) if `index >= len`.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[track_caller]
    fn cell(self, index: u64) -> *mut T {
        if index >= self.len {
            imp::out_of_bounds();
        }
        // SAFETY: `index` is below `len` by the check above; the caller of `new` promised the cells.
        unsafe { self.start.add(index as usize) }
    }
}

impl<T: AtomicWord> AtomicCells<T> {
    /// Stores `value` in the cell at `index` if it is greater than the value there: `red.max`. Traps (on the host: panics) if
    /// `index >= len`.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[track_caller]
    pub fn max(self, index: u64, value: T) {
        // SAFETY: the caller of `new` promised the cells, and `cell` checks the index.
        unsafe { T::max(self.cell(index), value) }
    }

    /// Sets the bits of `value` in the cell at `index`: `red.or`. Traps (on the host: panics) if `index >= len`.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[track_caller]
    pub fn or(self, index: u64, value: T) {
        // SAFETY: the caller of `new` promised the cells, and `cell` checks the index.
        unsafe { T::or(self.cell(index), value) }
    }

    /// Flips the bits of `value` in the cell at `index`: `red.xor`. Traps (on the host: panics) if `index >= len`.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[track_caller]
    pub fn xor(self, index: u64, value: T) {
        // SAFETY: the caller of `new` promised the cells, and `cell` checks the index.
        unsafe { T::xor(self.cell(index), value) }
    }
}

impl AtomicCells<u32> {
    /// Loads the cell at `index`, which other threads may change at any time: `ld.relaxed`. It orders no other memory.
    /// Traps (on the host: panics) if `index >= len`.
    ///
    /// To wait for another block's store, load in a loop with [`nanosleep`](crate::thread::nanosleep). The wait ends
    /// only if that block runs: see [`Ticket`].
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[must_use]
    #[track_caller]
    pub fn load(self, index: u64) -> u32 {
        // SAFETY: the caller of `new` promised the cells, and `cell` checks the index.
        unsafe { imp::load_relaxed_u32(self.cell(index)) }
    }

    /// [Loads](Self::load) the cells at `last`, `last - step` and so on, with one check. Traps (on the host: panics) if
    /// one of them does not exist.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[must_use]
    #[track_caller]
    pub fn load_back<const N: usize>(self, last: u64, step: u32) -> [u32; N] {
        let steps = u64::from(step) * (N as u64).saturating_sub(1);
        if last < steps {
            imp::out_of_bounds();
        }
        let cell = self.cell(last);
        // SAFETY: the caller of `new` promised the cells. `last` is one by the check of `cell`, and the others are lower ones by
        // the check above.
        core::array::from_fn(|i| unsafe { imp::load_relaxed_u32(cell.wrapping_sub(i * step as usize)) })
    }

    /// Stores `value` in the cell at `index`: `st.relaxed`. It orders no other memory. Traps (on the host: panics) if
    /// `index >= len`.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[track_caller]
    pub fn store(self, index: u64, value: u32) {
        // SAFETY: the caller of `new` promised the cells, and `cell` checks the index.
        unsafe { imp::store_relaxed_u32(self.cell(index), value) }
    }
}

impl AtomicCells<u64> {
    /// Loads the cell at `index`: `ld.relaxed`. It orders no other memory, so a reader may rely only on the cell's own
    /// value. Traps (on the host: panics) if `index >= len`.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[must_use]
    #[track_caller]
    pub fn load(self, index: u64) -> u64 {
        // SAFETY: the caller of `new` promised the cells, and `cell` checks the index.
        unsafe { imp::load_relaxed(self.cell(index)) }
    }

    /// Stores `value` in the cell at `index`: `st.relaxed`. A [`load`](Self::load) sees all of the value or none of it.
    /// It orders no other memory. Traps (on the host: panics) if `index >= len`.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[track_caller]
    pub fn store(self, index: u64, value: u64) {
        // SAFETY: the caller of `new` promised the cells, and `cell` checks the index.
        unsafe { imp::store_relaxed(self.cell(index), value) }
    }

    /// Stores `value` in the cell at `index` if it is less than the value there: `red.min`, relaxed. Traps (on the
    /// host: panics) if `index >= len`.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[track_caller]
    pub fn min(self, index: u64, value: u64) {
        // SAFETY: the caller of `new` promised the cells, and `cell` checks the index.
        unsafe { imp::min_u64(self.cell(index), value) }
    }
}
