//! The driver's functions, as another library of the same process calls them.

/// Defines functions of the driver, each looked up in libcuda.so.1 when it is called.
#[allow(unused_macros, reason = "some test files are no other library")]
macro_rules! driver_functions {
    ($(fn $name:ident($($argument:ident: $type:ty),* $(,)?) -> u32;)*) => { $(
        #[allow(non_snake_case)]
        unsafe fn $name($($argument: $type),*) -> u32 {
            // SAFETY: the driver's library may be loaded at any time.
            let library = unsafe { libloading::Library::new("libcuda.so.1") }.expect("the driver");
            // It stays loaded as long as the process.
            let library = std::mem::ManuallyDrop::new(library);
            // SAFETY: cuda.h or fake_driver.c declares the function of this name with this type.
            let function = unsafe { library.get::<unsafe extern "C" fn($($type),*) -> u32>(stringify!($name).as_bytes()) };
            // SAFETY: the caller's promise.
            unsafe { function.expect("a function of the driver")($($argument),*) }
        }
    )* };
}
pub(crate) use driver_functions;
