//! The launches of a reduction's kernels, with arguments that are checked to be what the kernels may touch.
//!
//! Each keeps what it uses in the queue. What the kernels do with their arguments is the contract of
//! `gpu_kernels::entry::raw`, which whoever implements [`Kernel`] vouches for.

use std::ffi::c_void;
use std::marker::PhantomData;
use std::ptr;
use std::sync::Arc;

use gpu_kernels::shape::MAX_FAN_IN;
use gpu_kernels::tree;

use super::memory::{Memory, Region};
use super::module::Function;
use super::{Context, Kernels, Queue, Reply, raw};
use crate::error::Error;
use crate::{Element, Entry, Kernel, Passes, Plan};

/// Elements in device memory: of one array, or the pairs of two.
#[derive(Debug)]
pub(in crate::cuda) struct Input<'a, T> {
    region: Region<'a>,
    /// The other array.
    beside: Option<Region<'a>>,
    /// Where each array begins, as the kernels' first parameter has it; of one array the second is not read.
    addresses: Addresses,
    /// Bytes from one element to the next in each array.
    stride: u64,
    len: u64,
    elements: PhantomData<&'a [T]>,
}

/// Where a kernel writes an accumulator.
#[derive(Clone, Copy, Debug)]
pub(in crate::cuda) enum Output<'a> {
    /// Device memory.
    Device(Region<'a>),
    /// A place on the host.
    Host(&'a Reply),
}

impl<T> Clone for Input<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Input<'_, T> {}

impl<'a, T: Element> Input<'a, T> {
    /// `len` elements, of which the first is the `first` in the memory.
    pub(in crate::cuda) fn new(memory: &'a Arc<Memory>, first: usize, len: usize) -> Result<Self, Error> {
        let (first, bytes) = (first.saturating_mul(size_of::<T>()), len.saturating_mul(size_of::<T>()));
        let (region, len) = (memory.region(first, bytes)?, len as u64);
        let addresses = [region.array_of::<T>(len)?, 0];
        let stride = size_of::<T>() as u64;
        Ok(Self { region, beside: None, addresses, stride, len, elements: PhantomData })
    }

    /// The pairs of two arrays' elements.
    pub(in crate::cuda) fn zipped(self, other: Self) -> Result<Input<'a, [T; 2]>, Error>
    where
        [T; 2]: Element,
    {
        if self.len != other.len {
            return Err(Error::Lengths { left: self.len, right: other.len });
        }
        Ok(Input {
            region: self.region,
            beside: Some(other.region),
            addresses: [self.addresses[0], other.addresses[0]],
            stride: self.stride,
            len: self.len,
            elements: PhantomData,
        })
    }

    /// How many.
    pub(in crate::cuda) fn len(self) -> u64 {
        self.len
    }

    /// Where the elements of one array begin.
    pub(in crate::cuda) fn address(self) -> raw::Address {
        self.addresses[0]
    }

    /// `len` of the elements of one array, from `first` on.
    pub(in crate::cuda) fn within(self, first: u64, len: u64) -> Result<Self, Error> {
        let addresses = self.part(first, len)?;
        let region = self.region.part(first, len, size_of::<T>())?;
        Ok(Self {
            region,
            beside: None,
            addresses: [addresses[0], 0],
            stride: self.stride,
            len,
            elements: PhantomData,
        })
    }

    /// The bytes of one array's elements.
    pub(in crate::cuda) fn region(self) -> Region<'a> {
        self.region
    }

    /// What they lie in.
    pub(super) fn memory(self) -> &'a Arc<Memory> {
        self.region.memory()
    }

    /// The addresses of element `first`, with `len` elements there.
    pub(super) fn part(self, first: u64, len: u64) -> Result<Addresses, Error> {
        let end = first.saturating_add(len);
        if end > self.len {
            let clamp = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
            return Err(Error::OutOfBounds { range: clamp(first)..clamp(end), len: clamp(self.len) });
        }
        // Within the region, so it does not overflow; what is not read may.
        Ok(self.addresses.map(|address| address.wrapping_add(first * self.stride)))
    }
}

impl Output<'_> {
    /// Its address, if `count` accumulators `A` fit there, and the tag to write them with.
    /// The queue keeps it and `input`, what the launch reads to compute it.
    pub(super) fn start<A: crate::Accumulator>(
        self,
        queue: &Queue,
        input: &Arc<Memory>,
        count: u64,
    ) -> Result<(raw::Address, u32), Error> {
        same_device(input.context(), queue.context())?;
        match self {
            Self::Device(region) => {
                let to = region.array_of::<A>(count)?;
                queue.keep(input);
                queue.keep_memory(region.memory())?;
                Ok((to, NO_TAG))
            }
            Self::Host(reply) if count == 1 && reply.is_of(queue.handle()) => Ok(reply.start::<A>(input)),
            Self::Host(_) => Err(Error::Plan { why: "one result at a time goes to a place on the host" }),
        }
    }
}

/// Where the elements of an input begin, in one array or each of two.
pub(super) type Addresses = [raw::Address; 2];

/// The result is read when the launch has ended.
const NO_TAG: u32 = 0;

impl Queue {
    /// Folds all of `input` in one block to `out`.
    pub(in crate::cuda) fn fold_block<T: Element, O: Kernel<T>>(
        &self,
        mut op: O,
        kernels: &Kernels,
        plan: &Plan,
        input: Input<'_, T>,
        out: Output<'_>,
    ) -> Result<(), Error> {
        belongs::<T>(plan, input.len)?;
        if plan.passes() != Passes::Block {
            return Err(Error::Plan { why: "one block is for plans of one block" });
        }
        let (mut from, mut len, mut base) = (input.part(0, input.len)?, input.len, 0u64);
        self.keep_beside(input)?;
        let (mut to, mut tag) = out.start::<O::Acc>(self, input.region.memory(), 1)?;
        let arguments = [
            erase(&mut from),
            erase(&mut len),
            erase(&mut base),
            erase(&mut to),
            erase(&mut tag),
            erase(&mut op),
        ];
        // SAFETY: the arguments of `raw::block`: `len` readable elements, at most 16 tiles (what a plan of one block
        // is), and room for one accumulator, in tagged words if there is a tag; the queue keeps both.
        unsafe { self.launch(kernels, O::BLOCK, 1, plan.threads(), arguments) }
    }

    /// Folds all of `input` to `out` in one launch, by way of `partials` and a `ticket` that is 0.
    pub(in crate::cuda) fn fold_grid<T: Element, O: Kernel<T>>(
        &self,
        mut op: O,
        kernels: &Kernels,
        plan: &Plan,
        input: Input<'_, T>,
        (partials, ticket): (Region<'_>, Region<'_>),
        out: Output<'_>,
    ) -> Result<(), Error> {
        belongs::<T>(plan, input.len)?;
        let (mut from, mut len, mut base) = (input.part(0, input.len)?, input.len, 0u64);
        let mut log2_tile = plan.tile_len().ilog2();
        let mut between = partials.array_of::<O::Acc>(plan.partials())?;
        let mut ticket_at = ticket.array_of::<u32>(1)?;
        for memory in [partials.memory(), ticket.memory()] {
            self.keep_memory(memory)?;
        }
        self.keep_beside(input)?;
        let (mut to, mut tag) = out.start::<O::Acc>(self, input.region.memory(), 1)?;
        let arguments = [
            erase(&mut from),
            erase(&mut len),
            erase(&mut base),
            erase(&mut log2_tile),
            erase(&mut between),
            erase(&mut ticket_at),
            erase(&mut to),
            erase(&mut tag),
            erase(&mut op),
        ];
        // SAFETY: the arguments of `raw::grid`: `len` readable elements; room for one accumulator per span, at most
        // 4096 (a plan has no more), for the ticket and for one accumulator, in tagged words if there is a tag; the
        // queue keeps them, and work on it is in order, so that no other launch uses the partials and the ticket.
        unsafe { self.launch(kernels, O::GRID, plan.blocks(), plan.threads(), arguments) }
    }

    /// Folds `len` elements from `first` on, whole spans but for the input's last, to their partial results, which
    /// lie at their places in `partials`.
    pub(in crate::cuda) fn fold_spans<T: Element, O: Kernel<T>>(
        &self,
        op: O,
        kernels: &Kernels,
        plan: &Plan,
        input: Input<'_, T>,
        (first, len): (u64, u64),
        partials: Region<'_>,
    ) -> Result<(), Error> {
        belongs::<T>(plan, input.len)?;
        let span_len = span_len(plan);
        if !first.is_multiple_of(span_len) {
            return Err(Error::Plan { why: "a part of the input starts where a block's tiles do" });
        }
        let from = input.part(first, len)?;
        self.keep_beside(input)?;
        // SAFETY: `part` has checked that the input has these elements, which lie in its memory.
        unsafe { self.launch_spans(op, kernels, plan, (input.region.memory(), from), (first, len), partials) }
    }

    /// Launches the fold of `len` elements at `from`, which stand in the plan's input from element `first` on, a span's
    /// first, to their partial results' places. The queue keeps `memory` and the places.
    ///
    /// # Safety
    /// `from` has `len` readable elements within `memory`, aligned; of two arrays both, and the queue keeps the second.
    pub(super) unsafe fn launch_spans<T: Element, O: Kernel<T>>(
        &self,
        mut op: O,
        kernels: &Kernels,
        plan: &Plan,
        (memory, mut from): (&Arc<Memory>, Addresses),
        (first, mut len): (u64, u64),
        partials: Region<'_>,
    ) -> Result<(), Error> {
        let span_len = span_len(plan);
        let (skipped, spans) = (first / span_len, len.div_ceil(span_len));
        let mut base = first;
        let mut log2_tile = plan.tile_len().ilog2();
        let mut between =
            partials.array_of::<O::Acc>(skipped + spans)? + skipped * size_of::<O::Acc>() as u64;
        let (mut no_ticket, mut no_out, mut no_tag): (raw::Address, raw::Address, u32) = (0, 0, NO_TAG);
        self.keep_memory(memory)?;
        self.keep_memory(partials.memory())?;
        let arguments = [
            erase(&mut from),
            erase(&mut len),
            erase(&mut base),
            erase(&mut log2_tile),
            erase(&mut between),
            erase(&mut no_ticket),
            erase(&mut no_out),
            erase(&mut no_tag),
            erase(&mut op),
        ];
        let blocks = u64::from(plan.blocks()).min(spans) as u32;
        // SAFETY: the arguments of `raw::grid` without a ticket: `len` readable elements (the caller's promise) and room
        // for one accumulator per span; the queue keeps both. No other launch under way writes these spans' places.
        unsafe { self.launch(kernels, O::GRID, blocks, plan.threads(), arguments) }
    }

    /// Folds `count` partial results in portions of `fan_in`, one accumulator each to `out`.
    pub(in crate::cuda) fn fold_partials<T: Element, O: Kernel<T>>(
        &self,
        kernels: &Kernels,
        (partials, count): (Region<'_>, u64),
        fan_in: u32,
        out: Output<'_>,
    ) -> Result<(), Error> {
        if !fan_in.is_power_of_two() || u64::from(fan_in) > MAX_FAN_IN {
            return Err(Error::Plan { why: "the fan-in of a pass is a power of two from 2 to 4096" });
        }
        let portions = count.div_ceil(u64::from(fan_in));
        let Ok(blocks) = u32::try_from(portions) else {
            return Err(Error::Plan { why: "a launch has 1 to 2^31 - 1 blocks" });
        };
        let mut from = partials.array_of::<O::Acc>(count)?;
        let (mut to, mut tag) = out.start::<O::Acc>(self, partials.memory(), portions)?;
        let (mut count, mut fan_in) = (count, fan_in);
        let arguments =
            [erase(&mut from), erase(&mut count), erase(&mut fan_in), erase(&mut to), erase(&mut tag)];
        // SAFETY: the arguments of `raw::partials`: `count` readable accumulators and room for one per block, in tagged
        // words if there is a tag; the queue keeps both.
        unsafe { self.launch(kernels, O::PARTIALS, blocks, tree::THREADS as u32, arguments) }
    }

    /// Has the queue keep the second of two arrays. The first is kept with the result.
    fn keep_beside<T>(&self, input: Input<'_, T>) -> Result<(), Error> {
        input.beside.map_or(Ok(()), |region| self.keep_memory(region.memory()))
    }

    /// Has the queue keep memory, which must be of its device.
    pub(super) fn keep_memory(&self, memory: &Arc<Memory>) -> Result<(), Error> {
        same_device(memory.context(), self.context())?;
        self.keep(memory);
        Ok(())
    }

    /// Enqueues a launch.
    ///
    /// # Safety
    /// `arguments` point to values of the entry's parameter types, in order, and what those say to be readable or
    /// writable is, for whole `blocks` of `threads`, until the launch has ended. There may be more of them than
    /// parameters: an operator without parameters is none.
    pub(super) unsafe fn launch<const N: usize>(
        &self,
        kernels: &Kernels,
        entry: Entry,
        blocks: u32,
        threads: u32,
        mut arguments: [*mut c_void; N],
    ) -> Result<(), Error> {
        let launched = self.with_function(kernels, entry, |function| {
            same_device(function.context(), self.context())?;
            if threads > function.most_threads() {
                return Err(Error::Plan {
                    why: "this operator's kernel needs too many registers for so many threads per block",
                });
            }
            if self.is_recording() {
                // The graph outlives the queue.
                self.keep(function);
            }
            if function.may_overlap() {
                // SAFETY: the caller's promise, and the line above.
                return unsafe { self.launch_overlapping(function, blocks, threads, arguments.as_mut_ptr()) };
            }
            self.enqueue("launching a kernel", |stream| {
                // SAFETY: the caller's promise; the driver copies the arguments before it returns.
                unsafe {
                    raw::cuLaunchKernel(
                        function.raw(),
                        blocks,
                        1,
                        1,
                        threads,
                        1,
                        1,
                        0,
                        stream,
                        arguments.as_mut_ptr(),
                        ptr::null_mut(),
                    )
                }
            })
        });
        self.name_mark(entry.kernel);
        launched
    }

    /// Threads per block that an entry can be launched with on this device.
    pub(in crate::cuda) fn most_threads(&self, kernels: &Kernels, entry: Entry) -> Result<u32, Error> {
        self.with_function(kernels, entry, |function| Ok(function.most_threads()))
    }

    /// Blocks of 256 threads of an entry that are resident on a multiprocessor at once.
    pub(in crate::cuda) fn resident(&self, kernels: &Kernels, entry: Entry) -> Result<u32, Error> {
        self.with_function(kernels, entry, |function| Ok(function.resident()))
    }

    /// Keeps memory as long as the queue.
    pub(in crate::cuda) fn house(&self, region: Region<'_>) {
        self.reside(region.memory());
    }

    /// Enqueues a launch whose blocks may be placed while the one before it still runs.
    ///
    /// # Safety
    /// As for [`launch`](Self::launch), and the function [may overlap](Function::may_overlap); `arguments` points to as
    /// many pointers as it has parameters.
    unsafe fn launch_overlapping(
        &self,
        function: &Function,
        blocks: u32,
        threads: u32,
        arguments: *mut *mut c_void,
    ) -> Result<(), Error> {
        let attributes = [raw::LaunchAttribute::MAY_OVERLAP];
        self.enqueue("launching a kernel", |stream| {
            let config = raw::LaunchConfig {
                blocks: [blocks, 1, 1],
                threads: [threads, 1, 1],
                shared_bytes: 0,
                stream,
                attributes: attributes.as_ptr(),
                attribute_count: attributes.len() as u32,
            };
            // SAFETY: the caller's promise; the driver copies configuration and arguments before it returns.
            unsafe { raw::cuLaunchKernelEx(&raw const config, function.raw(), arguments, ptr::null_mut()) }
        })
    }
}

/// Elements that one block folds to one partial result: a tile for each 256 of its threads.
pub(in crate::cuda) fn span_len(plan: &Plan) -> u64 {
    plan.tile_len() * (u64::from(plan.threads()) / tree::THREADS as u64)
}

/// A pointer to an argument.
pub(super) fn erase<A>(argument: &mut A) -> *mut c_void {
    ptr::from_mut(argument).cast()
}

/// Whether the plan is one for `len` elements of type `T`.
fn belongs<T: Element>(plan: &Plan, len: u64) -> Result<(), Error> {
    if plan.len() == len && plan.tile_len() == tree::tile_len::<T>(len) {
        return Ok(());
    }
    Err(Error::Plan { why: "it must be made for as many elements of the same type as are reduced" })
}

/// Whether both are of one device.
fn same_device(array: &Context, stream: &Context) -> Result<(), Error> {
    if array.is(stream) {
        return Ok(());
    }
    Err(Error::OtherDevice { array: array.ordinal(), stream: stream.ordinal() })
}
