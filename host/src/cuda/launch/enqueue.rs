//! Parts of every launch: inputs, outputs, and the enqueuing itself.
//!
//! Each kind of kernel has its launches in a file of its own. They check that their arguments are memory the kernels
//! may touch, and have the queue keep it. `gpu_kernels::entry::raw` is the contract for what kernels do with their
//! arguments, and each implementation of [`Kernel`](crate::kernels::Kernel) guarantees it.

use std::alloc::Layout;
use std::ffi::c_void;
use std::marker::PhantomData;
use std::sync::Arc;

use cuda_std::Arguments;
use cuda_std::memory::Writable;
use cust::launch::Launch;
use cust::memory::{Memory, Region};
use cust::stream::Stream;
use gpu_kernels::addresses::{Addresses, Readable, Two};
use gpu_kernels::shapes::MOST_ACC_BYTES;
use gpu_kernels::{Accumulator, Element};

use crate::cuda::launch::{Items, Kernels, Queue, Reply};
use crate::error::Error;
use crate::kernel::entry::Entry;

/// Elements in device memory: of one array, or the pairs of [`Two`].
#[derive(Debug)]
pub(crate) struct Input<'a, T, S = Readable<T>> {
    region: Region<'a>,
    /// The second array, if there are two.
    beside: Option<Region<'a>>,
    /// The addresses of the first elements, in the form of the kernels' first parameter.
    addresses: S,
    len: u64,
    /// Index of the first element, from which operators count.
    base: u64,
    elements: PhantomData<&'a [T]>,
}

/// Where a kernel writes an accumulator.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Output<'a> {
    /// Device memory.
    Device(Region<'a>),
    /// A reply, on the host.
    Host(&'a Reply),
}

impl<T, S: Copy> Clone for Input<'_, T, S> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T, S: Copy> Copy for Input<'_, T, S> {}

impl<'a, T: Element> Input<'a, T> {
    /// Returns the `len` elements from index `first` of `memory` on.
    pub(crate) fn new(memory: &'a Arc<Memory>, first: usize, len: usize) -> Result<Self, Error> {
        let (first, bytes) = (first.saturating_mul(size_of::<T>()), len.saturating_mul(size_of::<T>()));
        let (region, len) = (memory.region(first, bytes)?, len as u64);
        let addresses = region.array_of(len)?;
        Ok(Self { region, beside: None, addresses, len, base: 0, elements: PhantomData })
    }

    /// Pairs the elements of two arrays.
    pub(crate) fn zipped(self, other: Self) -> Result<Input<'a, [T; 2], Two<T>>, Error>
    where
        [T; 2]: Element,
    {
        if self.len != other.len {
            return Err(Error::Lengths { left: self.len, right: other.len });
        }
        Ok(Input {
            region: self.region,
            beside: Some(other.region),
            addresses: Two(self.addresses, other.addresses),
            len: self.len,
            base: self.base,
            elements: PhantomData,
        })
    }

    /// Returns the address of the first element.
    pub(crate) fn address(self) -> u64 {
        self.addresses.addr() as u64
    }

    /// Returns `len` elements from index `first` on.
    pub(crate) fn within(self, first: u64, len: u64) -> Result<Self, Error> {
        let addresses = self.part(first, len)?;
        let region = self.region.part(first, len, size_of::<T>())?;
        Ok(Self { region, beside: None, addresses, len, base: self.base + first, elements: PhantomData })
    }

    /// Returns the elements' memory.
    pub(crate) fn region(self) -> Region<'a> {
        self.region
    }

    /// Returns the elements without their type.
    pub(crate) fn items(self) -> Items<'a> {
        Items { region: self.region, bytes: size_of::<T>() }
    }
}

impl<'a, T: Element, S: Addresses<T>> Input<'a, T, S> {
    /// Returns the number of elements.
    pub(crate) fn len(self) -> u64 {
        self.len
    }

    /// Returns the same elements as a part of a longer input, in which the first has the index `base`.
    pub(crate) fn beginning_at(self, base: u64) -> Self {
        Self { base, ..self }
    }

    /// Returns the index of the first element.
    pub(super) fn base(self) -> u64 {
        self.base
    }

    /// Returns the addresses of the first elements.
    pub(super) fn addresses(self) -> S {
        self.addresses
    }

    /// Returns the memory of the elements, or of the first of two arrays.
    pub(super) fn memory(self) -> &'a Arc<Memory> {
        self.region.memory()
    }

    /// Returns the address of element `first`, after checking that `len` elements begin there.
    pub(super) fn part(self, first: u64, len: u64) -> Result<S, Error> {
        within(first, len, self.len)?;
        Ok(self.addresses.starting_at(first))
    }

    /// Returns what is known of the elements without their type.
    pub(super) fn any(self) -> AnyInput<'a> {
        let (memory, beside) = (self.memory(), self.beside.map(Region::memory));
        AnyInput { memory, beside, len: self.len, element_bytes: size_of::<T>() as u64 }
    }
}

/// What is known of an [`Input`] without the type of its elements.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AnyInput<'a> {
    /// The memory of the elements, or of the first of two arrays.
    pub(super) memory: &'a Arc<Memory>,
    /// The memory of the second array, if there are two.
    pub(super) beside: Option<&'a Arc<Memory>>,
    pub(crate) len: u64,
    /// The bytes of an element or of a pair.
    pub(crate) element_bytes: u64,
}

/// Fails unless `len` elements begin at element `first` of `all`.
pub(super) fn within(first: u64, len: u64, all: u64) -> Result<(), Error> {
    let end = first.saturating_add(len);
    if end <= all {
        return Ok(());
    }
    let clamp = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
    Err(Error::OutOfBounds { range: clamp(first)..clamp(end), len: clamp(all) })
}

/// The layout of accumulators, which fit in a [`Reply`].
pub(super) fn layout_of<A: Accumulator>() -> Layout {
    const { assert!(size_of::<A>().is_multiple_of(4) && size_of::<A>() <= MOST_ACC_BYTES) }
    Layout::new::<A>()
}

impl Output<'_> {
    /// Returns the address, after checking that `count` accumulators `A` fit there, and the tag to write them with.
    /// Keeps the output and `input`, which the launch reads, alive: with the queue or with the reply.
    pub(super) fn start<A: Accumulator>(
        self,
        queue: &Queue,
        input: &Arc<Memory>,
        count: u64,
    ) -> Result<(Writable<A>, u32), Error> {
        let (to, tag) = self.start_of(layout_of::<A>(), queue, input, count)?;
        Ok((to.cast(), tag))
    }

    /// Does [`start`](Self::start) for accumulators with a layout of [`layout_of`].
    pub(super) fn start_of(
        self,
        acc: Layout,
        queue: &Queue,
        input: &Arc<Memory>,
        count: u64,
    ) -> Result<(Writable<c_void>, u32), Error> {
        input.context().same_device(queue.context())?;
        match self {
            Self::Device(region) => {
                let to = region.array(acc, count)?;
                queue.keep_memory(input)?;
                queue.keep_memory(region.memory())?;
                Ok((to, NO_TAG))
            }
            Self::Host(reply) if count == 1 && reply.is_of(queue.handle()) => {
                Ok(reply.start(acc.size(), input))
            }
            Self::Host(_) => Err(Error::Plan { why: "one result at a time goes to the host" }),
        }
    }
}

/// Bytes of dynamic shared memory that every launch may have.
const UNASKED: u32 = 48 << 10;

/// The tag of results that are read after the launch has ended.
pub(super) const NO_TAG: u32 = 0;

impl Queue {
    /// Has the queue keep the second of two arrays. The first is kept with the result.
    pub(super) fn keep_beside(&self, input: AnyInput<'_>) -> Result<(), Error> {
        input.beside.map_or(Ok(()), |memory| self.keep_memory(memory))
    }

    /// Has the queue keep memory, which must be of its device.
    pub(super) fn keep_memory(&self, memory: &Arc<Memory>) -> Result<(), Error> {
        Ok(Stream::keep_memory(self, memory)?)
    }

    /// Has the queue keep a region's memory. Called before the first of several launches, it fails before any of them
    /// is enqueued.
    pub(crate) fn keep_region(&self, region: Region<'_>) -> Result<(), Error> {
        self.keep_memory(region.memory())
    }

    /// Enqueues a launch.
    ///
    /// # Safety
    /// All memory that `arguments` describe as readable or writable must be so, for launches of `blocks` blocks of
    /// `threads`, until the launch has ended.
    pub(super) unsafe fn launch<A: Arguments>(
        &self,
        kernels: &Kernels,
        entry: Entry<A>,
        blocks: u32,
        threads: u32,
        arguments: A,
    ) -> Result<(), Error> {
        let launch = Launch::new(blocks, threads);
        // SAFETY: guaranteed by the caller. The entry's parameters are the fields of `A`, and `with_pointers` points to
        // these in order.
        arguments.with_pointers(|arguments| unsafe {
            self.launch_with(kernels, entry.untyped(), launch, arguments)
        })
    }

    /// Enqueues a launch of blocks that have `scratch` bytes of dynamic shared memory.
    ///
    /// # Safety
    /// As for [`launch`](Self::launch).
    pub(super) unsafe fn launch_with_scratch<A: Arguments>(
        &self,
        kernels: &Kernels,
        entry: Entry<A>,
        (blocks, threads, scratch): (u32, u32, u32),
        arguments: A,
    ) -> Result<(), Error> {
        let launch = Launch { shared_bytes: scratch, ..Launch::new(blocks, threads) };
        // SAFETY: as in `launch`.
        arguments.with_pointers(|arguments| unsafe {
            self.launch_with(kernels, entry.untyped(), launch, arguments)
        })
    }

    /// Enqueues a launch with pointers to its arguments.
    ///
    /// # Safety
    /// As for [`launch`](Self::launch). `arguments` must point to values of the entry's parameter types, in order.
    unsafe fn launch_with(
        &self,
        kernels: &Kernels,
        entry: Entry,
        launch: Launch,
        arguments: &mut [*mut c_void],
    ) -> Result<(), Error> {
        let launched = self.with_function(kernels, entry, |function| {
            if launch.threads[0] > function.most_threads() {
                return Err(Error::Plan {
                    why: "this operator's kernel needs too many registers for so many threads per block",
                });
            }
            if launch.shared_bytes > UNASKED {
                function.loaded().allow_shared(launch.shared_bytes)?;
            }
            let launch = Launch { may_overlap: function.may_overlap(), ..launch };
            // SAFETY: guaranteed by the caller. `with_function` has the stream keep the function, and `may_overlap` is
            // set only for kernels that wait for the launch before.
            Ok(unsafe { Stream::launch_with(self, function.loaded(), launch, arguments) }?)
        });
        self.label(entry.kernel);
        launched
    }

    /// Returns the most threads per block that an entry can be launched with on this device.
    pub(crate) fn most_threads(&self, kernels: &Kernels, entry: Entry) -> Result<u32, Error> {
        self.with_function(kernels, entry, |function| Ok(function.most_threads()))
    }

    /// Returns how many blocks of 256 threads of an entry are resident on a multiprocessor at once.
    pub(crate) fn resident(&self, kernels: &Kernels, entry: Entry) -> Result<u32, Error> {
        self.with_function(kernels, entry, |function| Ok(function.resident()))
    }

    /// Keeps memory as long as the queue.
    pub(crate) fn house(&self, region: Region<'_>) {
        self.reside(region.memory());
    }
}

/// Returns `count` if a launch may have that many blocks.
pub(super) fn blocks(count: u64) -> Result<u32, Error> {
    let fits = u32::try_from(count).ok().filter(|blocks| (1..1 << 31).contains(blocks));
    fits.ok_or(Error::Plan { why: "a launch has 1 to 2^31 - 1 blocks" })
}
