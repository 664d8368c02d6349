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
#[macro_export]
macro_rules! kernel {
    ($($(#[$attribute:meta])* $vis:vis unsafe fn $name:ident $(as $export:expr =>)? ($($arg:ident: $type:ty),* $(,)?) $body:block)*) => { $(
        $(#[$attribute])*
        #[cfg(target_arch = "nvptx64")]
        #[unsafe(export_name = $crate::kernel!(@name $name $($export)?))]
        $vis unsafe extern "ptx-kernel" fn $name($($arg: $type),*) $body

        // Compiled where it is launched: of the thousands that a catalogue stamps, a program under the emulator runs few.
        $(#[$attribute])*
        #[cfg(not(target_arch = "nvptx64"))]
        #[inline]
        $vis unsafe fn $name($($arg: $type),*) $body
    )* };
    (@name $name:ident) => { stringify!($name) };
    (@name $name:ident $export:expr) => { $export };
}
