//! Borrowed buffers and streams of Rust-CUDA's crate `cust`.

use rust_cuda::memory::{DeviceBuffer, DeviceCopy};

use gpu_kernels::Element;

use crate::cuda::{Cuda, DeviceArray, Stream};
use crate::error::Error;

impl Cuda {
    /// Borrows a buffer of Rust-CUDA's `cust`, without a copy. Dropping the returned array frees nothing.
    ///
    /// ```no_run
    /// use rust_cuda::{memory::DeviceBuffer, stream::{Stream, StreamFlags}};
    /// use warpfold::{Cuda, Sum};
    ///
    /// let _context = rust_cuda::quick_init()?;
    /// let buffer = DeviceBuffer::from_slice(&[1.0f32, 2.0])?;
    /// let theirs = Stream::new(StreamFlags::NON_BLOCKING, None)?;
    /// let cuda = Cuda::open(0)?;
    /// // SAFETY: both outlive what borrows them here, and nothing writes the buffer meanwhile.
    /// let (x, stream) = unsafe { (cuda.borrow_rust_cuda(&buffer)?, cuda.stream_from_rust_cuda(&theirs)?) };
    /// assert_eq!(stream.reduce(Sum, &x)?, 3.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Safety
    /// As for [`borrow_raw`](Self::borrow_raw): the buffer must outlive the returned array, and must not be written
    /// while work on the array runs.
    ///
    /// # Errors
    /// As [`borrow_raw`](Self::borrow_raw).
    pub unsafe fn borrow_rust_cuda<T: Element + DeviceCopy>(
        &self,
        buffer: &DeviceBuffer<T>,
    ) -> Result<DeviceArray<T>, Error> {
        // SAFETY: the caller upholds the contract of `borrow_raw`, and the buffer holds `len` elements at its address.
        unsafe { self.borrow_raw(buffer.as_device_ptr().as_raw(), buffer.len()) }
    }

    /// Borrows a stream of Rust-CUDA's `cust`: see [`stream_from_raw`](Self::stream_from_raw).
    ///
    /// # Safety
    /// The stream must outlive the returned one.
    ///
    /// # Errors
    /// As [`stream_from_raw`](Self::stream_from_raw).
    ///
    /// ```no_run
    /// use rust_cuda::stream::{Stream, StreamFlags};
    /// use warpfold::{Cuda, Sum};
    ///
    /// let _context = rust_cuda::quick_init()?;
    /// let theirs = Stream::new(StreamFlags::NON_BLOCKING, None)?;
    /// let cuda = Cuda::open(0)?;
    /// // SAFETY: `theirs` is dropped after `stream`.
    /// let stream = unsafe { cuda.stream_from_rust_cuda(&theirs)? };
    /// assert_eq!(stream.reduce(Sum, &cuda.upload(&[1.0f32, 2.0])?)?, 3.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub unsafe fn stream_from_rust_cuda(&self, stream: &rust_cuda::stream::Stream) -> Result<Stream, Error> {
        // SAFETY: the caller guarantees that the stream outlives the returned one.
        unsafe { self.stream_from_raw(stream.as_inner().cast()) }
    }
}
