//! Arrays and streams of other libraries: reduced where they are, in the order of their streams.

use std::ffi::c_void;

use crate::Element;
use crate::cuda::lane::Lane;
use crate::cuda::lane::scratch::Scratch;
use crate::cuda::launch::{Memory, Queue};
use crate::cuda::{Cuda, DeviceArray, Stream};
use crate::error::Error;

impl Cuda {
    /// Borrows `len` elements at `address` (a `CUdeviceptr`) of another library: an array of cudarc's, CuPy's or
    /// PyTorch's, without a copy. Dropping the answer frees nothing.
    ///
    /// ```no_run
    /// use warpfold::{Cuda, Sum};
    ///
    /// # let (address, len, their_stream) = (0, 0, std::ptr::null_mut());
    /// let cuda = Cuda::open(0)?;
    /// // SAFETY: the other library keeps both until the end of this scope, and writes neither.
    /// let (x, stream) = unsafe { (cuda.borrow_raw::<f32>(address, len)?, cuda.stream_from_raw(their_stream)?) };
    /// // After what the other library has enqueued on its stream so far.
    /// println!("{}", stream.reduce(Sum, &x)?);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    ///
    /// # Safety
    /// As for [`std::slice::from_raw_parts`], on the device: until the answer was dropped and all work on it has ended
    /// (blocking calls and a [`Pending`](crate::cuda::Pending) that gave its result have; for other work, its stream was
    /// waited for or dropped),
    /// - the `len * size_of::<T>()` bytes from `address` on are of one allocation that this device can read;
    /// - whenever work on it runs, they hold values of type `T`, and nobody writes them. Work runs after what was
    ///   enqueued on its own stream before it, and in no order with other streams'.
    ///
    /// # Errors
    /// [`Error::Foreign`] if `address` is null or not aligned for `T` (for no elements it may be anything), the array
    /// would end past the last address, or the driver knows its first or its last byte not for device or managed
    /// memory; [`Error::OtherDevice`] if it is on another device. What the driver cannot tell, the caller promises.
    pub unsafe fn borrow_raw<T: Element>(&self, address: u64, len: usize) -> Result<DeviceArray<T>, Error> {
        let refuse = |why| Err(Error::Foreign { address, why });
        if len > 0 && !address.is_multiple_of(align_of::<T>() as u64) {
            return refuse("the array is not aligned for its elements");
        }
        let Some(bytes) = len.checked_mul(size_of::<T>()) else {
            return refuse("the array would have more bytes than there are addresses: check its length");
        };
        // SAFETY: the caller's promise.
        let memory = unsafe { Memory::borrow(self.context(), address, bytes) }?;
        Ok(DeviceArray::of(self, memory, len))
    }

    /// Borrows a stream of another library (a `CUstream` or `cudaStream_t`), whose work then comes before and after
    /// ours in the order of the calls. It is not destroyed when the answer is dropped, which waits for its work.
    ///
    /// The legacy default stream (null or 1) and a thread's own default stream (2) work too; the latter takes work from
    /// the thread that made this call alone, and another thread that asks for a result of it waits for all work of the
    /// device. While the other library records the stream to a graph, all work is refused.
    ///
    /// # Safety
    /// The handle is valid until the answer was dropped; if it is leaked, for ever.
    ///
    /// # Errors
    /// [`Error::Foreign`] if the stream is not of this device's primary context; [`Error::OutOfMemory`],
    /// [`Error::Driver`].
    pub unsafe fn stream_from_raw(&self, handle: *mut c_void) -> Result<Stream, Error> {
        // Made ready on a stream of ours: theirs may be busy for long.
        let scratch = self.lease(|lane| Scratch::new(lane.queue()))?;
        // SAFETY: the caller's promise.
        let queue = unsafe { Queue::borrow(self.context(), handle) }?;
        Ok(Stream::new(self.clone(), Lane::with(queue, scratch)?))
    }
}
