//! Kernels launched by cust on arrays of warpfold's.

use cust::function::Function;
use cust::memory::{DevicePointer, DeviceSlice as Words};
use gpu_kernels::ladder::rung::{Course, Rung, Step};
use gpu_kernels::ladder::transpose::{ROWS, TILE};
use warpfold::{DeviceArray, DeviceSlice};

use super::Gpu;
use crate::failure::Failure;
use crate::number::Number;

/// A rung for inputs of one length, with the memory for what its launches leave.
pub(super) struct Prepared<'g, T: Number> {
    gpu: &'g Gpu,
    rung: &'g Rung,
    function: Function<'g>,
    pub(super) threads: u32,
    pub(super) steps: Vec<Step>,
    /// The launches write to these in turn, and read what the one before has written.
    left: [DeviceArray<T>; 2],
    ticket: DeviceArray<u32>,
}

impl<'g, T: Number> Prepared<'g, T> {
    /// For `len` elements by blocks of `threads`, both of which the rung takes.
    pub(super) fn new(gpu: &'g Gpu, rung: &'g Rung, len: u64, threads: u32) -> Result<Self, Failure> {
        if !rung.takes(threads) || len > rung.most(threads) {
            let what =
                format!("rung {} is not for {len} elements by blocks of {threads} threads", rung.label);
            return Err(Failure::Usage(what));
        }
        let function = gpu.function(&rung.entry(threads, T::NAME))?;
        let held = function.max_active_blocks_per_multiprocessor(threads.into(), 0)?;
        let steps = rung.steps(len, threads, held * gpu.cuda.multiprocessors());
        let most =
            |first: usize| steps.iter().skip(first).step_by(2).map(|step| step.leaves).max().unwrap_or(0);
        let left =
            [gpu.cuda.zeroed::<T>(most(0).max(1) as usize)?, gpu.cuda.zeroed::<T>(most(1).max(1) as usize)?];
        let ticket = gpu.cuda.zeroed::<u32>(1)?;
        Ok(Self { gpu, rung, function, threads, steps, left, ticket })
    }

    /// Enqueues its launches over `input`, which has the length that this was made for, and is kept until `sum` was called
    /// or this is dropped.
    pub(super) fn enqueue(&self, input: &DeviceSlice<'_, T>) -> Result<(), Failure> {
        if self.steps.first().is_none_or(|step| step.len != input.len() as u64) {
            return Err(Failure::Usage(format!("rung {} was prepared for another length", self.rung.label)));
        }
        let (function, stream) = (&self.function, &self.gpu.stream);
        let mut from = input.as_device_ptr();
        for (at, step) in self.steps.iter().enumerate() {
            let to = self.left[at % 2].as_device_ptr();
            if self.rung.adds_to_zero() {
                // SAFETY: the array has an element of 4 bytes or more, and what was enqueued before on the stream is all
                // that uses it. It lives until the stream is done: `sum` and `Drop` wait.
                unsafe {
                    Words::<u32>::from_raw_parts_mut(DevicePointer::from_raw(to), 1).set_32_async(0, stream)
                }?;
            }
            let (blocks, threads) = (step.blocks, self.threads);
            // SAFETY: the arguments are those of the rung's entry point; `input` has as many elements as the first step
            // goes over, by the test above, and `left` has room for what each step leaves, by `new`. The rung takes such
            // blocks, by `new`. All of it lives until the stream is done: `sum` and `Drop` wait, and callers keep
            // the input until then.
            unsafe {
                if self.rung.course == Course::Ticket {
                    let ticket = self.ticket.as_device_ptr();
                    cust::launch!(function<<<blocks, threads, 0, stream>>>(from, step.len, to, ticket))?;
                } else {
                    cust::launch!(function<<<blocks, threads, 0, stream>>>(from, step.len, to))?;
                }
            }
            from = to;
        }
        Ok(())
    }

    /// Waits, and gives the last sum.
    pub(super) fn sum(&self) -> Result<T, Failure> {
        self.gpu.stream.synchronize()?;
        let last = &self.left[(self.steps.len() + 1) % 2];
        Ok(last.slice(0..1)?.download()?.first().copied().unwrap_or(T::ZERO))
    }
}

impl<T: Number> Drop for Prepared<'_, T> {
    /// The arrays must outlive what is enqueued. If waiting fails, the context is lost, and nothing runs any more.
    fn drop(&mut self) {
        let _ = self.gpu.stream.synchronize();
    }
}

/// Enqueues a kernel of the coalescing experiment. Both arrays have the same length, and are kept until the stream is done.
pub(super) fn copying(
    gpu: &Gpu,
    function: &Function<'_>,
    (input, out): (&DeviceArray<f32>, &DeviceArray<f32>),
    (per_thread, threads): (u64, u32),
) -> Result<(), Failure> {
    let (stream, len) = (&gpu.stream, input.len().min(out.len()) as u64);
    let blocks = u32::try_from(len.div_ceil(per_thread * u64::from(threads)).max(1)).unwrap_or(u32::MAX);
    let (from, to) = (input.as_device_ptr(), out.as_device_ptr());
    // SAFETY: both have `len` floats, and the grid a thread for each or for each three; the arguments are those of the entry
    // point. The callers, all in `moving`, wait for the stream before they drop the arrays.
    Ok(unsafe { cust::launch!(function<<<blocks, threads, 0, stream>>>(from, len, to)) }?)
}

/// Enqueues a scan by one block. Both arrays have the same length, at most two elements for each of the `threads`, and are kept
/// until the stream is done.
pub(super) fn scanning(
    gpu: &Gpu,
    function: &Function<'_>,
    (input, out): (&DeviceArray<i32>, &DeviceArray<i32>),
    threads: u32,
) -> Result<(), Failure> {
    let (stream, len) = (&gpu.stream, input.len().min(out.len()) as u64);
    let (from, to) = (input.as_device_ptr(), out.as_device_ptr());
    // SAFETY: both have `len` integers; the arguments are those of the entry point, whose block scans as many. The callers, all
    // in `scans`, wait for the stream before they drop the arrays.
    Ok(unsafe { cust::launch!(function<<<1, threads, 0, stream>>>(from, len, to)) }?)
}

/// Enqueues a transpose of `height` rows of `width`. Both arrays are kept until the stream is done.
pub(super) fn transposing(
    gpu: &Gpu,
    function: &Function<'_>,
    (input, out): (&DeviceArray<f32>, &DeviceArray<f32>),
    (width, height): (u32, u32),
) -> Result<(), Failure> {
    if input.len().min(out.len()) < width as usize * height as usize {
        return Err(Failure::Usage("the matrix is larger than its arrays".into()));
    }
    let stream = &gpu.stream;
    let (grid, block) = ((width.div_ceil(TILE), height.div_ceil(TILE)), (TILE, ROWS));
    let (from, to) = (input.as_device_ptr(), out.as_device_ptr());
    // SAFETY: both have so many floats, by the test above; the arguments are those of the entry point. The callers, all in
    // `moving`, wait for the stream before they drop the arrays.
    Ok(unsafe { cust::launch!(function<<<grid, block, 0, stream>>>(from, to, width, height)) }?)
}
