//! Borrowed arrays and streams of other libraries, used without a copy and in the order of their streams.

use std::ffi::c_void;
use std::sync::Arc;

use gpu_kernels::{Accumulator, Element, Op};

use crate::cuda::array::cell::Cell;
use crate::cuda::executor::Executor;
use crate::cuda::executor::scratch::Scratch;
use crate::cuda::launch::{Joined, Memory, Queue};
use crate::cuda::{Cuda, DeviceArray, DeviceResults, DeviceValues, Stream};
use crate::error::Error;

impl Cuda {
    /// Borrows `len` elements at `address` (a `CUdeviceptr`) that another library owns, without a copy: an array of
    /// cudarc, CuPy or PyTorch. Dropping the returned array frees nothing.
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
    /// As for [`std::slice::from_raw_parts`], on the device. Until the returned array is dropped and all work on it has
    /// ended:
    /// - the `len * size_of::<T>()` bytes at `address` must be part of one allocation that this device can read;
    /// - whenever work on them runs, they must hold values of type `T`, and nothing may write them. Work runs after
    ///   what was enqueued on its own stream before it, and in no order with other streams.
    ///
    /// Work has ended when a blocking call has returned or a [`Pending`](crate::cuda::Pending) has given its result;
    /// other work, when its stream was waited for or dropped.
    ///
    /// # Errors
    /// [`Error::Foreign`] if `address` is null or not aligned for `T` (empty arrays may have any address), if the array
    /// would end past the last address, or if the driver does not know its first or last byte as device or managed
    /// memory; [`Error::OtherDevice`] if the memory is on another device. What the driver cannot tell remains the
    /// caller's responsibility.
    pub unsafe fn borrow_raw<T: Element>(&self, address: u64, len: usize) -> Result<DeviceArray<T>, Error> {
        // SAFETY: the caller guarantees that the elements at `address` are valid for reads for as long as the array is used.
        Ok(DeviceArray::of(self, unsafe { self.borrow_memory::<T>(address, len) }?, len))
    }

    /// Borrows room for `count` values at `address` (a `CUdeviceptr`) that another library owns, for the results of a [`Stream`]: they are
    /// then in an array of cudarc, CuPy or PyTorch. Dropping what is returned frees nothing.
    ///
    /// ```no_run
    /// use warpfold::{Cuda, Scan, Sum};
    ///
    /// # let (address, theirs, len, their_stream) = (0, 0, 0, std::ptr::null_mut());
    /// let cuda = Cuda::open(0)?;
    /// // SAFETY: the other library keeps all three until the end of this scope, and uses the results on that stream.
    /// let (x, mut sums, stream) = unsafe {
    ///     (cuda.borrow_raw::<f32>(address, len)?, cuda.borrow_values_raw(theirs, len)?, cuda.stream_from_raw(their_stream)?)
    /// };
    /// stream.scan_into(Sum, &x, &mut sums, Scan::inclusive())?;
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    ///
    /// # Safety
    /// As for [`std::slice::from_raw_parts_mut`], on the device. Until what is returned is dropped and all work on it has ended:
    /// - the `count * size_of::<V>()` bytes at `address` must be part of one allocation that this device can write;
    /// - nothing else may read or write them while that work runs.
    ///
    /// # Errors
    /// As [`borrow_raw`](Self::borrow_raw).
    pub unsafe fn borrow_values_raw<V: Accumulator>(
        &self,
        address: u64,
        count: usize,
    ) -> Result<DeviceValues<V>, Error> {
        const { assert!(size_of::<V>() > 0, "a zero-sized value has nothing to make") }
        // SAFETY: the caller's promise.
        let memory = unsafe { self.borrow_memory::<V>(address, count) }?;
        Ok(DeviceValues::of(self, Cell::of(memory), count))
    }

    /// Does [`borrow_values_raw`](Self::borrow_values_raw) for the accumulators of `count` results, which
    /// [`Stream::finish_into`] turns into values.
    ///
    /// ```no_run
    /// use warpfold::{Cuda, Mean, rows};
    ///
    /// # let (address, room, theirs, their_stream) = (0, 0, 0, std::ptr::null_mut());
    /// let cuda = Cuda::open(0)?;
    /// // SAFETY: the other library keeps all four until the end of this scope, and uses none but on that stream.
    /// let (x, mut results, mut means, stream) = unsafe {
    ///     (
    ///         cuda.borrow_raw::<f32>(address, 6)?,
    ///         cuda.borrow_results_raw::<f32, Mean>(room, 2)?,
    ///         cuda.borrow_values_raw(theirs, 2)?,
    ///         cuda.stream_from_raw(their_stream)?,
    ///     )
    /// };
    /// stream.reduce_into(Mean, rows(&x, [2, 3]), &mut results)?;
    /// stream.finish_into(&results, &mut means)?;
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    ///
    /// # Safety
    /// As there, for `count * size_of::<O::Acc>()` bytes.
    ///
    /// # Errors
    /// As [`borrow_raw`](Self::borrow_raw).
    pub unsafe fn borrow_results_raw<T: Element, O: Op<T>>(
        &self,
        address: u64,
        count: usize,
    ) -> Result<DeviceResults<T, O>, Error> {
        // SAFETY: the caller's promise.
        let memory = unsafe { self.borrow_memory::<O::Acc>(address, count) }?;
        Ok(DeviceResults::of(self, Cell::of(memory), count))
    }

    /// Borrows memory for `len` values of a type, and checks what can be checked.
    ///
    /// # Safety
    /// As for [`Memory::borrow`].
    unsafe fn borrow_memory<T>(&self, address: u64, len: usize) -> Result<Arc<Memory>, Error> {
        let refuse = |why| Err(Error::Foreign { address, why });
        if len > 0 && !address.is_multiple_of(align_of::<T>() as u64) {
            return refuse("the array is not aligned for its elements");
        }
        let Some(bytes) = len.checked_mul(size_of::<T>()) else {
            return refuse("the array would have more bytes than there are addresses: check its length");
        };
        // SAFETY: the caller's promise.
        Ok(unsafe { Memory::borrow(self.context(), address, bytes) }?)
    }

    /// Borrows a stream of another library (a `CUstream` or `cudaStream_t`). Work of both libraries on it then runs in
    /// the order of the calls. Dropping the returned stream waits for its work and does not destroy the borrowed one.
    ///
    /// The legacy default stream (null or 1) and the per-thread default stream (2) work too. The latter takes work only
    /// from the thread that made this call; another thread that asks for one of its results waits for all work of the
    /// device. While the other library records the stream to a graph, all work is refused but that of [`record_raw`](Self::record_raw).
    ///
    /// # Safety
    /// The handle must stay valid until the returned stream is dropped, or for ever if that is leaked.
    ///
    /// # Errors
    /// [`Error::Foreign`] if the stream is not of this device's primary context; [`Error::OutOfMemory`],
    /// [`Error::Driver`].
    ///
    /// ```no_run
    /// # use std::ffi::c_void;
    /// # fn f(their_stream: *mut c_void) -> Result<(), warpfold::Error> {
    /// use warpfold::{Cuda, Sum};
    ///
    /// let cuda = Cuda::open(0)?;
    /// // SAFETY: the other library keeps its stream until the end of this scope.
    /// let stream = unsafe { cuda.stream_from_raw(their_stream)? };
    /// let x = cuda.upload(&[1.0f32, 2.0])?;
    /// assert_eq!(stream.reduce(Sum, &x)?, 3.0);
    /// # Ok(())
    /// # }
    /// ```
    pub unsafe fn stream_from_raw(&self, handle: *mut c_void) -> Result<Stream, Error> {
        // Cleared on one of our own streams, because theirs may be busy for long.
        let scratch = self.lease(|executor| Scratch::new(executor.queue()))?;
        // SAFETY: the caller guarantees that `handle` outlives the returned stream.
        let queue = unsafe { Queue::borrow(self.context(), handle) }?;
        Ok(Stream::new(self.clone(), Executor::with(queue, scratch)?))
    }

    /// Records what `calls` enqueues in the graph to which another library records its stream, a `CUstream` or `cudaStream_t`: what
    /// [`Stream::capture`] records in a graph of this library. Memory for the work is what `lend` returns for a number of bytes, at a
    /// multiple of 256; `None` is [`Error::OutOfMemory`].
    ///
    /// The stream in the call refuses what waits, as some sorts do. Wrong offsets of segments and ids of groups make results that mean nothing.
    ///
    /// # Safety
    /// Until the graph is launched no more, all memory that the calls use must exist: arrays and results, and what `lend` has returned, which
    /// is memory of this device with as many bytes, and which nobody else may use while the graph runs. This device must stay open. The handle
    /// must be valid during the call.
    ///
    /// # Errors
    /// The errors of `calls`, after which the graph may have a part of the work; [`Error::Capturing`] from calls that wait;
    /// [`Error::Foreign`] if the stream is not recorded; [`Error::Driver`].
    ///
    /// ```no_run
    /// use warpfold::{Cuda, Scan, Sum};
    ///
    /// # let (address, theirs, len, their_stream, allocate) = (0, 0, 0, std::ptr::null_mut(), |_| None);
    /// let cuda = Cuda::open(0)?;
    /// // SAFETY: the other library records the stream, and keeps its arrays, also those of `allocate`, as long as the graph.
    /// unsafe {
    ///     let (x, mut sums) = (cuda.borrow_raw::<f32>(address, len)?, cuda.borrow_values_raw(theirs, len)?);
    ///     cuda.record_raw(their_stream, allocate, |stream| stream.scan_into(Sum, &x, &mut sums, Scan::inclusive()))?;
    /// }
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub unsafe fn record_raw<R>(
        &self,
        handle: *mut c_void,
        lend: impl Fn(usize) -> Option<u64> + Send + 'static,
        calls: impl FnOnce(&Stream) -> Result<R, Error>,
    ) -> Result<R, Error> {
        // SAFETY: the caller guarantees that the handle is valid.
        let queue = unsafe { Queue::borrow(self.context(), handle) }?;
        let stream = Stream::new(self.clone(), Executor::recorded(queue));
        // SAFETY: the caller's promise.
        let _joined = unsafe { Joined::start(stream.queue(), Box::new(lend)) }?;
        calls(&stream)
    }
}
