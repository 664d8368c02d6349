//! Scans of parts of one length, as segments: a launch writes their offsets.

use std::sync::Arc;

use gpu_kernels::{Accumulator, Element, Op, Storable, StoredOf};

use crate::cuda::array::lens::{Lens, Offered};
use crate::cuda::executor::Executor;
use crate::cuda::launch::{
    Given, Items, Memory, Offsets, Region, Room, Rooms, ScanSegmentsRoom, gather_blocks,
};
use crate::cuda::parts::EqualParts;
use crate::cuda::{Cuda, DeviceArray, DeviceElements, DeviceValues, Stream};
use crate::error::{Error, check_results};
use crate::input::{Chunks, Rows};
use crate::kernel::ScanKernel;
use crate::verb::{Backend, Scan, WriteTo};

/// Parts of one length, and the layout of the memory for their scan.
#[derive(Clone, Copy)]
pub(super) struct Parts {
    /// Number of elements.
    len: u64,
    /// Elements of a part.
    of_part: u64,
    /// Number of offsets.
    offsets_len: u64,
    room: ScanSegmentsRoom,
    work: Room,
    offsets: Room,
    pub(super) rooms: Rooms,
}

impl Parts {
    /// Lays out the memory for parts with `len` elements `T` in all. There is at least one element.
    pub(super) fn new<T: Element, O: Op<T>>(len: usize, [count, of_part]: [usize; 2]) -> Self {
        let (len, of_part, offsets_len) = (len as u64, of_part as u64, count as u64 + 1);
        let (room, mut rooms) = (ScanSegmentsRoom::new::<T, O>(offsets_len, len), Rooms::default());
        let (work, offsets) = (rooms.add(room.bytes() as u64, 1), rooms.add(offsets_len, 8));
        Self { len, of_part, offsets_len, room, work, offsets, rooms }
    }

    /// Describes the work in `memory`, which is never offered wrong offsets.
    pub(super) fn offered(&self, memory: Arc<Memory>) -> Result<Offered, Error> {
        let given = Given::written(self.offsets.of(memory.whole())?, self.offsets_len);
        debug_assert_eq!(self.work.first(), 0, "the work has the first room");
        Ok(Offered::new(memory, self.room, given, self.len))
    }
}

impl Executor {
    /// Enqueues the launches that write the offsets, and scan the parts of `input`.
    pub(super) fn enqueue_scan_parts<T: Element, O: ScanKernel<T>>(
        &self,
        op: O,
        cuda: &Cuda,
        scan: crate::scan::Scan<O::Acc>,
        (input, parts): (Region<'_>, &Parts),
        (offered, out): (&Offered, Region<'_>),
    ) -> Result<(), Error> {
        scan.check_first::<T, O>()?;
        let queue = self.queue();
        queue.context().usable()?;
        queue.make_room()?;
        let (_, memory) = offered.work();
        let (region, count) = (parts.offsets.of(memory)?, parts.offsets_len);
        let blocks = gather_blocks(count, cuda.multiprocessors());
        let items = Items { region, bytes: size_of::<u64>() };
        queue.number_positions(cuda.kernels(), items, (count, blocks), (parts.of_part, parts.len))?;
        let offsets = Offsets::on_device(region, count);
        self.enqueue_scan_segments(op, cuda, scan, (input, parts.len), offsets, offered, (out, false))
    }
}

impl Stream {
    /// Enqueues a scan of parts of `len` elements to `out`.
    fn scan_parts<T: Element, O: ScanKernel<T>>(
        &self,
        op: O,
        (input, len): (Region<'_>, usize),
        parts: [usize; 2],
        out: &DeviceValues<StoredOf<T, O>>,
        scan: crate::scan::Scan<O::Acc>,
    ) -> Result<(), Error> {
        // Checked before any lock is taken, because a forked child could wait for the lock for ever.
        self.cuda().context().usable()?;
        check_results(len, out.len())?;
        if len == 0 {
            return scan.check_first::<T, O>();
        }
        let (parts, to) = (Parts::new::<T, O>(len, parts), out.cell());
        let offered = Arc::new(parts.offered(to.room(self.executor(), parts.rooms.bytes())?)?);
        let enqueue = || {
            let to = (&*offered, to.region());
            self.executor().enqueue_scan_parts(op, self.cuda(), scan, (input, &parts), to)
        };
        self.write(to, Lens::Scanned(offered.clone()), enqueue)
    }
}

/// Implements the requests for an input of [`EqualParts`].
macro_rules! parts {
    ($($parts:ident),*) => { $(
        impl<D, O, A> Backend<Scan<O, $parts<D>, A>> for Cuda
        where
            D: DeviceElements,
            O: ScanKernel<D::Element, Acc = A>,
        {
            type Results = DeviceArray<StoredOf<D::Element, O>>;

            fn run(&self, Scan { op, input, scan }: Scan<O, $parts<D>, A>) -> Result<Self::Results, Error> {
                let x = input.x.device_slice();
                let (len, parts) = (x.len(), input.equal(x.len())?);
                self.lease(|executor| {
                    let out = executor.allocate(len, size_of::<StoredOf<D::Element, O>>())?;
                    if len == 0 {
                        scan.check_first::<D::Element, O>()?;
                        return Ok(DeviceArray::of(self, out, len));
                    }
                    let (parts, of_x) = (Parts::new::<D::Element, O>(len, parts), x.input()?.region());
                    let offered = parts.offered(executor.room(parts.rooms.bytes())?)?;
                    executor.then_wait(|executor| {
                        executor.enqueue_scan_parts::<D::Element, O>(op, self, scan, (of_x, &parts), (&offered, out.whole()))
                    })?;
                    Ok(DeviceArray::of(self, out, len))
                })
            }
        }

        impl<D, O, A> Backend<WriteTo<Scan<O, $parts<D>, A>, &mut DeviceValues<StoredOf<D::Element, O>>>> for Stream
        where
            D: DeviceElements,
            O: ScanKernel<D::Element, Acc = A>,
        {
            type Results = ();

            fn run(
                &self,
                WriteTo { request, out }: WriteTo<Scan<O, $parts<D>, A>, &mut DeviceValues<StoredOf<D::Element, O>>>,
            ) -> Result<(), Error> {
                let Scan { op, input, scan } = request;
                let x = input.x.device_slice();
                let (of_x, parts) = ((x.input()?.region(), x.len()), input.equal(x.len())?);
                self.scan_parts::<D::Element, O>(op, of_x, parts, out, scan)
            }
        }

        impl<T, O, A> Backend<Scan<O, $parts<&mut DeviceValues<T>>, A>> for Stream
        where
            T: Element + Accumulator,
            O: ScanKernel<T, Acc = A>,
            O::Out: Storable<Stored = T>,
        {
            type Results = ();

            fn run(&self, Scan { op, input, scan }: Scan<O, $parts<&mut DeviceValues<T>>, A>) -> Result<(), Error> {
                let (cell, len, parts) = (input.x.cell().clone(), input.x.len(), input.equal(input.x.len())?);
                self.scan_parts::<T, O>(op, (cell.region(), len), parts, input.x, scan)
            }
        }
    )* };
}
parts!(Rows, Chunks);
