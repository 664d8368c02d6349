//! The driver functions for the clock, looked up in libcuda.so.1 at run time. They are separate from the
//! library's own, so that the library under test cannot affect the clock.

use std::ffi::{CStr, c_char, c_int, c_void};

use libloading::Library;

use crate::{Outcome, with_causes};

/// Declares the functions: a field and a look-up for each.
macro_rules! functions {
    ($($field:ident = $symbol:literal: fn($($argument:ty),*);)*) => {
        /// libcuda.so.1 with the primary context of one device current on the thread that opened it.
        pub(super) struct Driver {
            $($field: unsafe extern "C" fn($($argument),*) -> u32,)*
            // Unloads the library on drop; the last field, so that no function is called after it.
            _library: Library,
        }

        impl Driver {
            fn load(library: Library) -> Outcome<Self> {
                $(
                    // SAFETY: cuda.h declares this function with these arguments and a CUresult, an enum
                    // that the C ABI passes as an unsigned int.
                    let $field = *unsafe { library.get($symbol.as_bytes()) }?;
                )*
                Ok(Self { $($field,)* _library: library })
            }
        }
    };
}

/// A stream, event, graph or context: an opaque pointer of the driver's.
pub(super) type Handle = *mut c_void;

functions! {
    init = "cuInit": fn(u32);
    driver_version = "cuDriverGetVersion": fn(*mut c_int);
    device_get = "cuDeviceGet": fn(*mut c_int, c_int);
    device_attribute = "cuDeviceGetAttribute": fn(*mut c_int, c_int, c_int);
    context_retain = "cuDevicePrimaryCtxRetain": fn(*mut Handle, c_int);
    context_set = "cuCtxSetCurrent": fn(Handle);
    event_create = "cuEventCreate": fn(*mut Handle, u32);
    event_record = "cuEventRecord": fn(Handle, Handle);
    event_synchronize = "cuEventSynchronize": fn(Handle);
    event_elapsed = "cuEventElapsedTime": fn(*mut f32, Handle, Handle);
    stream_synchronize = "cuStreamSynchronize": fn(Handle);
    capture_begin = "cuStreamBeginCapture_v2": fn(Handle, c_int);
    capture_end = "cuStreamEndCapture": fn(Handle, *mut Handle);
    graph_instantiate = "cuGraphInstantiateWithFlags": fn(*mut Handle, Handle, u64);
    graph_launch = "cuGraphLaunch": fn(Handle, Handle);
    graph_destroy = "cuGraphDestroy": fn(Handle);
    graph_exec_destroy = "cuGraphExecDestroy": fn(Handle);
    copy = "cuMemcpyDtoDAsync_v2": fn(u64, u64, usize, Handle);
    host_register = "cuMemHostRegister_v2": fn(*const c_void, usize, u32);
    host_unregister = "cuMemHostUnregister": fn(*const c_void);
    copy_from_host = "cuMemcpyHtoDAsync_v2": fn(u64, *const c_void, usize, Handle);
    error_name = "cuGetErrorName": fn(u32, *mut *const c_char);
}

/// `CU_STREAM_CAPTURE_MODE_THREAD_LOCAL`: calls of other threads do not spoil the capture.
const THREAD_LOCAL: c_int = 1;
/// `CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE`, in kHz.
const MEMORY_CLOCK: c_int = 36;
/// `CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH`, in bits.
const MEMORY_WIDTH: c_int = 37;

impl Driver {
    /// Opens the driver and makes the primary context of the device `ordinal` current on this thread, where
    /// a peer's CUDA runtime finds it.
    ///
    /// # Errors
    /// There is no driver or no such device.
    pub(super) fn open(ordinal: usize) -> Outcome<Self> {
        // SAFETY: libcuda.so.1 is NVIDIA's driver; loading it runs its initialisers, which expect no more.
        let library = unsafe { Library::new("libcuda.so.1") };
        let library = library.map_err(|cause| format!("there is no CUDA driver: {}", with_causes(&cause)))?;
        let driver = Self::load(library)?;
        // SAFETY: 0 is the only flag value that cuInit takes.
        driver.check("initialising", unsafe { (driver.init)(0) })?;
        let (mut device, mut context) = (0, std::ptr::null_mut());
        // SAFETY: writes one int.
        let code = unsafe { (driver.device_get)(&mut device, c_int::try_from(ordinal)?) };
        driver.check("looking for the device", code)?;
        // SAFETY: `device` came from cuDeviceGet. The reference is kept until the process ends.
        let code = unsafe { (driver.context_retain)(&mut context, device) };
        driver.check("opening the device", code)?;
        // SAFETY: `context` was retained above.
        driver.check("choosing the context", unsafe { (driver.context_set)(context) })?;
        Ok(driver)
    }

    /// The CUDA version that the driver speaks, as `13.0`.
    pub(super) fn version(&self) -> Outcome<String> {
        let mut version = 0;
        // SAFETY: writes one int.
        self.check("asking for the version", unsafe { (self.driver_version)(&mut version) })?;
        Ok(format!("{}.{}", version / 1000, version % 1000 / 10))
    }

    /// The clock of the device's memory in kilohertz, and the width of its bus in bits; `None` if the driver
    /// does not know these attributes. It may also return 0.
    pub(super) fn memory_clock_and_width(&self, ordinal: usize) -> Option<(c_int, c_int)> {
        Some((self.attribute(MEMORY_CLOCK, ordinal)?, self.attribute(MEMORY_WIDTH, ordinal)?))
    }

    fn attribute(&self, attribute: c_int, ordinal: usize) -> Option<c_int> {
        let (mut device, mut value) = (0, 0);
        // SAFETY: writes one int.
        let code = unsafe { (self.device_get)(&mut device, c_int::try_from(ordinal).ok()?) };
        self.check("looking for the device", code).ok()?;
        // SAFETY: writes one int; `device` came from cuDeviceGet.
        let code = unsafe { (self.device_attribute)(&mut value, attribute, device) };
        self.check("asking the device", code).ok()?;
        Some(value)
    }

    /// An event that measures time. It lives until the process ends.
    pub(super) fn event(&self) -> Outcome<Handle> {
        let mut event = std::ptr::null_mut();
        // SAFETY: writes one handle; 0 is CU_EVENT_DEFAULT.
        self.check("making an event", unsafe { (self.event_create)(&mut event, 0) })?;
        Ok(event)
    }

    /// Marks this point of `stream` in `event`.
    ///
    /// # Safety
    /// `event` came from [`event`](Self::event), and `stream` is a live stream of this context.
    pub(super) unsafe fn record(&self, event: Handle, stream: Handle) -> Outcome<()> {
        // SAFETY: the caller vouches for both handles.
        self.check("recording an event", unsafe { (self.event_record)(event, stream) })
    }

    /// Waits for `stop`, then gives the microseconds since `start`.
    ///
    /// # Safety
    /// Both came from [`event`](Self::event) and were [recorded](Self::record).
    pub(super) unsafe fn elapsed(&self, start: Handle, stop: Handle) -> Outcome<f64> {
        let mut milliseconds = 0.0;
        // SAFETY: the caller vouches for the event.
        self.check("waiting", unsafe { (self.event_synchronize)(stop) })?;
        // SAFETY: the caller vouches for the events; writes one float.
        let code = unsafe { (self.event_elapsed)(&mut milliseconds, start, stop) };
        self.check("reading the clock", code)?;
        Ok(f64::from(milliseconds) * 1e3)
    }

    /// Waits until `stream` is idle.
    ///
    /// # Safety
    /// `stream` is a live stream of this context.
    pub(super) unsafe fn synchronize(&self, stream: Handle) -> Outcome<()> {
        // SAFETY: the caller vouches for the stream.
        self.check("waiting", unsafe { (self.stream_synchronize)(stream) })
    }

    /// Records what `enqueue` puts on `stream` as a graph that can be replayed.
    ///
    /// # Safety
    /// `stream` is a live stream of this context, and what `enqueue` enqueues uses memory that outlives the
    /// graph.
    pub(super) unsafe fn capture(
        &self,
        stream: Handle,
        enqueue: &mut dyn FnMut() -> Outcome<()>,
    ) -> Outcome<Graph<'_>> {
        // SAFETY: the caller vouches for the stream.
        self.check("beginning a capture", unsafe { (self.capture_begin)(stream, THREAD_LOCAL) })?;
        let enqueued = enqueue();
        let mut graph = std::ptr::null_mut();
        // SAFETY: the capture was begun above; writes one handle. Also after a failure: a stream must not be
        // left in capture.
        let code = unsafe { (self.capture_end)(stream, &mut graph) };
        enqueued?;
        self.check("ending a capture", code)?;
        let mut executable = std::ptr::null_mut();
        // SAFETY: `graph` came from the capture; writes one handle.
        let code = unsafe { (self.graph_instantiate)(&mut executable, graph, 0) };
        // SAFETY: `graph` came from the capture; what was instantiated from it does not need it.
        unsafe { (self.graph_destroy)(graph) };
        self.check("instantiating a graph", code)?;
        Ok(Graph { driver: self, executable })
    }

    /// Copies `bytes` from `from` to `to` on the device.
    ///
    /// # Safety
    /// Both are device addresses with `bytes` bytes behind them, and do not overlap; `stream` is a live stream of this
    /// context.
    pub(super) unsafe fn copy(&self, to: u64, from: u64, bytes: usize, stream: Handle) -> Outcome<()> {
        // SAFETY: the caller vouches for the memory and the stream.
        self.check("copying", unsafe { (self.copy)(to, from, bytes, stream) })
    }

    /// Page-locks `bytes` bytes of host memory.
    ///
    /// # Safety
    /// They are there until they are [unlocked](Self::unlock).
    pub(super) unsafe fn page_lock(&self, memory: *const c_void, bytes: usize) -> Outcome<()> {
        // SAFETY: the caller vouches for the memory.
        self.check("page-locking", unsafe { (self.host_register)(memory, bytes, 0) })
    }

    /// Undoes [`page_lock`](Self::page_lock).
    ///
    /// # Safety
    /// The memory is page-locked, and no copy reads from it any more.
    pub(super) unsafe fn unlock(&self, memory: *const c_void) {
        // SAFETY: the caller vouches for the memory.
        unsafe { (self.host_unregister)(memory) };
    }

    /// Copies `bytes` from host memory at `from` to the device address `to`.
    ///
    /// # Safety
    /// Both have `bytes` bytes, which stay until `stream` has run the copy. `stream` is a live stream of this context.
    pub(super) unsafe fn copy_from_host(
        &self,
        to: u64,
        from: *const c_void,
        bytes: usize,
        stream: Handle,
    ) -> Outcome<()> {
        // SAFETY: the caller vouches for the memory and the stream.
        self.check("copying", unsafe { (self.copy_from_host)(to, from, bytes, stream) })
    }

    fn check(&self, during: &str, code: u32) -> Outcome<()> {
        if code == 0 {
            return Ok(());
        }
        let mut name = std::ptr::null();
        // SAFETY: writes one pointer, null for a code that the driver does not know.
        unsafe { (self.error_name)(code, &mut name) };
        // SAFETY: not null, so a string constant of the driver's.
        let name = (!name.is_null()).then(|| unsafe { CStr::from_ptr(name) }.to_string_lossy());
        Err(format!("{during}: the driver answers {} ({code})", name.as_deref().unwrap_or("an unknown code"))
            .into())
    }
}

/// A captured graph, ready to launch.
pub(super) struct Graph<'d> {
    driver: &'d Driver,
    executable: Handle,
}

impl Graph<'_> {
    /// Launches all of it on `stream`.
    ///
    /// # Safety
    /// `stream` is a live stream of the context that it was captured in, and the memory that it uses is
    /// still there.
    pub(super) unsafe fn launch(&self, stream: Handle) -> Outcome<()> {
        // SAFETY: the executable lives as long as `self`; the caller vouches for the rest.
        self.driver.check("launching a graph", unsafe { (self.driver.graph_launch)(self.executable, stream) })
    }
}

impl Drop for Graph<'_> {
    fn drop(&mut self) {
        // SAFETY: the executable was instantiated by `capture` and is destroyed once. What is still running
        // is finished first by the driver.
        unsafe { (self.driver.graph_exec_destroy)(self.executable) };
    }
}
