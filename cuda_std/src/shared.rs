//! Shared memory behind typed handles.

use core::marker::PhantomData;

use bytemuck::Pod;

use crate::imp;

/// The start of a [`shared_bytes!`](crate::shared_bytes) variable of the running block.
#[doc(hidden)]
pub type SharedBase = imp::SharedBase;

/// `BYTES` bytes of the block's shared memory, aligned to 16, as [`shared_bytes!`](crate::shared_bytes) declares them.
/// Use them as [arrays](SharedArray) of one type at a time.
#[derive(Clone, Copy)]
pub struct SharedBytes<const BYTES: usize> {
    base: SharedBase,
}

impl<const BYTES: usize> SharedBytes<BYTES> {
    /// Makes the handle; [`shared_bytes!`](crate::shared_bytes) calls it.
    ///
    /// # Safety
    /// `base` is the start of `BYTES` bytes of the block's shared memory, aligned to 16, and only this handle refers to
    /// them.
    #[doc(hidden)]
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[must_use]
    pub unsafe fn new(base: SharedBase) -> Self {
        Self { base }
    }

    /// Returns the first bytes as `LEN` elements of `T`, whose size is a multiple of 4 bytes. Arrays that do not fit
    /// are a compile error. Arrays over the same bytes overlap, so put a barrier between their uses.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[must_use]
    pub fn array<T: Pod, const LEN: usize>(self) -> SharedArray<T, LEN> {
        const { assert!(LEN * size_of::<T>() <= BYTES, "the array does not fit the shared memory declared") }
        SharedArray::at(self.base)
    }

    /// Returns all of them as elements of `T`, as many as fit. Otherwise like [`array`](Self::array).
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[must_use]
    pub fn slice<T: Pod>(self) -> SharedSlice<T> {
        const {
            assert!(
                size_of::<T>() > 0 && is_shareable::<T>(),
                "shared memory is accessed in words of 4 bytes"
            )
        }
        SharedSlice { base: self.base, len: BYTES / size_of::<T>(), _element: PhantomData }
    }

    /// Returns the first bytes as `LEN` vectors of 16 bytes, each read and written by one instruction. Otherwise like
    /// [`array`](Self::array).
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[must_use]
    pub fn vectors<const LEN: usize>(self) -> SharedVectors<LEN> {
        const { assert!(LEN * 16 <= BYTES, "the vectors do not fit the shared memory declared") }
        SharedVectors { base: self.base }
    }

    /// Returns an [`array`](Self::array), or `None` if it does not fit: for code over types of several sizes.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[must_use]
    pub fn array_if_fits<T: Pod, const LEN: usize>(self) -> Option<SharedArray<T, LEN>> {
        // Checked, because a product that wraps could seem to fit.
        let fits = const { matches!(LEN.checked_mul(size_of::<T>()), Some(bytes) if bytes <= BYTES) };
        fits.then(|| SharedArray::at(self.base))
    }
}

/// `LEN` elements of `T`, shared by the threads of a block.
///
/// Reads and writes are safe because they access nothing else. Use barriers to order the accesses of different threads:
/// a race returns some value of `T` (every bit pattern is one), and the emulator reports it.
#[derive(Clone, Copy)]
pub struct SharedArray<T, const LEN: usize> {
    base: SharedBase,
    _element: PhantomData<T>,
}

impl<T: Pod, const LEN: usize> SharedArray<T, LEN> {
    /// Returns the array at the start of shared memory that is large enough for it.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn at(base: SharedBase) -> Self {
        const { assert!(is_shareable::<T>(), "shared memory is accessed in words of 4 bytes") }
        Self { base, _element: PhantomData }
    }

    /// Returns the same elements, with a length known only at run time.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[must_use]
    pub fn slice(&self) -> SharedSlice<T> {
        SharedSlice { base: self.base, len: LEN, _element: PhantomData }
    }

    /// Returns the element at `index`. Traps (on the host: panics) if `index >= LEN`.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[must_use]
    #[track_caller]
    pub fn read(&self, index: usize) -> T {
        self.slice().read(index)
    }

    /// Writes `value` at `index`. Traps (on the host: panics) if `index >= LEN`.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[track_caller]
    pub fn write(&self, index: usize, value: T) {
        self.slice().write(index, value);
    }
}

/// `LEN` vectors of 16 bytes, shared by the threads of a block: [`SharedBytes::vectors`]. A warp accesses them in
/// groups of eight lanes; the lanes of a group conflict unless they access each of the 32 banks once.
#[derive(Clone, Copy)]
pub struct SharedVectors<const LEN: usize> {
    base: SharedBase,
}

impl<const LEN: usize> SharedVectors<LEN> {
    /// Returns the vector at `index`. Traps (on the host: panics) if `index >= LEN`.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[must_use]
    #[track_caller]
    pub fn read(&self, index: usize) -> [u32; 4] {
        if index >= LEN {
            imp::out_of_bounds();
        }
        // SAFETY: `index` is below `LEN` by the check above; `vectors` checked the size, and the bytes are aligned to
        // 16.
        unsafe { imp::shared_read_vector(self.base, index * 16) }
    }

    /// Writes `words` at `index`. Traps (on the host: panics) if `index >= LEN`.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[track_caller]
    pub fn write(&self, index: usize, words: [u32; 4]) {
        if index >= LEN {
            imp::out_of_bounds();
        }
        // SAFETY: as for `read`.
        unsafe { imp::shared_write_vector(self.base, index * 16, words) }
    }
}

/// A [`SharedArray`] with a length known at run time: what [`DynamicShared`] gives.
#[derive(Clone, Copy)]
pub struct SharedSlice<T> {
    base: SharedBase,
    len: usize,
    _element: PhantomData<T>,
}

impl<T: Pod> SharedSlice<T> {
    /// Returns the `len` elements from `start` on. Traps (on the host: panics) if they are not all within the slice.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[must_use]
    #[track_caller]
    pub fn part(&self, start: usize, len: usize) -> Self {
        if start > self.len || self.len - start < len {
            imp::out_of_bounds();
        }
        Self { base: imp::shared_part(self.base, start * size_of::<T>()), len, _element: PhantomData }
    }

    /// Returns the number of elements.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether there are no elements.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the element at `index`. Traps (on the host: panics) if `index >= len`.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[must_use]
    #[track_caller]
    pub fn read(&self, index: usize) -> T {
        if index >= self.len {
            imp::out_of_bounds();
        }
        // SAFETY: `index` is below `len` by the check above; `SharedBytes::array` or `DynamicShared::slice` checked
        // size and alignment.
        unsafe { imp::shared_read(self.base, index * size_of::<T>()) }
    }

    /// Writes `value` at `index`. Traps (on the host: panics) if `index >= len`.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[track_caller]
    pub fn write(&self, index: usize, value: T) {
        if index >= self.len {
            imp::out_of_bounds();
        }
        // SAFETY: as for `read`.
        unsafe { imp::shared_write(self.base, index * size_of::<T>(), value) }
    }
}

impl SharedSlice<u32> {
    /// Adds `value` to the element at `index`, wrapping: `red.shared.add`. No thread's addition is lost. Two additions
    /// are not a race. An addition and a read or write are one, unless a barrier separates them. Lanes of a warp that
    /// add to one element wait for each other. Traps (on the host: panics) if `index >= len`.
    ///
    /// ```
    /// use cuda_std::{emulator::Launch, thread::{sync_threads, thread_idx_x}};
    ///
    /// cuda_std::shared_bytes! {
    ///     /// How many threads have each remainder.
    ///     fn counts: 12
    /// }
    ///
    /// Launch::new(1, 100).run(|| {
    ///     let (counts, thread) = (counts().array::<u32, 3>().slice(), thread_idx_x() as usize);
    ///     if thread < 3 {
    ///         counts.write(thread, 0);
    ///     }
    ///     sync_threads();
    ///     counts.add(thread % 3, 1);
    ///     sync_threads();
    ///     assert_eq!(counts.read(0), 34);
    /// })?;
    /// # Ok::<(), cuda_std::emulator::Misuse>(())
    /// ```
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[track_caller]
    pub fn add(&self, index: usize, value: u32) {
        if index >= self.len {
            imp::out_of_bounds();
        }
        // SAFETY: `index` is below `len` by the check above; `SharedBytes::array` or `DynamicShared::slice` checked
        // size and alignment.
        unsafe { imp::shared_add(self.base, index * size_of::<u32>(), value) }
    }

    /// Stores `value` at `index` if it is greater than the element there: `red.shared.max`. Otherwise as [`add`](Self::add).
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[track_caller]
    pub fn max(&self, index: usize, value: u32) {
        if index >= self.len {
            imp::out_of_bounds();
        }
        // SAFETY: as for `add`.
        unsafe { imp::shared_max_u32(self.base, index * size_of::<u32>(), value) }
    }

    /// Sets the bits of `value` at `index`: `red.shared.or`. Otherwise as [`add`](Self::add).
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[track_caller]
    pub fn or(&self, index: usize, value: u32) {
        if index >= self.len {
            imp::out_of_bounds();
        }
        // SAFETY: as for `add`.
        unsafe { imp::shared_or(self.base, index * size_of::<u32>(), value) }
    }

    /// Flips the bits of `value` at `index`: `red.shared.xor`. Otherwise as [`add`](Self::add).
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[track_caller]
    pub fn xor(&self, index: usize, value: u32) {
        if index >= self.len {
            imp::out_of_bounds();
        }
        // SAFETY: as for `add`.
        unsafe { imp::shared_xor(self.base, index * size_of::<u32>(), value) }
    }

    /// [Adds](Self::add) `value` to the element at `index`, and returns the element before: `atom.shared.add`. Traps (on the host:
    /// panics) if `index >= len`.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[track_caller]
    pub fn fetch_add(&self, index: usize, value: u32) -> u32 {
        if index >= self.len {
            imp::out_of_bounds();
        }
        // SAFETY: as for `add`.
        unsafe { imp::shared_fetch_add(self.base, index * size_of::<u32>(), value) }
    }

    /// Loads the element at `index`, which other threads may update by atomics: `ld.relaxed`. Traps (on the host: panics) if
    /// `index >= len`.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[must_use]
    #[track_caller]
    pub fn load(&self, index: usize) -> u32 {
        if index >= self.len {
            imp::out_of_bounds();
        }
        // SAFETY: as for `add`.
        unsafe { imp::shared_load(self.base, index * size_of::<u32>()) }
    }

    /// Stores `new` at `index` if the element there is `current`, and returns the element before: `atom.shared.cas`. Traps (on the
    /// host: panics) if `index >= len`.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[track_caller]
    pub fn compare_exchange(&self, index: usize, current: u32, new: u32) -> u32 {
        if index >= self.len {
            imp::out_of_bounds();
        }
        // SAFETY: as for `add`.
        unsafe { imp::shared_compare_exchange(self.base, index * size_of::<u32>(), current, new) }
    }
}

impl SharedSlice<u64> {
    /// Stores `value` at `index` if it is greater than the element there: `red.shared.max`. Otherwise as
    /// `add` of u32.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[track_caller]
    pub fn max(&self, index: usize, value: u64) {
        if index >= self.len {
            imp::out_of_bounds();
        }
        // SAFETY: as for `add`.
        unsafe { imp::shared_max_u64(self.base, index * size_of::<u64>(), value) }
    }
}

/// The shared memory whose size is set at launch, aligned to 16, as [`dynamic_shared!`](crate::dynamic_shared) declares
/// it. Use it as [slices](SharedSlice) of one type at a time.
#[derive(Clone, Copy)]
pub struct DynamicShared {
    base: SharedBase,
}

impl DynamicShared {
    /// Makes the handle; [`dynamic_shared!`](crate::dynamic_shared) calls it.
    ///
    /// # Safety
    /// `base` is the start of the block's dynamic shared memory, aligned to 16.
    #[doc(hidden)]
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[must_use]
    pub unsafe fn new(base: SharedBase) -> Self {
        Self { base }
    }

    /// Returns all of it as elements of `T`, whose size is a multiple of 4 bytes: as many as fit the bytes set at
    /// launch. Slices of several types overlap, so put a barrier between their uses.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[must_use]
    pub fn slice<T: Pod>(self) -> SharedSlice<T> {
        const {
            assert!(
                size_of::<T>() > 0 && is_shareable::<T>(),
                "shared memory is accessed in words of 4 bytes"
            )
        }
        let len = imp::dynamic_shared_bytes() as usize / size_of::<T>();
        SharedSlice { base: self.base, len, _element: PhantomData }
    }
}

/// Returns whether shared memory can hold the type.
const fn is_shareable<T>() -> bool {
    let (bytes, align) = (size_of::<T>(), align_of::<T>());
    bytes.is_multiple_of(4) && align >= 4 && align <= 16
}

/// Declares a block's static shared memory as a function that returns its handle.
///
/// ```text
/// cuda_std::shared_bytes! {
///     /// One value per warp.
///     fn scratch: 512
/// }
/// // in a kernel: let totals = scratch().array::<f32, 32>();
/// ```
///
/// It is a `.shared` variable of the module (PTX ISA 5.1.7), because rustc has no address spaces, and a variable inside
/// a function would be duplicated in every inlined copy. The name must be unique among the crates of a kernel, and on
/// the device the crate needs `#![feature(asm_experimental_arch)]`.
#[macro_export]
macro_rules! shared_bytes {
    ($(#[$attribute:meta])* $vis:vis fn $name:ident: $bytes:literal) => {
        #[cfg(target_arch = "nvptx64")]
        ::core::arch::global_asm!(concat!(".shared .align 16 .b8 ", stringify!($name), "_shared[", $bytes, "];"));

        $(#[$attribute])*
        #[cfg_attr(target_arch = "nvptx64", inline(always))]
        #[must_use]
        $vis fn $name() -> $crate::shared::SharedBytes<$bytes> {
            #[cfg(target_arch = "nvptx64")]
            let base = {
                let base: u32;
                // SAFETY: it only takes the address of the variable declared above.
                unsafe {
                    ::core::arch::asm!(
                        concat!("mov.u32 {}, ", stringify!($name), "_shared;"),
                        out(reg32) base, options(pure, nomem, nostack, preserves_flags));
                }
                base
            };
            #[cfg(not(target_arch = "nvptx64"))]
            let base = $crate::shared::emulated(concat!(module_path!(), "::", stringify!($name)), $bytes);
            // SAFETY: the variable has this many bytes, aligned to 16, and only this handle names it.
            unsafe { $crate::shared::SharedBytes::new(base) }
        }
    };
}

/// Declares the block's dynamic shared memory, whose size is set at launch, as a function that returns its handle.
///
/// ```text
/// cuda_std::dynamic_shared! {
///     /// One value per thread.
///     fn values
/// }
/// // in a kernel: let values = values().slice::<f32>();
/// ```
///
/// A block has one dynamic shared memory: functions with different names return the same bytes. Otherwise like
/// [`shared_bytes!`]: the name must be unique among the crates of a kernel.
#[macro_export]
macro_rules! dynamic_shared {
    ($(#[$attribute:meta])* $vis:vis fn $name:ident) => {
        #[cfg(target_arch = "nvptx64")]
        ::core::arch::global_asm!(concat!(".extern .shared .align 16 .b8 ", stringify!($name), "_dynamic[];"));

        $(#[$attribute])*
        #[cfg_attr(target_arch = "nvptx64", inline(always))]
        #[must_use]
        $vis fn $name() -> $crate::shared::DynamicShared {
            #[cfg(target_arch = "nvptx64")]
            let base = {
                let base: u32;
                // SAFETY: it only takes the address of the variable declared above.
                unsafe {
                    ::core::arch::asm!(
                        concat!("mov.u32 {}, ", stringify!($name), "_dynamic;"),
                        out(reg32) base, options(pure, nomem, nostack, preserves_flags));
                }
                base
            };
            #[cfg(not(target_arch = "nvptx64"))]
            let base = $crate::shared::emulated_dynamic(concat!(module_path!(), "::", stringify!($name)));
            // SAFETY: the variable is the block's dynamic shared memory, aligned to 16.
            unsafe { $crate::shared::DynamicShared::new(base) }
        }
    };
}

/// Returns the running block's copy of the variable `name`.
#[cfg(not(target_arch = "nvptx64"))]
#[doc(hidden)]
#[must_use]
pub fn emulated(name: &'static str, bytes: usize) -> SharedBase {
    imp::shared_base(name, bytes)
}

/// Returns the running block's dynamic shared memory, declared under this name.
#[cfg(not(target_arch = "nvptx64"))]
#[doc(hidden)]
#[must_use]
pub fn emulated_dynamic(name: &'static str) -> SharedBase {
    imp::dynamic_shared_base(name)
}
