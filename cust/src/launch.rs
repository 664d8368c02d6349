//! Launches of kernels.

use std::ffi::c_void;
use std::ptr;
use std::sync::Arc;

use cuda_std::Arguments;

use crate::error::CudaResult;
use crate::function::Function;
use crate::stream::Stream;
use crate::sys;

/// The shape of a launch.
#[derive(Clone, Copy, Debug)]
pub struct Launch {
    /// Blocks along each dimension.
    pub blocks: [u32; 3],
    /// Threads of a block along each dimension.
    pub threads: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub shared_bytes: u32,
    /// Whether blocks may be placed while the previous launch still runs (programmatic stream serialization, CUDA C++
    /// Programming Guide). Only for kernels that wait for its end themselves, on devices of compute capability 9.0 and
    /// later.
    pub may_overlap: bool,
}

impl Launch {
    /// Creates a one-dimensional launch of `blocks` blocks of `threads` threads.
    #[must_use]
    pub fn new(blocks: u32, threads: u32) -> Self {
        Self { blocks: [blocks, 1, 1], threads: [threads, 1, 1], shared_bytes: 0, may_overlap: false }
    }
}

impl Stream {
    /// Enqueues a launch.
    ///
    /// # Safety
    /// - The kernel's parameters are the fields of `A`, as for the struct that [`kernel!`](cuda_std::kernel) declares
    ///   beside it.
    /// - Memory that the kernel reads or writes through the arguments is readable or writable until the launch has
    ///   ended.
    /// - The function exists until then: [`add_observer`](Self::add_observer) keeps it. A recording keeps it by itself.
    /// - If the launch may overlap, the kernel itself waits for the previous launch.
    ///
    /// # Errors
    /// [`CudaError::OtherDevice`](crate::error::CudaError::OtherDevice) if the kernel was loaded on another device;
    /// [`CudaError::Driver`](crate::error::CudaError::Driver) if the driver refuses the launch.
    pub unsafe fn launch<A: Arguments + 'static>(
        &self,
        function: &Arc<Function<A>>,
        launch: Launch,
        arguments: A,
    ) -> CudaResult<()> {
        // SAFETY: the caller's promise; `with_pointers` gives pointers to the fields of `A`, in order.
        arguments.with_pointers(|arguments| unsafe { self.launch_with(function, launch, arguments) })
    }

    /// Does a [`launch`](Self::launch) with pointers to the arguments.
    ///
    /// # Safety
    /// As for `launch`, with `arguments` that point to values of the kernel's parameter types, in order.
    ///
    /// # Errors
    /// As for `launch`.
    pub unsafe fn launch_with<A: 'static>(
        &self,
        function: &Arc<Function<A>>,
        launch: Launch,
        arguments: &mut [*mut c_void],
    ) -> CudaResult<()> {
        function.context().same_device(self.context())?;
        if self.is_recording() {
            // The graph outlives the stream.
            self.keep(function);
        }
        let Launch { blocks, threads, shared_bytes, may_overlap } = launch;
        let attributes = [sys::LaunchAttribute::MAY_OVERLAP];
        self.enqueue("launching a kernel", |stream| {
            if may_overlap {
                let config = sys::LaunchConfig {
                    blocks,
                    threads,
                    shared_bytes,
                    stream,
                    attributes: attributes.as_ptr(),
                    attribute_count: attributes.len() as u32,
                };
                // SAFETY: the caller's promise; the driver copies configuration and arguments before it returns.
                return unsafe {
                    sys::cuLaunchKernelEx(
                        &raw const config,
                        function.raw(),
                        arguments.as_mut_ptr(),
                        ptr::null_mut(),
                    )
                };
            }
            let ([x, y, z], [threads_x, threads_y, threads_z]) = (blocks, threads);
            // SAFETY: the caller's promise; the driver copies the arguments before it returns.
            unsafe {
                sys::cuLaunchKernel(
                    function.raw(),
                    x,
                    y,
                    z,
                    threads_x,
                    threads_y,
                    threads_z,
                    shared_bytes,
                    stream,
                    arguments.as_mut_ptr(),
                    ptr::null_mut(),
                )
            }
        })
    }
}
