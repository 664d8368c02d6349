//! The macro that declares kernels.

/// Declares kernel entry points. On the device they are `extern "ptx-kernel"` functions under their own names; on the
/// host they are plain functions, which the emulator calls once per thread.
///
/// Arguments are plain data or raw pointers. A kernel is `unsafe` to launch; its docs say what must hold. A crate that
/// uses the macro on the device needs `#![feature(abi_ptx)]`, which cuda_builder allows for the device build.
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
/// Written `unsafe fn name as "entry" => (...)`, with any constant string, the entry point gets that name instead of
/// the function's.
///
/// # The arguments of a launch
/// On the host there is also a struct of the function's name, whose fields are the parameters. A launch takes this
/// struct, so a wrong type or a wrong number of arguments does not compile. It implements [`Arguments`] and knows its
/// [name](crate::Kernel::NAME).
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
/// Kernels that are stamped from one generic body share a struct that [`arguments!`](crate::arguments) declares. They
/// name it after their parameters, `(...): Struct`, and do not compile unless its fields have the same names and types
/// in the same order. Instead of a body, `= path;` there passes all parameters on to an unsafe function with the same
/// contract.
///
/// [`Arguments`]: crate::Arguments
#[macro_export]
macro_rules! kernel {
    () => {};

    // With a shared struct of arguments: the body is that of another function, or its own.
    ($(#[$attribute:meta])* $vis:vis unsafe fn $name:ident $(as $export:expr =>)? ($($arg:ident: $type:ty),* $(,)?):
        $arguments:ty = $body:path; $($rest:tt)*) => {
        $crate::kernel! { @function [$(#[$attribute])*] $vis $name ($crate::kernel!(@name $name $($export)?)) ($($arg: $type),*) {
            // SAFETY: the function's contract is that of `body`.
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

    // With its own struct of arguments.
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
        // SAFETY: this macro writes the name and the parameters from those of the function above.
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

        // `#[inline]` compiles the function only where it is used: a program under the emulator runs few of the
        // thousands of kernels of a catalogue.
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
