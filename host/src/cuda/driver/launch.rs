//! A launch: what kernels read, where they write, and how they are enqueued.
//!
//! The launches of each kind of kernel, in files of their own, check that their arguments are what the kernels may touch, and
//! have the queue keep what those use. What kernels do with their arguments is the contract of `gpu_kernels::entry::raw`,
//! which whoever implements [`Kernel`](crate::Kernel) vouches for.

use std::ffi::c_void;
use std::marker::PhantomData;
use std::ptr;
use std::sync::Arc;

use cust::launch::Launch;
use cust::memory::{Memory, Region};
use cust::stream::Stream;

use super::{Items, Kernels, Queue, Reply, raw};
use crate::error::Error;
use crate::{Element, Entry};

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

    /// The elements of one array, whatever their type.
    pub(in crate::cuda) fn items(self) -> Items<'a> {
        Items { region: self.region, bytes: size_of::<T>() }
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
        input.context().same_device(queue.context())?;
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
pub(super) const NO_TAG: u32 = 0;

impl Queue {
    /// Has the queue keep the second of two arrays. The first is kept with the result.
    pub(super) fn keep_beside<T>(&self, input: Input<'_, T>) -> Result<(), Error> {
        input.beside.map_or(Ok(()), |region| self.keep_memory(region.memory()))
    }

    /// Has the queue keep memory, which must be of its device.
    pub(super) fn keep_memory(&self, memory: &Arc<Memory>) -> Result<(), Error> {
        Ok(Stream::keep_memory(self, memory)?)
    }

    /// The same for what a region is of. Asked before the first of several launches, none of them is enqueued in vain.
    pub(in crate::cuda) fn keep_region(&self, region: Region<'_>) -> Result<(), Error> {
        self.keep_memory(region.memory())
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
        arguments: [*mut c_void; N],
    ) -> Result<(), Error> {
        let launched = self.with_function(kernels, entry, |function| {
            if threads > function.most_threads() {
                return Err(Error::Plan {
                    why: "this operator's kernel needs too many registers for so many threads per block",
                });
            }
            let launch = Launch { may_overlap: function.may_overlap(), ..Launch::new(blocks, threads) };
            // SAFETY: the caller's promise; `with_function` has the stream keep the function, and only one that waits may
            // overlap.
            Ok(unsafe { Stream::launch(self, function.loaded(), launch, arguments) }?)
        });
        self.label(entry.kernel);
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
}

/// As many blocks, if a launch may have so many.
pub(super) fn blocks(count: u64) -> Result<u32, Error> {
    let fits = u32::try_from(count).ok().filter(|blocks| (1..1 << 31).contains(blocks));
    fits.ok_or(Error::Plan { why: "a launch has 1 to 2^31 - 1 blocks" })
}

/// A pointer to an argument.
pub(super) fn erase<A>(argument: &mut A) -> *mut c_void {
    ptr::from_mut(argument).cast()
}
