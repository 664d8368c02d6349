//! The driver's functions, declared with plain numbers: any code that a driver answers is a `u32`.
//!
//! Signatures and meanings: cuda.h, NVIDIA's *CUDA Driver API* reference. Each name must also be in
//! xtask/driver_shim/names.inc, which a test of xtask checks.

use std::ffi::{c_char, c_int, c_uint, c_void};

/// A pointer to something of the driver's: context, module, function, stream, event or graph.
pub(super) type Handle = *mut c_void;

/// An address in device memory.
pub(super) type Address = u64;

/// `CUDA_SUCCESS`.
pub(super) const SUCCESS: u32 = 0;

/// `CUDA_ERROR_INVALID_VALUE`: of a pointer, that no CUDA function gave it.
pub(super) const INVALID_VALUE: u32 = 1;
/// `CUDA_ERROR_NOT_READY`: work is unfinished. No error.
pub(super) const NOT_READY: u32 = 600;

/// `CU_STREAM_PER_THREAD`: the default stream of the thread that uses it.
pub(super) const STREAM_PER_THREAD: usize = 2;
/// `CU_STREAM_CAPTURE_STATUS_NONE`.
pub(super) const STREAM_CAPTURE_STATUS_NONE: c_uint = 0;
/// `CU_POINTER_ATTRIBUTE_MEMORY_TYPE`: a `CUmemorytype`.
pub(super) const POINTER_ATTRIBUTE_MEMORY_TYPE: c_uint = 2;
/// `CU_POINTER_ATTRIBUTE_IS_MANAGED`: 0 or 1.
pub(super) const POINTER_ATTRIBUTE_IS_MANAGED: c_uint = 8;
/// `CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL`.
pub(super) const POINTER_ATTRIBUTE_DEVICE_ORDINAL: c_uint = 9;
/// `CU_POINTER_ATTRIBUTE_RANGE_START_ADDR`: an address.
pub(super) const POINTER_ATTRIBUTE_RANGE_START_ADDR: c_uint = 11;
/// `CU_MEMORYTYPE_HOST`.
pub(super) const MEMORYTYPE_HOST: c_uint = 1;
/// `CU_MEMORYTYPE_DEVICE`.
pub(super) const MEMORYTYPE_DEVICE: c_uint = 2;

/// `CU_STREAM_NON_BLOCKING`: the stream does not wait for the legacy stream.
pub(super) const STREAM_NON_BLOCKING: c_uint = 1;
/// `CU_STREAM_CAPTURE_MODE_RELAXED`: other calls stay allowed during the capture.
pub(super) const STREAM_CAPTURE_MODE_RELAXED: c_uint = 2;
/// `CU_MEMHOSTALLOC_DEVICEMAP`.
pub(super) const MEMHOSTALLOC_DEVICEMAP: c_uint = 2;
/// `CU_EVENT_DEFAULT`: with a time stamp.
pub(super) const EVENT_DEFAULT: c_uint = 0;
/// `CU_EVENT_DISABLE_TIMING`: cheaper to wait for.
pub(super) const EVENT_DISABLE_TIMING: c_uint = 2;
/// `CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK`.
pub(super) const FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: c_uint = 0;
/// `CU_FUNC_ATTRIBUTE_NUM_REGS`.
pub(super) const FUNC_ATTRIBUTE_NUM_REGS: c_uint = 4;
/// `CU_JIT_MAX_REGISTERS`.
pub(super) const JIT_MAX_REGISTERS: c_uint = 0;
/// `CU_JIT_ERROR_LOG_BUFFER`.
pub(super) const JIT_ERROR_LOG_BUFFER: c_uint = 5;
/// `CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES`.
pub(super) const JIT_ERROR_LOG_BUFFER_SIZE_BYTES: c_uint = 6;

/// `CUlaunchConfig`.
#[repr(C)]
pub(super) struct LaunchConfig {
    pub(super) blocks: [c_uint; 3],
    pub(super) threads: [c_uint; 3],
    pub(super) shared_bytes: c_uint,
    pub(super) stream: Handle,
    pub(super) attributes: *const LaunchAttribute,
    pub(super) attribute_count: c_uint,
}

/// `CUlaunchAttribute`: a kind, and as many bytes of value as the union has.
#[repr(C, align(8))]
#[derive(Clone, Copy)]
pub(super) struct LaunchAttribute {
    kind: c_uint,
    padding: c_uint,
    value: [c_uint; 16],
}

impl LaunchAttribute {
    /// `CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION`: the launch may start before the one before it has ended.
    pub(super) const MAY_OVERLAP: Self = Self::new(6, 1);

    const fn new(kind: c_uint, first: c_uint) -> Self {
        let mut value = [0; 16];
        value[0] = first;
        Self { kind, padding: 0, value }
    }
}

const _: () = assert!(size_of::<LaunchAttribute>() == 72 && size_of::<LaunchConfig>() == 56);

unsafe extern "C" {
    pub(super) fn cuInit(flags: c_uint) -> u32;
    pub(super) fn cuDriverGetVersion(version: *mut c_int) -> u32;
    pub(super) fn cuDeviceGetCount(count: *mut c_int) -> u32;

    pub(super) fn cuDevicePrimaryCtxRetain(context: *mut Handle, device: c_int) -> u32;
    pub(super) fn cuDevicePrimaryCtxRelease_v2(device: c_int) -> u32;
    pub(super) fn cuCtxGetCurrent(context: *mut Handle) -> u32;
    pub(super) fn cuCtxSetCurrent(context: Handle) -> u32;
    pub(super) fn cuCtxPushCurrent_v2(context: Handle) -> u32;
    pub(super) fn cuCtxPopCurrent_v2(context: *mut Handle) -> u32;
    pub(super) fn cuCtxSynchronize() -> u32;

    pub(super) fn cuModuleLoadDataEx(
        module: *mut Handle,
        image: *const c_char,
        options: c_uint,
        names: *mut c_uint,
        values: *mut *mut c_void,
    ) -> u32;
    pub(super) fn cuModuleUnload(module: Handle) -> u32;
    pub(super) fn cuModuleGetFunction(function: *mut Handle, module: Handle, name: *const c_char) -> u32;
    pub(super) fn cuFuncGetAttribute(value: *mut c_int, attribute: c_uint, function: Handle) -> u32;

    pub(super) fn cuMemAlloc_v2(address: *mut Address, bytes: usize) -> u32;
    pub(super) fn cuMemFree_v2(address: Address) -> u32;
    pub(super) fn cuMemGetInfo_v2(free: *mut usize, total: *mut usize) -> u32;
    pub(super) fn cuMemHostAlloc(pointer: *mut *mut c_void, bytes: usize, flags: c_uint) -> u32;
    pub(super) fn cuMemHostGetDevicePointer_v2(
        address: *mut Address,
        pointer: *mut c_void,
        flags: c_uint,
    ) -> u32;
    pub(super) fn cuMemFreeHost(pointer: *mut c_void) -> u32;
    pub(super) fn cuMemcpyHtoDAsync_v2(to: Address, from: *const c_void, bytes: usize, stream: Handle)
    -> u32;
    pub(super) fn cuMemcpyDtoHAsync_v2(to: *mut c_void, from: Address, bytes: usize, stream: Handle) -> u32;
    pub(super) fn cuMemsetD8Async(to: Address, value: u8, bytes: usize, stream: Handle) -> u32;
    pub(super) fn cuPointerGetAttribute(value: *mut c_void, attribute: c_uint, address: Address) -> u32;
    pub(super) fn cuPointerGetAttributes(
        count: c_uint,
        attributes: *mut c_uint,
        values: *mut *mut c_void,
        address: Address,
    ) -> u32;

    pub(super) fn cuStreamCreate(stream: *mut Handle, flags: c_uint) -> u32;
    pub(super) fn cuStreamSynchronize(stream: Handle) -> u32;
    pub(super) fn cuStreamQuery(stream: Handle) -> u32;
    pub(super) fn cuStreamGetCtx(stream: Handle, context: *mut Handle) -> u32;
    pub(super) fn cuStreamIsCapturing(stream: Handle, status: *mut c_uint) -> u32;
    pub(super) fn cuStreamDestroy_v2(stream: Handle) -> u32;
    pub(super) fn cuStreamBeginCapture_v2(stream: Handle, mode: c_uint) -> u32;
    pub(super) fn cuStreamEndCapture(stream: Handle, graph: *mut Handle) -> u32;
    pub(super) fn cuGraphInstantiateWithFlags(executable: *mut Handle, graph: Handle, flags: u64) -> u32;
    pub(super) fn cuGraphLaunch(executable: Handle, stream: Handle) -> u32;
    pub(super) fn cuGraphExecDestroy(executable: Handle) -> u32;
    pub(super) fn cuGraphDestroy(graph: Handle) -> u32;

    pub(super) fn cuEventCreate(event: *mut Handle, flags: c_uint) -> u32;
    pub(super) fn cuEventRecord(event: Handle, stream: Handle) -> u32;
    pub(super) fn cuEventSynchronize(event: Handle) -> u32;
    pub(super) fn cuEventElapsedTime(milliseconds: *mut f32, start: Handle, end: Handle) -> u32;
    pub(super) fn cuEventDestroy_v2(event: Handle) -> u32;

    pub(super) fn cuOccupancyMaxActiveBlocksPerMultiprocessor(
        blocks: *mut c_int,
        function: Handle,
        threads: c_int,
        shared_bytes: usize,
    ) -> u32;

    pub(super) fn cuLaunchKernelEx(
        config: *const LaunchConfig,
        function: Handle,
        arguments: *mut *mut c_void,
        extra: *mut *mut c_void,
    ) -> u32;
    pub(super) fn cuLaunchKernel(
        function: Handle,
        blocks_x: c_uint,
        blocks_y: c_uint,
        blocks_z: c_uint,
        threads_x: c_uint,
        threads_y: c_uint,
        threads_z: c_uint,
        shared_bytes: c_uint,
        stream: Handle,
        arguments: *mut *mut c_void,
        extra: *mut *mut c_void,
    ) -> u32;
}
