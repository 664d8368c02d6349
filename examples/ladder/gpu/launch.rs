//! Kernels launched by cust on arrays of warpfold.

use std::sync::Arc;

use cuda_std::memory::{Pointer, Readable};
use cust::function::Function;
use cust::launch::Launch;
use cust::memory::Memory;
use gpu_kernels::arguments::ladder::{Between, Transpose, WithTicket};
use gpu_kernels::ladder::host::rung::{Course, Rung, Step};
use gpu_kernels::ladder::transpose::{ROWS, TILE};
use warpfold::{DeviceArray, DeviceSlice};

use super::Gpu;
use crate::failure::Failure;
use crate::number::Number;

/// A rung for inputs of one length, with the memory for its launches' results.
pub(super) struct Prepared<'g, T: Number> {
    gpu: &'g Gpu,
    rung: &'g Rung,
    kernel: Kernel<T>,
    pub(super) threads: u32,
    pub(super) steps: Vec<Step>,
    /// Launches alternate between these: each reads what the previous one wrote, and writes to the other.
    left: [Arc<Memory>; 2],
    ticket: Arc<Memory>,
}

/// The kernel of a rung.
enum Kernel<T: Number> {
    Plain(Arc<Function<Between<T>>>),
    Ticket(Arc<Function<WithTicket<T>>>),
}

impl<'g, T: Number> Prepared<'g, T> {
    /// For `len` elements and blocks of `threads`, which the rung must support.
    pub(super) fn new(gpu: &'g Gpu, rung: &'g Rung, len: u64, threads: u32) -> Result<Self, Failure> {
        if !rung.takes(threads) || len > rung.most(threads) {
            let what =
                format!("rung {} is not for {len} elements by blocks of {threads} threads", rung.label);
            return Err(Failure::Usage(what));
        }
        let entry = rung.entry(threads, T::NAME);
        let (kernel, held) = if rung.course == Course::Ticket {
            let function = gpu.function(&entry)?;
            let held = function.max_active_blocks_per_multiprocessor(threads, 0)?;
            (Kernel::Ticket(function), held)
        } else {
            let function = gpu.function(&entry)?;
            let held = function.max_active_blocks_per_multiprocessor(threads, 0)?;
            (Kernel::Plain(function), held)
        };
        let steps = rung.steps(len, threads, held * gpu.cuda.properties().multiprocessors);
        let most =
            |first: usize| steps.iter().skip(first).step_by(2).map(|step| step.leaves).max().unwrap_or(0);
        let left = |first| Memory::zeroed(&gpu.stream, most(first).max(1) as usize * size_of::<T>());
        let left = [left(0)?, left(1)?];
        let ticket = Memory::zeroed(&gpu.stream, size_of::<u32>())?;
        Ok(Self { gpu, rung, kernel, threads, steps, left, ticket })
    }

    /// Enqueues its launches over `input`, which must have the length given to `new`, and must be kept until
    /// `sum` was called or this is dropped.
    pub(super) fn enqueue(&self, input: &DeviceSlice<'_, T>) -> Result<(), Failure> {
        if self.steps.first().is_none_or(|step| step.len != input.len() as u64) {
            return Err(Failure::Usage(format!("rung {} was prepared for another length", self.rung.label)));
        }
        let stream = &self.gpu.stream;
        let mut input: Readable<T> = pointer(input.as_device_ptr());
        for (at, step) in self.steps.iter().enumerate() {
            let left = &self.left[at % 2];
            let (len, out) = (step.len, pointer(left.address()));
            if self.rung.adds_to_zero() {
                stream.fill(left.region(0, size_of::<T>())?, 0)?;
            }
            stream.keep_memory(left)?;
            let launch = Launch::new(step.blocks, self.threads);
            match &self.kernel {
                Kernel::Plain(function) => {
                    // SAFETY: `input` has as many elements as the first step reads, by the test above, and
                    // `left` has room for the results of each step, by `new`. The rung supports these blocks,
                    // by `new`. The stream keeps `left`; callers keep the input until `sum` or `Drop` has
                    // waited.
                    unsafe { stream.launch(function, launch, Between { input, len, out }) }?;
                }
                Kernel::Ticket(function) => {
                    stream.keep_memory(&self.ticket)?;
                    let ticket = pointer(self.ticket.address());
                    // SAFETY: as above; each launch leaves the ticket 0, its initial value.
                    unsafe { stream.launch(function, launch, WithTicket { input, len, out, ticket }) }?;
                }
            }
            input = pointer(left.address());
        }
        Ok(())
    }

    /// Waits, and returns the last sum.
    pub(super) fn sum(&self) -> Result<T, Failure> {
        let last = &self.left[(self.steps.len() + 1) % 2];
        Ok(last.download(&self.gpu.stream, 0, 1)?.first().copied().unwrap_or(T::ZERO))
    }
}

impl<T: Number> Drop for Prepared<'_, T> {
    /// Waits: the input must outlive the enqueued work. If waiting fails, the context is lost and nothing runs
    /// any more.
    fn drop(&mut self) {
        let _ = self.gpu.stream.wait();
    }
}

/// The address of an array as kernels take it.
fn pointer<P: Pointer>(address: u64) -> P {
    // SAFETY: callers pass the address of an array of such elements, or of memory of its own.
    unsafe { P::new(std::ptr::without_provenance_mut(address as usize)) }
}

/// Enqueues a kernel of the coalescing experiment, or a scan by one block. Both arrays have the same length, which one block scans, and
/// must be kept until the stream is done.
pub(super) fn moving<T: Number>(
    gpu: &Gpu,
    function: &Arc<Function<Between<T>>>,
    (input, out): (&DeviceArray<T>, &DeviceArray<T>),
    (per_thread, threads): (usize, u32),
) -> Result<(), Failure> {
    let (stream, len) = (&gpu.stream, input.len().min(out.len()) as u64);
    let blocks = len.div_ceil(per_thread as u64 * u64::from(threads)).max(1);
    let blocks = u32::try_from(blocks).unwrap_or(u32::MAX);
    let (input, out) = (pointer(input.as_device_ptr()), pointer(out.as_device_ptr()));
    // SAFETY: both have `len` elements, and the grid has a thread for each or for as many as a thread moves; the arguments match the
    // entry point's. The callers, in `moving` and `scans`, wait for the stream before they drop the arrays.
    Ok(unsafe { stream.launch(function, Launch::new(blocks, threads), Between { input, len, out }) }?)
}

/// Enqueues a transpose of `height` rows of `width`. Both arrays must be kept until the stream is done.
pub(super) fn transposing(
    gpu: &Gpu,
    function: &Arc<Function<Transpose<f32>>>,
    (input, out): (&DeviceArray<f32>, &DeviceArray<f32>),
    (width, height): (u32, u32),
) -> Result<(), Failure> {
    if input.len().min(out.len()) < width as usize * height as usize {
        return Err(Failure::Usage("the matrix is larger than its arrays".into()));
    }
    let stream = &gpu.stream;
    let launch = Launch {
        blocks: [width.div_ceil(TILE), height.div_ceil(TILE), 1],
        threads: [TILE, ROWS, 1],
        ..Launch::new(1, 1)
    };
    let (input, out) = (pointer(input.as_device_ptr()), pointer(out.as_device_ptr()));
    // SAFETY: both have that many floats, by the test above. The callers, all in `moving`, wait for the stream
    // before they drop the arrays.
    Ok(unsafe { stream.launch(function, launch, Transpose { input, out, width, height }) }?)
}
