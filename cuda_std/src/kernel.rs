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
/// There is also a struct of the function's name, whose fields are the parameters. The function takes this struct on the host,
/// and so does a launch: a wrong type or a wrong number of arguments does not compile. It implements [`Arguments`] and knows
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
/// // SAFETY: both are valid.
/// unsafe { copy_one(arguments) };
/// assert_eq!(y, 1.0);
/// ```
/// Kernels that are stamped from one generic body share a struct that [`arguments!`](crate::arguments) declares. They name the
/// body and the struct, `=> path: Struct;`, and their parameters are written nowhere else. The body is an unsafe function that
/// takes the struct, and the kernel has its contract.
///
/// [`Arguments`]: crate::Arguments
#[macro_export]
macro_rules! kernel {
    () => {};

    // With a shared struct of arguments and the body of another function.
    ($(#[$attribute:meta])* $vis:vis unsafe fn $name:ident $(as $export:expr)? => $body:path: $arguments:ty; $($rest:tt)*) => {
        $crate::kernel! { @entry [$(#[$attribute])*] $vis $name ($crate::kernel!(@name $name $($export)?)) $arguments =
            |arguments| {
                // SAFETY: the function has the contract of `body`.
                unsafe { $body(arguments) }
            }
        }
        $crate::kernel! { $($rest)* }
    };

    // With a shared struct of arguments and its own body.
    ($(#[$attribute:meta])* $vis:vis unsafe fn $name:ident $(as $export:expr)? =>
        |$given:ident: $arguments:ty| $body:block $($rest:tt)*) => {
        $crate::kernel! {
            @entry [$(#[$attribute])*] $vis $name ($crate::kernel!(@name $name $($export)?)) $arguments = |$given| $body
        }
        $crate::kernel! { $($rest)* }
    };

    // With its own struct of arguments.
    ($(#[$attribute:meta])* $vis:vis unsafe fn $name:ident $(as $export:expr =>)? ($($arg:ident: $type:ty),* $(,)?)
        $body:block $($rest:tt)*) => {
        $crate::arguments! {
            #[doc = concat!("The arguments of the kernel [`", stringify!($name), "`](fn@", stringify!($name), ").")]
            #[allow(non_camel_case_types, reason = "it has the kernel's name")]
            #[allow(dead_code, reason = "whoever launches the kernel makes one")]
            $vis struct $name { $($arg: $type),* }
        }
        $crate::kernel! {
            @entry [$(#[$attribute])*] $vis $name ($crate::kernel!(@name $name $($export)?)) $name = |$name { $($arg),* }| $body
        }
        // SAFETY: this macro takes the name and the parameters from the function above.
        unsafe impl $crate::Kernel for $name {
            const NAME: &'static str = $crate::kernel!(@name $name $($export)?);
            #[cfg(not(target_arch = "nvptx64"))]
            const RUN: unsafe fn(Self) = $name;
        }
        $crate::kernel! { $($rest)* }
    };

    (@entry [$(#[$attribute:meta])*] $vis:vis $name:ident ($export:expr) $arguments:ty = |$pattern:pat_param| $body:block) => {
        $crate::kernel! { @device [$(#[$attribute])*] $vis $name ($export) $arguments = |$pattern| $body
            [p0 P0 p1 P1 p2 P2 p3 P3 p4 P4 p5 P5 p6 P6 p7 P7 p8 P8 p9 P9 p10 P10 p11 P11 p12 P12 p13 P13 p14 P14
             p15 P15 p16 P16 p17 P17 p18 P18 p19 P19 p20 P20 p21 P21 p22 P22 p23 P23]
        }

        // `#[inline]` compiles the function only where it is used: a program under the emulator runs few of the
        // thousands of kernels of a catalogue.
        $(#[$attribute])*
        #[cfg(not(target_arch = "nvptx64"))]
        #[inline]
        $vis unsafe fn $name($pattern: $arguments) $body
    };
    (@device [$(#[$attribute:meta])*] $vis:vis $name:ident ($export:expr) $arguments:ty = |$pattern:pat_param| $body:block
        [$($p:ident $P:ident)*]) => {
        $(#[$attribute])*
        #[cfg(target_arch = "nvptx64")]
        #[allow(improper_ctypes_definitions, reason = "what has no size is no parameter")]
        #[unsafe(export_name = $export)]
        $vis unsafe extern "ptx-kernel" fn $name($($p: <$arguments as $crate::Arguments>::$P),*) {
            let $pattern = <$arguments as $crate::Arguments>::of($($p),*);
            $body
        }
    };
    (@name $name:ident) => { stringify!($name) };
    (@name $name:ident $export:expr) => { $export };
}
