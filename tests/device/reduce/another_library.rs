//! The driver's functions, called as by another library in the same process.

/// Defines functions that look up the driver's function in libcuda.so.1 at each call, or call the emulated driver's.
macro_rules! driver_functions {
    ($(fn $name:ident($($argument:ident: $type:ty),* $(,)?) -> u32;)*) => { $(
        #[allow(non_snake_case)]
        unsafe fn $name($($argument: $type),*) -> u32 {
            #[cfg(feature = "emulator")]
            if warpfold_tests::is_emulated() {
                // SAFETY: the caller's promise.
                return unsafe { cust::emulated::functions::$name($($argument),*) };
            }
            // SAFETY: the driver's library may be loaded at any time.
            let library = unsafe { libloading::Library::new("libcuda.so.1") }.expect("the driver");
            // It stays loaded for the life of the process.
            let library = std::mem::ManuallyDrop::new(library);
            // SAFETY: the type is the type that cuda.h gives this name.
            let function = unsafe { library.get::<unsafe extern "C" fn($($type),*) -> u32>(stringify!($name).as_bytes()) };
            // SAFETY: the caller's promise.
            unsafe { function.expect("a function of the driver")($($argument),*) }
        }
    )* };
}
pub(crate) use driver_functions;
