//! What a kernel asks of the memory that its arguments are the addresses of.
//!
//! Each type is a pointer with a promise, which whoever launches the kernel makes. The kernel says how long the memory is, and opens
//! it as a handle, whose accesses are checked. A [field](crate::arguments!) may also be a plain pointer, without a promise.
//!
//! | type | during the launch | opened as |
//! |---|---|---|
//! | [`Readable`] | read | [`GlobalSlice`](crate::global::GlobalSlice) |
//! | [`Writable`] | written | [`GlobalCells`](crate::global::GlobalCells), [`Outbox`](crate::global::Outbox) |
//! | [`Atomic`] | updated by many threads | [`AtomicCells`](crate::atomic::AtomicCells), [`Ticket`](crate::atomic::Ticket), [`Posts`](crate::posts::Posts) |
//! | [`Optional`] | as one of these, if it is there | an `Option` |
//!
//! ```
//! use cuda_std::emulator::Launch;
//! use cuda_std::memory::{Readable, Writable};
//! use cuda_std::thread;
//!
//! cuda_std::kernel! {
//!     /// Doubles numbers.
//!     ///
//!     /// # Safety
//!     /// Launched with `len` threads. Both arrays have `len` numbers.
//!     pub unsafe fn double(input: Readable<u32>, len: u64, output: Writable<u32>) {
//!         // SAFETY: by this function's contract; each thread writes a number of its own.
//!         let (input, output) = unsafe { (input.slice(len), output.cells(len)) };
//!         output.write(thread::index_1d(), 2 * input.read(thread::index_1d()));
//!     }
//! }
//!
//! let (input, mut output) = ([1, 2, 3], [0; 3]);
//! let arguments = double { input: input[..].into(), len: 3, output: (&mut output[..]).into() };
//! // SAFETY: both arrays have 3 numbers, and live as long as the launch.
//! Launch::new(1, 3).run(|| unsafe { double(arguments) })?;
//! assert_eq!(output, [2, 4, 6]);
//! # Ok::<(), cuda_std::emulator::Misuse>(())
//! ```

#![allow(
    rustdoc::redundant_explicit_links,
    reason = "the handles are imported for devices and the emulator alone"
)]

use core::fmt;

#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
use crate::{
    atomic::{AtomicCells, AtomicNumber, Ticket},
    global::{GlobalCells, GlobalSlice, Outbox},
    posts::Posts,
};

/// The address of memory, as a kernel's argument.
///
/// # Safety
/// It is a pointer to [`Element`](Self::Element), and nothing else.
pub unsafe trait Pointer: Copy {
    /// What is at the address.
    type Element;
    /// Whether the kernel writes there.
    const IS_WRITTEN: bool;

    /// Makes the argument.
    ///
    /// # Safety
    /// At the address is memory that is aligned for an element. Or it is null, and the memory is [`Optional`]. Whoever launches the
    /// kernel promises the rest.
    unsafe fn new(address: *mut Self::Element) -> Self;

    /// Returns the address.
    fn address(self) -> *mut Self::Element;
}

// SAFETY: it is one.
unsafe impl<T> Pointer for *const T {
    type Element = T;
    const IS_WRITTEN: bool = false;
    unsafe fn new(address: *mut T) -> Self {
        address
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn address(self) -> *mut T {
        self.cast_mut()
    }
}

// SAFETY: it is one.
unsafe impl<T> Pointer for *mut T {
    type Element = T;
    const IS_WRITTEN: bool = true;
    unsafe fn new(address: *mut T) -> Self {
        address
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn address(self) -> *mut T {
        self
    }
}

macro_rules! pointers {
    ($($(#[$about:meta])* $name:ident ($pointer:ty, $is_written:expr);)*) => { $(
        $(#[$about])*
        #[repr(transparent)]
        pub struct $name<T>($pointer);

        // SAFETY: a transparent wrapper of a pointer.
        unsafe impl<T> Pointer for $name<T> {
            type Element = T;
            const IS_WRITTEN: bool = $is_written;
            #[cfg_attr(target_arch = "nvptx64", inline(always))]
            unsafe fn new(address: *mut T) -> Self {
                Self(address)
            }
            #[cfg_attr(target_arch = "nvptx64", inline(always))]
            fn address(self) -> *mut T {
                Pointer::address(self.0)
            }
        }

        impl<T> $name<T> {
            /// Returns the memory as elements of another type, whose promise a caller who opens it relies on.
            #[cfg_attr(target_arch = "nvptx64", inline(always))]
            #[must_use]
            pub fn cast<U>(self) -> $name<U> {
                $name(self.0.cast())
            }

            /// Returns the memory from element `first` on.
            #[cfg_attr(target_arch = "nvptx64", inline(always))]
            #[must_use]
            pub fn skip(self, first: usize) -> Self {
                Self(self.0.wrapping_add(first))
            }

            /// Returns the address as a number.
            #[cfg_attr(target_arch = "nvptx64", inline(always))]
            #[must_use]
            pub fn addr(self) -> usize {
                self.0.addr()
            }
        }

        impl<T> Clone for $name<T> {
            #[cfg_attr(target_arch = "nvptx64", inline(always))]
            fn clone(&self) -> Self {
                *self
            }
        }
        impl<T> Copy for $name<T> {}

        impl<T> fmt::Debug for $name<T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_tuple(stringify!($name)).field(&self.0).finish()
            }
        }
    )* };
}
pointers! {
    /// Memory that a kernel reads: aligned for `T`, readable, and of valid elements. Nothing writes it during the launch; others may
    /// read it.
    Readable(*const T, false);

    /// Memory that a kernel writes: aligned for `T`, and writable. Nothing else uses it during the launch, and it is no other
    /// argument's.
    Writable(*mut T, true);

    /// Memory that a kernel's threads update together: aligned for `T`, readable and writable. During the launch nothing else uses
    /// it, and the kernel does by atomics alone.
    Atomic(*mut T, true);
}

impl<T> From<&[T]> for Readable<T> {
    fn from(slice: &[T]) -> Self {
        Self(slice.as_ptr())
    }
}

impl<T> From<&mut [T]> for Writable<T> {
    fn from(slice: &mut [T]) -> Self {
        Self(slice.as_mut_ptr())
    }
}

impl<T> From<&mut [T]> for Atomic<T> {
    fn from(slice: &mut [T]) -> Self {
        Self(slice.as_mut_ptr())
    }
}

#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
impl<T: Copy> Readable<T> {
    /// Opens the memory.
    ///
    /// # Safety
    /// It has `len` elements.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[must_use]
    pub unsafe fn slice(self, len: u64) -> GlobalSlice<T> {
        // SAFETY: by this function's contract, and the type's promise.
        unsafe { GlobalSlice::new(self.0, len) }
    }
}

#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
impl<T: Copy> Writable<T> {
    /// Opens the memory.
    ///
    /// # Safety
    /// It has room for `len` elements. No two threads write the same one.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[must_use]
    pub unsafe fn cells(self, len: u64) -> GlobalCells<T> {
        // SAFETY: by this function's contract, and the type's promise.
        unsafe { GlobalCells::new(self.0, len) }
    }

    /// Opens the memory to be read, in a launch that does not write it.
    ///
    /// # Safety
    /// It has `len` valid elements.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[must_use]
    pub unsafe fn slice(self, len: u64) -> GlobalSlice<T> {
        // SAFETY: by this function's contract, and the type's promise.
        unsafe { GlobalSlice::new(self.0, len) }
    }
}

#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
impl<T: bytemuck::Pod> Writable<T> {
    /// Opens the memory as a place for the host.
    ///
    /// # Safety
    /// As for [`Outbox::new`].
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[must_use]
    pub unsafe fn outbox(self, tag: u32) -> Outbox<T> {
        // SAFETY: by this function's contract, and the type's promise.
        unsafe { Outbox::new(self.0, tag) }
    }
}

impl<T> Atomic<T> {
    /// Returns the memory for a launch, or a part of it that is only read there.
    ///
    /// # Safety
    /// Nothing updates what is read.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[must_use]
    pub unsafe fn readable(self) -> Readable<T> {
        Readable(self.0)
    }

    /// Returns the memory for a launch, or a part of it that no thread updates by atomics there.
    ///
    /// # Safety
    /// No thread does.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[must_use]
    pub unsafe fn writable(self) -> Writable<T> {
        Writable(self.0)
    }
}

#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
impl<T: AtomicNumber> Atomic<T> {
    /// Opens the memory.
    ///
    /// # Safety
    /// It has `len` numbers.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[must_use]
    pub unsafe fn cells(self, len: u64) -> AtomicCells<T> {
        // SAFETY: by this function's contract, and the type's promise.
        unsafe { AtomicCells::new(self.0, len) }
    }
}

#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
impl Atomic<u32> {
    /// Opens the memory as a ticket.
    ///
    /// # Safety
    /// It has a number that only tickets touch.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[must_use]
    pub unsafe fn ticket(self) -> Ticket {
        // SAFETY: by this function's contract, and the type's promise.
        unsafe { Ticket::new(self.0) }
    }
}

#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
impl Atomic<u64> {
    /// Opens the memory as places for posts.
    ///
    /// # Safety
    /// As for [`Posts::new`].
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[must_use]
    pub unsafe fn posts<A: bytemuck::Pod>(self, count: u64) -> Posts<A> {
        // SAFETY: by this function's contract, and the type's promise.
        unsafe { Posts::new(self.0, count) }
    }
}

/// Memory as `P` promises, or null.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct Optional<P>(P);

// SAFETY: a transparent wrapper of a pointer.
unsafe impl<P: Pointer> Pointer for Optional<P> {
    type Element = P::Element;
    const IS_WRITTEN: bool = P::IS_WRITTEN;
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    unsafe fn new(address: *mut P::Element) -> Self {
        // SAFETY: by this function's contract.
        Self(unsafe { P::new(address) })
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn address(self) -> *mut P::Element {
        self.0.address()
    }
}

impl<P: Pointer> Optional<P> {
    /// No memory.
    #[must_use]
    pub fn none() -> Self {
        // SAFETY: nothing is promised of null.
        Self(unsafe { P::new(core::ptr::null_mut()) })
    }

    /// Returns the memory, if it is there.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[must_use]
    pub fn get(self) -> Option<P> {
        if self.is_none() { None } else { Some(self.0) }
    }

    /// Returns the memory without looking whether it is there.
    ///
    /// # Safety
    /// It is, or the handle that it is opened as is not used.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[must_use]
    pub unsafe fn get_unchecked(self) -> P {
        self.0
    }

    /// Returns whether there is no memory.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[must_use]
    pub fn is_none(self) -> bool {
        self.0.address().is_null()
    }
}

impl<P: Pointer> From<Option<P>> for Optional<P> {
    fn from(memory: Option<P>) -> Self {
        memory.map_or_else(Self::none, Self)
    }
}

impl<P: Pointer> From<P> for Optional<P> {
    fn from(memory: P) -> Self {
        Self(memory)
    }
}
