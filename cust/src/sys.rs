//! The driver's functions, declared with plain numbers and looked up at the first call of any of them.
//!
//! Codes are `u32`, so a code that this crate does not know is a value like any other. Signatures and meanings: cuda.h,
//! NVIDIA's *CUDA Driver API* reference.
//!
//! Without a driver, each function returns [`STUB_LIBRARY`]; a function that is newer than the driver returns
//! [`NOT_FOUND`]. Nothing panics, and the process starts.
#![allow(non_snake_case, reason = "the functions have the driver's names")]
#![allow(clippy::too_many_arguments, reason = "so have their parameters")]

use std::ffi::{c_char, c_int, c_uint, c_void};
use std::sync::OnceLock;

use libloading::Library;

/// A pointer to a driver object: context, module, function, stream, event or graph.
pub(crate) type Handle = *mut c_void;

/// An address in device memory.
pub(crate) type Address = u64;

/// `CUDA_SUCCESS`.
pub(crate) const SUCCESS: u32 = 0;

#[cfg(feature = "emulator")]
mod emulated_codes {
    /// `CUDA_ERROR_INVALID_DEVICE`.
    pub(crate) const INVALID_DEVICE: u32 = 101;
    /// `CUDA_ERROR_NO_BINARY_FOR_GPU`: the text is for newer devices.
    pub(crate) const NO_BINARY_FOR_GPU: u32 = 209;
    /// `CUDA_ERROR_UNSUPPORTED_PTX_VERSION`.
    pub(crate) const UNSUPPORTED_PTX_VERSION: u32 = 222;
    /// `CUDA_ERROR_LAUNCH_FAILED`: a kernel did what it may not. The context is dead.
    pub(crate) const LAUNCH_FAILED: u32 = 719;
    /// `CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED`: not while a stream records.
    pub(crate) const STREAM_CAPTURE_UNSUPPORTED: u32 = 900;
    /// `CUDA_ERROR_UNKNOWN`.
    pub(crate) const UNKNOWN: u32 = 999;
}
#[cfg(feature = "emulator")]
pub(crate) use emulated_codes::*;

/// `CUDA_ERROR_OUT_OF_MEMORY`.
pub(crate) const OUT_OF_MEMORY: u32 = 2;
/// `CUDA_ERROR_INVALID_PTX`.
pub(crate) const INVALID_PTX: u32 = 218;
/// `CUDA_ERROR_STUB_LIBRARY`, which NVIDIA's stub of libcuda returns. Here it means that there is no driver.
pub(crate) const STUB_LIBRARY: u32 = 34;
/// `CUDA_ERROR_NOT_FOUND`. Here: the driver is older than the function.
pub(crate) const NOT_FOUND: u32 = 500;

/// `CUDA_ERROR_INVALID_VALUE`. For a pointer: it is not from a CUDA function.
pub(crate) const INVALID_VALUE: u32 = 1;
/// `CUDA_ERROR_NOT_READY`: work is unfinished. This is not an error.
pub(crate) const NOT_READY: u32 = 600;

/// `CU_STREAM_PER_THREAD`: the default stream of the thread that uses it.
pub(crate) const STREAM_PER_THREAD: usize = 2;
/// `CU_STREAM_CAPTURE_STATUS_ACTIVE`.
pub(crate) const STREAM_CAPTURE_STATUS_ACTIVE: c_uint = 1;
/// `CU_STREAM_CAPTURE_STATUS_NONE`.
pub(crate) const STREAM_CAPTURE_STATUS_NONE: c_uint = 0;
/// `CU_POINTER_ATTRIBUTE_MEMORY_TYPE`: a `CUmemorytype`.
pub(crate) const POINTER_ATTRIBUTE_MEMORY_TYPE: c_uint = 2;
/// `CU_POINTER_ATTRIBUTE_IS_MANAGED`: 0 or 1.
pub(crate) const POINTER_ATTRIBUTE_IS_MANAGED: c_uint = 8;
/// `CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL`.
pub(crate) const POINTER_ATTRIBUTE_DEVICE_ORDINAL: c_uint = 9;
/// `CU_POINTER_ATTRIBUTE_RANGE_START_ADDR`: an address.
pub(crate) const POINTER_ATTRIBUTE_RANGE_START_ADDR: c_uint = 11;
/// `CU_POINTER_ATTRIBUTE_RANGE_SIZE`: a number of bytes.
pub(crate) const POINTER_ATTRIBUTE_RANGE_SIZE: c_uint = 12;
/// `CU_MEMORYTYPE_HOST`.
pub(crate) const MEMORYTYPE_HOST: c_uint = 1;
/// `CU_MEMORYTYPE_DEVICE`.
pub(crate) const MEMORYTYPE_DEVICE: c_uint = 2;

/// `CU_STREAM_NON_BLOCKING`: the stream does not synchronize with the legacy default stream.
pub(crate) const STREAM_NON_BLOCKING: c_uint = 1;
/// `CU_STREAM_CAPTURE_MODE_RELAXED`: other calls stay allowed during the capture.
pub(crate) const STREAM_CAPTURE_MODE_RELAXED: c_uint = 2;
/// `CU_MEMHOSTALLOC_DEVICEMAP`.
pub(crate) const MEMHOSTALLOC_DEVICEMAP: c_uint = 2;
/// `CU_EVENT_DEFAULT`: with a time stamp.
pub(crate) const EVENT_DEFAULT: c_uint = 0;
/// `CU_EVENT_DISABLE_TIMING`: cheaper to wait for.
pub(crate) const EVENT_DISABLE_TIMING: c_uint = 2;
/// `CU_JIT_MAX_REGISTERS`.
pub(crate) const JIT_MAX_REGISTERS: c_uint = 0;
/// `CU_JIT_ERROR_LOG_BUFFER`.
pub(crate) const JIT_ERROR_LOG_BUFFER: c_uint = 5;
/// `CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES`.
pub(crate) const JIT_ERROR_LOG_BUFFER_SIZE_BYTES: c_uint = 6;
/// `CU_JIT_OPTIMIZATION_LEVEL`.
pub(crate) const JIT_OPTIMIZATION_LEVEL: c_uint = 7;

/// `CUlaunchConfig`.
#[repr(C)]
pub(crate) struct LaunchConfig {
    pub(crate) blocks: [c_uint; 3],
    pub(crate) threads: [c_uint; 3],
    pub(crate) shared_bytes: c_uint,
    pub(crate) stream: Handle,
    pub(crate) attributes: *const LaunchAttribute,
    pub(crate) attribute_count: c_uint,
}

/// `CUlaunchAttribute`: a kind, and a value with the bytes of the union.
#[repr(C, align(8))]
#[derive(Clone, Copy)]
pub(crate) struct LaunchAttribute {
    kind: c_uint,
    padding: c_uint,
    value: [c_uint; 16],
}

impl LaunchAttribute {
    /// `CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION`: the launch may start before the previous one has ended.
    pub(crate) const MAY_OVERLAP: Self = Self::new(6, 1);

    const fn new(kind: c_uint, first: c_uint) -> Self {
        let mut value = [0; 16];
        value[0] = first;
        Self { kind, padding: 0, value }
    }
}

const _: () = assert!(size_of::<LaunchAttribute>() == 72 && size_of::<LaunchConfig>() == 56);

/// Declares the driver's functions: a table that is filled once, and a function for each name.
macro_rules! driver {
    ($(fn $name:ident($($argument:ident: $type:ty),*);)*) => {
        /// The driver's functions; `None` for those that it lacks.
        struct Table {
            $($name: Option<unsafe extern "system" fn($($type),*) -> u32>,)*
            /// Keeps the functions loaded. It is never dropped, because the table is a `static`. The emulated driver has none.
            #[cfg_attr(not(feature = "emulator"), allow(dead_code, reason = "it is only kept"))]
            library: Option<Library>,
        }

        impl Table {
            /// Returns the functions of the emulated driver.
            #[cfg(feature = "emulator")]
            fn emulated() -> Self {
                Self { $($name: Some(crate::emulated::functions::$name),)* library: None }
            }

            /// Looks up the functions. Returns `None` without a driver.
            fn load() -> Option<Self> {
                // SAFETY: the driver's library may be loaded at any time and from any thread (CUDA C++ Programming
                // Guide, "Driver API"); it stays loaded.
                let library = unsafe { Library::new(LIBRARY) }.ok()?;
                $(
                    // SAFETY: cuda.h declares the function of this name with this type.
                    let found = unsafe {
                        library.get::<unsafe extern "system" fn($($type),*) -> u32>(concat!(stringify!($name), "\0").as_bytes())
                    };
                    let $name = found.ok().map(|function| *function);
                )*
                Some(Self { $($name,)* library: Some(library) })
            }
        }

        $(
            /// The driver's function of this name.
            ///
            /// # Safety
            /// The requirements of NVIDIA's reference hold.
            pub(crate) unsafe fn $name($($argument: $type),*) -> u32 {
                let Some(table) = TABLE.get_or_init(Table::load) else { return STUB_LIBRARY };
                let Some(function) = table.$name else { return NOT_FOUND };
                // SAFETY: the caller's promise.
                unsafe { function($($argument),*) }
            }
        )*
    };
}

static TABLE: OnceLock<Option<Table>> = OnceLock::new();

/// Makes the emulated driver the process's, unless another was looked for. Returns whether it is.
#[cfg(feature = "emulator")]
pub(crate) fn emulate() -> bool {
    TABLE.get_or_init(|| Some(Table::emulated())).as_ref().is_some_and(|table| table.library.is_none())
}

/// Returns whether the emulated driver is the process's.
#[cfg(feature = "emulator")]
pub(crate) fn is_emulated() -> bool {
    TABLE.get().is_some_and(|table| table.as_ref().is_some_and(|table| table.library.is_none()))
}

/// The driver's library, as its installer names it.
#[cfg(not(windows))]
const LIBRARY: &str = "libcuda.so.1";
/// The driver's library, as its installer names it.
#[cfg(windows)]
const LIBRARY: &str = "nvcuda.dll";

driver! {
    fn cuInit(flags: c_uint);
    fn cuDriverGetVersion(version: *mut c_int);
    fn cuDeviceGetCount(count: *mut c_int);
    fn cuDeviceGet(device: *mut c_int, ordinal: c_int);
    fn cuDeviceGetName(name: *mut c_char, bytes: c_int, device: c_int);
    fn cuDeviceTotalMem_v2(bytes: *mut usize, device: c_int);
    fn cuDeviceGetAttribute(value: *mut c_int, attribute: c_uint, device: c_int);
    fn cuGetErrorName(code: u32, name: *mut *const c_char);
    fn cuOccupancyMaxPotentialBlockSize(blocks: *mut c_int, threads: *mut c_int, function: Handle, shared_bytes_of_threads: *const c_void, shared_bytes: usize, most_threads: c_int);
    fn cuDevicePrimaryCtxRetain(context: *mut Handle, device: c_int);
    fn cuDevicePrimaryCtxRelease_v2(device: c_int);
    fn cuCtxGetCurrent(context: *mut Handle);
    fn cuCtxPushCurrent_v2(context: Handle);
    fn cuCtxPopCurrent_v2(context: *mut Handle);
    fn cuCtxSynchronize();
    fn cuModuleLoadDataEx(module: *mut Handle, image: *const c_char, options: c_uint, names: *mut c_uint, values: *mut *mut c_void);
    fn cuModuleUnload(module: Handle);
    fn cuModuleGetFunction(function: *mut Handle, module: Handle, name: *const c_char);
    fn cuFuncGetAttribute(value: *mut c_int, attribute: c_uint, function: Handle);
    fn cuFuncSetAttribute(function: Handle, attribute: c_uint, value: c_int);
    fn cuMemAlloc_v2(address: *mut Address, bytes: usize);
    fn cuMemFree_v2(address: Address);
    fn cuMemGetInfo_v2(free: *mut usize, total: *mut usize);
    fn cuMemHostAlloc(pointer: *mut *mut c_void, bytes: usize, flags: c_uint);
    fn cuMemHostGetDevicePointer_v2(address: *mut Address, pointer: *mut c_void, flags: c_uint);
    fn cuMemFreeHost(pointer: *mut c_void);
    fn cuMemcpyHtoDAsync_v2(to: Address, from: *const c_void, bytes: usize, stream: Handle);
    fn cuMemcpyDtoHAsync_v2(to: *mut c_void, from: Address, bytes: usize, stream: Handle);
    fn cuMemcpyDtoDAsync_v2(to: Address, from: Address, bytes: usize, stream: Handle);
    fn cuMemsetD8Async(to: Address, value: u8, bytes: usize, stream: Handle);
    fn cuPointerGetAttributes(count: c_uint, attributes: *mut c_uint, values: *mut *mut c_void, address: Address);
    fn cuStreamCreate(stream: *mut Handle, flags: c_uint);
    fn cuStreamCreateWithPriority(stream: *mut Handle, flags: c_uint, priority: c_int);
    fn cuStreamWaitEvent(stream: Handle, event: Handle, flags: c_uint);
    fn cuStreamSynchronize(stream: Handle);
    fn cuStreamQuery(stream: Handle);
    fn cuStreamGetCtx(stream: Handle, context: *mut Handle);
    fn cuStreamIsCapturing(stream: Handle, status: *mut c_uint);
    fn cuThreadExchangeStreamCaptureMode(mode: *mut c_uint);
    fn cuStreamDestroy_v2(stream: Handle);
    fn cuStreamBeginCapture_v2(stream: Handle, mode: c_uint);
    fn cuStreamEndCapture(stream: Handle, graph: *mut Handle);
    fn cuGraphInstantiateWithFlags(executable: *mut Handle, graph: Handle, flags: u64);
    fn cuGraphLaunch(executable: Handle, stream: Handle);
    fn cuGraphExecDestroy(executable: Handle);
    fn cuGraphDestroy(graph: Handle);
    fn cuEventCreate(event: *mut Handle, flags: c_uint);
    fn cuEventRecord(event: Handle, stream: Handle);
    fn cuEventSynchronize(event: Handle);
    fn cuEventElapsedTime(milliseconds: *mut f32, start: Handle, end: Handle);
    fn cuEventDestroy_v2(event: Handle);
    fn cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks: *mut c_int, function: Handle, threads: c_int, shared_bytes: usize);
    fn cuLaunchKernelEx(config: *const LaunchConfig, function: Handle, arguments: *mut *mut c_void, extra: *mut *mut c_void);
    fn cuLaunchKernel(function: Handle, blocks_x: c_uint, blocks_y: c_uint, blocks_z: c_uint, threads_x: c_uint, threads_y: c_uint, threads_z: c_uint, shared_bytes: c_uint, stream: Handle, arguments: *mut *mut c_void, extra: *mut *mut c_void);
}
