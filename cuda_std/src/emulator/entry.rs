//! Kernels of any arguments, launched by pointers to them, as a driver launches kernels.

use core::ffi::c_void;
use core::mem::transmute;
use std::sync::Arc;

use super::counts::Counts;
use super::launch::Launch;
use super::misuse::Misuse;
use crate::{Arguments, Field};

/// A kernel without the type of its arguments.
///
/// ```
/// use cuda_std::{Arguments, emulator::{Entry, Launch}};
///
/// cuda_std::kernel! {
///     /// Writes a number.
///     ///
///     /// # Safety
///     /// `output` is valid for one u32.
///     pub unsafe fn write(output: *mut u32, number: u32) {
///         // SAFETY: by this function's contract.
///         unsafe { *output = number }
///     }
/// }
///
/// const WRITE: Entry = Entry::new::<write>(write);
/// let mut output = 0;
/// let arguments = write { output: &raw mut output, number: 7 };
/// // SAFETY: these are the arguments of the kernel, and `output` lives as long as the launch.
/// let counts = arguments.with_pointers(|pointers| unsafe { WRITE.bind(pointers).run(&Launch::new(1, 1)) });
/// assert!(counts.is_ok() && output == 7);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    kernel: unsafe fn(),
    bind: Bind,
    first: fn(),
    fields: &'static [Field],
}

/// Reads the arguments of a kernel from pointers. The last one is what a launch calls first.
type Bind = unsafe fn(unsafe fn(), &[*mut c_void], fn()) -> Bound;

/// A kernel with its arguments, ready to be launched.
#[derive(Clone)]
pub struct Bound(Arc<dyn Fn()>);

// SAFETY: the arguments are plain data and addresses, copied by `Entry::bind`; whoever runs the kernel promises that the addresses
// are valid there.
unsafe impl Send for Bound {}
// SAFETY: as above; a call changes nothing of the value.
unsafe impl Sync for Bound {}

impl core::fmt::Debug for Bound {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("Bound")
    }
}

impl Entry {
    /// Makes the entry of a kernel.
    #[must_use]
    pub const fn new<A: Arguments + 'static>(kernel: unsafe fn(A)) -> Self {
        // SAFETY: all pointers to functions have one layout, and only `bind::<A>` calls this one, with its own type.
        let kernel = unsafe { transmute::<unsafe fn(A), unsafe fn()>(kernel) };
        Self { kernel, bind: bind::<A>, first: || {}, fields: A::FIELDS }
    }

    /// Returns the same entry, whose threads call `first` before the kernel.
    #[must_use]
    pub const fn after(self, first: fn()) -> Self {
        Self { first, ..self }
    }

    /// Returns what is known of the arguments for which there are parameters, in order.
    pub fn fields(self) -> impl Iterator<Item = Field> {
        self.fields.iter().copied().filter(|field| field.bytes > 0)
    }

    /// Copies the arguments.
    ///
    /// # Safety
    /// `pointers` are those that [`Arguments::with_pointers`] passes for the kernel's arguments.
    #[must_use]
    pub unsafe fn bind(self, pointers: &[*mut c_void]) -> Bound {
        // SAFETY: `new` paired the kernel with the `bind` of its arguments; the rest is the caller's promise.
        unsafe { (self.bind)(self.kernel, pointers, self.first) }
    }
}

impl Bound {
    /// Runs the kernel.
    ///
    /// # Safety
    /// The kernel's contract holds for its arguments, except what the launch checks.
    ///
    /// # Errors
    /// As [`Launch::run`].
    pub unsafe fn run(&self, launch: &Launch) -> Result<Counts, Misuse> {
        launch.run(|| (self.0)())
    }
}

/// Copies arguments of one type.
///
/// # Safety
/// `kernel` is an `unsafe fn(A)`, and `pointers` point to its arguments.
unsafe fn bind<A: Arguments + 'static>(kernel: unsafe fn(), pointers: &[*mut c_void], first: fn()) -> Bound {
    // SAFETY: the caller's promise.
    let (kernel, arguments) =
        unsafe { (transmute::<unsafe fn(), unsafe fn(A)>(kernel), A::from_pointers(pointers)) };
    Bound(Arc::new(move || {
        first();
        // SAFETY: promised by whoever calls `Bound::run`.
        unsafe { kernel(arguments) }
    }))
}
