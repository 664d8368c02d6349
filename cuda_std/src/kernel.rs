//! The macro that makes a function a kernel.

/// Declares kernel entry points: on the device `extern "ptx-kernel"` functions under their own names, on the
/// host plain functions, which the emulator calls once per thread.
///
/// Arguments are plain data or raw pointers. A kernel is `unsafe` to launch: its doc says what must hold.
/// The crate that uses it on the device needs `#![feature(abi_ptx)]`, which cuda_builder allows for the
/// device build.
///
/// ```
/// cuda_std::kernel! {
///     /// Copies one element.
///     ///
///     /// # Safety
///     /// Both pointers are valid for one f32.
///     pub unsafe fn copy_one(input: *const f32, output: *mut f32) {
///         // SAFETY: valid by this function's contract.
///         unsafe { *output = *input }
///     }
/// }
/// ```
/// Written `unsafe fn name as "entry" => (...)`, with any constant string, the entry point gets that name instead
/// of the function's.
///
/// # The arguments of a launch
/// On the host there is a struct beside the function, of the same name, with the parameters for fields: what a launch takes,
/// so that a wrong type, or one argument too few or too many, does not compile. It is the kernel's [`Arguments`] and knows
/// its [name](crate::Kernel::NAME).
///
/// ```
/// # cuda_std::kernel! {
/// #     /// # Safety
/// #     /// Both pointers are valid for one f32.
/// #     pub unsafe fn copy_one(input: *const f32, output: *mut f32) {
/// #         unsafe { *output = *input }
/// #     }
/// # }
/// use cuda_std::{Arguments, Kernel};
///
/// let (x, mut y) = (1.0, 0.0);
/// let arguments = copy_one { input: &raw const x, output: &raw mut y };
/// assert_eq!(copy_one::NAME, "copy_one");
/// assert_eq!(arguments.with_pointers(|pointers| pointers.len()), 2);
/// ```
/// Kernels that are stamped from one generic body share a struct that [`arguments!`](crate::arguments) declares. They name
/// it behind their parameters, `(...): Struct`, and do not compile unless its fields have the same names and types in the same
/// order. Instead of a body, `= path;` there passes all parameters on to an unsafe function with the same contract.
///
/// [`Arguments`]: crate::Arguments
#[macro_export]
macro_rules! kernel {
    () => {};

    // Tied to a struct of arguments: the body is another function's, or its own.
    ($(#[$attribute:meta])* $vis:vis unsafe fn $name:ident $(as $export:expr =>)? ($($arg:ident: $type:ty),* $(,)?):
        $arguments:ty = $body:path; $($rest:tt)*) => {
        $crate::kernel! { @function [$(#[$attribute])*] $vis $name ($crate::kernel!(@name $name $($export)?)) ($($arg: $type),*) {
            // SAFETY: the same contract.
            unsafe { $body($($arg),*) }
        } }
        $crate::kernel! { @check ($($arg: $type),*) $arguments }
        $crate::kernel! { $($rest)* }
    };
    ($(#[$attribute:meta])* $vis:vis unsafe fn $name:ident $(as $export:expr =>)? ($($arg:ident: $type:ty),* $(,)?):
        $arguments:ty $body:block $($rest:tt)*) => {
        $crate::kernel! {
            @function [$(#[$attribute])*] $vis $name ($crate::kernel!(@name $name $($export)?)) ($($arg: $type),*) $body
        }
        $crate::kernel! { @check ($($arg: $type),*) $arguments }
        $crate::kernel! { $($rest)* }
    };

    // With a struct of its own.
    ($(#[$attribute:meta])* $vis:vis unsafe fn $name:ident $(as $export:expr =>)? ($($arg:ident: $type:ty),* $(,)?)
        $body:block $($rest:tt)*) => {
        $crate::kernel! {
            @function [$(#[$attribute])*] $vis $name ($crate::kernel!(@name $name $($export)?)) ($($arg: $type),*) $body
        }
        #[cfg(not(target_arch = "nvptx64"))]
        $crate::arguments! {
            #[doc = concat!("The arguments of the kernel [`", stringify!($name), "`](fn@", stringify!($name), ").")]
            #[allow(non_camel_case_types, reason = "it has the kernel's name")]
            #[allow(dead_code, reason = "whoever launches the kernel makes one")]
            $vis struct $name { $($arg: $type),* }
        }
        // SAFETY: the name and the parameters of the function above.
        #[cfg(not(target_arch = "nvptx64"))]
        unsafe impl $crate::Kernel for $name {
            const NAME: &'static str = $crate::kernel!(@name $name $($export)?);
        }
        $crate::kernel! { $($rest)* }
    };

    (@function [$(#[$attribute:meta])*] $vis:vis $name:ident ($export:expr) ($($arg:ident: $type:ty),*) $body:block) => {
        $(#[$attribute])*
        #[cfg(target_arch = "nvptx64")]
        #[unsafe(export_name = $export)]
        $vis unsafe extern "ptx-kernel" fn $name($($arg: $type),*) $body

        // Compiled where it is launched: of the thousands that a catalogue stamps, a program under the emulator runs few.
        $(#[$attribute])*
        #[cfg(not(target_arch = "nvptx64"))]
        #[inline]
        $vis unsafe fn $name($($arg: $type),*) $body
    };
    (@check ($($arg:ident: $type:ty),*) $arguments:ty) => {
        #[cfg(not(target_arch = "nvptx64"))]
        const _: () = {
            assert!(
                $crate::are_parameters_of::<$arguments>(&[$(stringify!($arg)),*]),
                "a kernel has the parameters that its struct of arguments has, in the same order"
            );
            let _: fn($arguments) -> ($($type,)*) = |arguments| ($(arguments.$arg,)*);
        };
    };
    (@name $name:ident) => { stringify!($name) };
    (@name $name:ident $export:expr) => { $export };
}
