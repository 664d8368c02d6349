//! The arguments of a launch, as types.

use core::ffi::c_void;

/// The arguments of a kernel: a struct with a field for each parameter. [`kernel!`](crate::kernel) and
/// [`arguments!`](crate::arguments) declare such structs.
///
/// # Safety
/// [`NAMES`](Self::NAMES) has the names of the fields in order, and [`with_pointers`](Self::with_pointers) passes
/// pointers to all fields of non-zero size, in that order.
pub unsafe trait Arguments: Copy {
    /// The names of the kernel's parameters, in order.
    const NAMES: &'static [&'static str];

    /// Calls `launch` with a pointer to each argument, in order, as `cuLaunchKernel` takes them. Arguments of size 0
    /// are left out, because the kernel has no parameter for them on the device.
    fn with_pointers<R>(self, launch: impl FnOnce(&mut [*mut c_void]) -> R) -> R;
}

/// The arguments of one named kernel. [`kernel!`](crate::kernel) declares such a struct beside the kernel.
///
/// # Safety
/// [`NAME`](Self::NAME) is the name of an entry point whose parameters have the types of the fields, in order.
pub unsafe trait Kernel: Arguments {
    /// The name of the entry point.
    const NAME: &'static str;
}

/// Returns whether the parameters of a kernel have the names of `A`'s fields, in order.
#[doc(hidden)]
#[must_use]
pub const fn are_parameters_of<A: Arguments>(parameters: &[&str]) -> bool {
    if parameters.len() != A::NAMES.len() {
        return false;
    }
    let mut at = 0;
    while at < parameters.len() {
        let (a, b) = (parameters[at].as_bytes(), A::NAMES[at].as_bytes());
        if a.len() != b.len() {
            return false;
        }
        let mut byte = 0;
        while byte < a.len() {
            if a[byte] != b[byte] {
                return false;
            }
            byte += 1;
        }
        at += 1;
    }
    true
}

/// Declares structs of arguments for kernels that are stamped from generic bodies. All kernels with the same parameters
/// share one struct. [`kernel!`](crate::kernel) ties entry points to it.
///
/// ```
/// cuda_std::arguments! {
///     /// The arguments of a kernel that scales numbers.
///     pub struct Scale<T: Copy> {
///         input: *const T,
///         len: u64,
///         factor: T,
///         output: *mut T,
///     }
/// }
/// cuda_std::kernel! {
///     /// Scales the first of some floats.
///     ///
///     /// # Safety
///     /// Both pointers are valid for `len` floats, at least one.
///     pub unsafe fn scale_f32 as "scale_f32" =>
///         (input: *const f32, len: u64, factor: f32, output: *mut f32): Scale<f32>
///     {
///         // SAFETY: valid by this function's contract.
///         unsafe { *output = *input * factor }
///     }
/// }
/// ```
#[macro_export]
macro_rules! arguments {
    ($($(#[$attribute:meta])* $vis:vis struct $name:ident $(<$($generic:ident: $bound:path),+>)? { $($arg:ident: $type:ty),* $(,)? })*) => { $(
        $(#[$attribute])*
        #[allow(missing_docs, reason = "the kernel says what its parameters are")]
        #[repr(C)]
        $vis struct $name $(<$($generic: $bound),+>)? {
            $(pub $arg: $type),*
        }

        impl $(<$($generic: $bound),+>)? Clone for $name $(<$($generic),+>)? {
            fn clone(&self) -> Self {
                *self
            }
        }
        impl $(<$($generic: $bound),+>)? Copy for $name $(<$($generic),+>)? {}

        // SAFETY: this macro writes the names and the pointers from one list, that of the fields.
        unsafe impl $(<$($generic: $bound),+>)? $crate::Arguments for $name $(<$($generic),+>)? {
            const NAMES: &'static [&'static str] = &[$(stringify!($arg)),*];

            fn with_pointers<R>(
                #[allow(unused_mut, reason = "of a kernel without parameters")] mut self,
                launch: impl FnOnce(&mut [*mut ::core::ffi::c_void]) -> R,
            ) -> R {
                let all: &mut [(usize, *mut ::core::ffi::c_void)] =
                    &mut [$((::core::mem::size_of::<$type>(), (&raw mut self.$arg).cast())),*];
                const COUNT: usize = {
                    let names: &[&str] = &[$(stringify!($arg)),*];
                    names.len()
                };
                let (mut pointers, mut count) = ([::core::ptr::null_mut(); COUNT], 0);
                for &mut (_, pointer) in all.iter_mut().filter(|(size, _)| *size > 0) {
                    pointers[count] = pointer;
                    count += 1;
                }
                launch(&mut pointers[..count])
            }
        }
    )* };
}
