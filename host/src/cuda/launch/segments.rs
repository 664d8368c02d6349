//! The launches that fold segments. They check that their arguments are memory the kernels may touch, as
//! [`fold`](crate::cuda::launch::fold) does for one input.

use std::sync::Arc;

use cuda_std::memory::{Atomic, Readable};
use gpu_kernels::arguments::{Segments, SegmentsList, ShortSegments};
use gpu_kernels::segments::Counters;
use gpu_kernels::shapes::lanes_row_len;
use gpu_kernels::tree::{THREADS, lanes, tile_len};
use gpu_kernels::{Element, Op};

use crate::cuda::launch::enqueue::{Input, Output};
use crate::cuda::launch::memory::{Memory, Region};
use crate::cuda::launch::rooms::{Room, Rooms};
use crate::cuda::launch::{Kernels, Queue};
use crate::error::Error;
use crate::index_type::{IndexType, longest_segment};
use crate::kernel::RowsKernel;
use crate::kernel::entry::{Entry, emulated};
use crate::kernel::ship::ROWS_KERNELS;

/// Offsets given by the caller, one more than there are segments.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Offsets<'a> {
    pub(super) region: Region<'a>,
    /// Number of offsets, at least 2.
    pub(super) count: u64,
    /// Whether an offset has 8 bytes rather than 4.
    pub(super) are_wide: bool,
    /// Whether offsets may be negative.
    pub(super) are_signed: bool,
}

impl<'a> Offsets<'a> {
    /// Returns the offsets in an array.
    pub(crate) fn new<I: IndexType>(array: Input<'a, I>) -> Self {
        Self {
            region: array.region(),
            count: array.len(),
            are_wide: size_of::<I>() == 8,
            are_signed: I::IS_SIGNED,
        }
    }

    /// Returns the address of the offsets, of either size, after checking that they are there.
    pub(super) fn words(self) -> Result<Readable<u32>, Error> {
        Ok(match self.are_wide {
            true => self.region.array_of::<Readable<u64>>(self.count)?.cast(),
            false => self.region.array_of(self.count)?,
        })
    }

    /// Offsets that an earlier launch wrote as u64.
    pub(crate) fn on_device(region: Region<'a>, count: u64) -> Self {
        Self { region, count, are_wide: true, are_signed: false }
    }
}

/// Offsets given by the caller, kept to be checked again when they were found wrong.
#[derive(Debug)]
pub(crate) struct Given {
    memory: Arc<Memory>,
    first: usize,
    check: fn(&Given, &Queue, usize) -> Result<(), Error>,
    count: usize,
}

impl Given {
    /// Returns the offsets in an array.
    pub(crate) fn new<I: IndexType>(array: Input<'_, I>) -> Self {
        let (memory, first) = (array.memory().clone(), array.region().first());
        let count = usize::try_from(array.len()).unwrap_or(usize::MAX);
        Self { memory, first, check: Self::check_as::<I>, count }
    }

    /// Returns the `count` offsets that a launch writes as u64.
    pub(crate) fn written(offsets: Region<'_>, count: u64) -> Self {
        let (memory, first) = (offsets.memory().clone(), offsets.first());
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        Self { memory, first, check: Self::check_as::<u64>, count }
    }

    /// Returns the copies that the launches make in their room in `memory`. For offsets known to be correct, whose originals
    /// need not be kept.
    pub(crate) fn copied(memory: &Arc<Memory>, room: SegmentsRoom) -> Result<Self, Error> {
        let offsets = room.within(memory.whole())?.offsets;
        Ok(Self::written(offsets, room.offsets))
    }

    /// Fails if the offsets, as they are now, are wrong for `len` elements.
    pub(crate) fn check(&self, queue: &Queue, len: usize) -> Result<(), Error> {
        (self.check)(self, queue, len)
    }

    fn check_as<I: IndexType>(&self, queue: &Queue, len: usize) -> Result<(), Error> {
        longest_segment(&self.memory.download::<I>(queue, self.first, self.count)?, len).map(drop)
    }
}

/// The layout of memory for the launches over segments of elements `T`, folded by an operator `O`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SegmentsRoom {
    offsets: u64,
    tiles: u64,
    joins: u64,
    rooms: SegmentsRooms,
    bytes: usize,
}

/// The rooms of each kind.
#[derive(Clone, Copy, Debug)]
struct SegmentsRooms {
    counters: Room,
    offsets: Room,
    joins: Room,
    tiles: Room,
    partials: Room,
}

impl SegmentsRoom {
    /// Returns the layout for `offsets` offsets into `len` elements.
    pub(crate) fn new<T: Element, O: Op<T>>(offsets: u64, len: u64) -> Self {
        let joins = len / tile_len::<T>(0);
        // One for each whole tile of elements, and one more for each long segment.
        let tiles = (joins + len / (short::<T, O>() + 1)).max(1);
        let joins = joins.max(1);
        let mut all = Rooms::default();
        let rooms = SegmentsRooms {
            counters: all.add(1, size_of::<Counters>()),
            offsets: all.add(offsets, 8),
            joins: all.add(joins, 16),
            tiles: all.add(tiles, 8),
            partials: all.add(tiles, size_of::<O::Acc>()),
        };
        Self { offsets, tiles, joins, rooms, bytes: all.bytes() }
    }

    /// Returns the bytes of all rooms.
    pub(crate) fn bytes(self) -> usize {
        self.bytes
    }

    /// Returns the rooms in `region`. Fails if that is too small.
    pub(crate) fn within(self, region: Region<'_>) -> Result<SegmentsWork<'_>, Error> {
        let rooms = self.rooms;
        Ok(SegmentsWork {
            room: self,
            counters: rooms.counters.of(region)?,
            offsets: rooms.offsets.of(region)?,
            joins: rooms.joins.of(region)?,
            tiles: rooms.tiles.of(region)?,
            partials: rooms.partials.of(region)?,
        })
    }
}

/// Memory that the launches share.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SegmentsWork<'a> {
    room: SegmentsRoom,
    /// [`Counters`].
    pub(crate) counters: Region<'a>,
    /// The offsets as u64, each within the elements.
    pub(crate) offsets: Region<'a>,
    joins: Region<'a>,
    tiles: Region<'a>,
    partials: Region<'a>,
}

/// Returns the number of elements of the longest segment that lanes of a warp fold.
fn short<T: Element, O: Op<T>>() -> u64 {
    lanes_row_len::<T, O>(false)
}

/// The kernel that lists long segments and checks offsets.
pub(crate) const SEGMENTS_LIST: Entry<SegmentsList> = emulated!(
    Entry::among(ROWS_KERNELS, "segments_list").expect("a kernel of this name"),
    gpu_kernels::entry::raw::segments_list
);

/// Threads of a block of these kernels, whose warps work alone.
const BLOCK_THREADS: u32 = THREADS as u32;

/// Blocks per multiprocessor of the launch that checks offsets: the resident blocks of a kernel with few registers.
const LIGHT_BLOCKS: u32 = 8;

impl Queue {
    /// Folds the segments of `input` between `offsets` to `out`, by way of `work`. `input` may be empty. If offsets are
    /// wrong, the counters say so, and `out` is unchanged.
    pub(crate) fn fold_segments<T: Element, O: RowsKernel<T>>(
        &self,
        op: O,
        (kernels, multiprocessors): (&Kernels, u32),
        input: Input<'_, T>,
        offsets: Offsets<'_>,
        work: SegmentsWork<'_>,
        out: Region<'_>,
    ) -> Result<(), Error> {
        let room = work.room;
        if offsets.count < 2 || offsets.count != room.offsets || input.len() / tile_len::<T>(0) > room.joins {
            return Err(Error::Plan {
                why: "segments lie between at least two offsets, and have room to be listed",
            });
        }
        let (from, len) = (input.part(0, input.len())?, input.len());
        let count = offsets.count - 1;
        let out = Output::Device(out.part(0, count, size_of::<O::Acc>())?);
        let (to, _) = out.start::<O::Acc>(self, input.memory(), count)?;
        self.keep_memory(offsets.region.memory())?;
        let (most_tiles, most_joins, short) = (room.tiles, room.joins, short::<T, O>());
        let list = SegmentsList {
            offsets: offsets.words()?,
            are_wide: u32::from(offsets.are_wide),
            are_signed: u32::from(offsets.are_signed),
            count,
            len,
            short,
            lanes: lanes::<T>() as u64,
            checked: work.offsets.array_of(offsets.count)?,
            counters: work.counters.array_of::<Atomic<Counters>>(1)?.cast(),
            tiles: work.tiles.array_of(most_tiles)?,
            most_tiles,
            joins: work.joins.array_of(most_joins)?,
            most_joins,
        };
        let long = Segments {
            input: from,
            len,
            offsets: work.offsets.array_of(offsets.count)?,
            count,
            counters: work.counters.array_of::<Readable<Counters>>(1)?.cast(),
            tiles: work.tiles.array_of(most_tiles)?,
            most_tiles,
            partials: work.partials.array_of(most_tiles)?,
            out: to,
            op,
        };
        let rest = ShortSegments {
            input: from,
            len,
            offsets: long.offsets,
            count,
            short,
            counters: long.counters,
            joins: work.joins.array_of(most_joins)?,
            most_joins,
            partials: work.partials.array_of(most_tiles)?,
            most_tiles,
            out: to,
            op,
        };
        // Loads the kernels before anything is enqueued, so that results and their element counts are unchanged if one
        // fails to load.
        self.most_threads(kernels, SEGMENTS_LIST.untyped())?;
        let resident = |kernel: Entry| self.resident(kernels, kernel);
        let for_long = if len > short { Some(resident(O::ROWS.segments.untyped())?) } else { None };
        let for_short = if len > 0 { resident(O::ROWS.short_segments.untyped())? } else { 1 };
        self.fill(work.counters.part(0, 1, size_of::<Counters>())?, 0)?;
        let blocks = |warps: u64, per_multiprocessor: u32| {
            let most = u64::from(multiprocessors.max(1)) * u64::from(per_multiprocessor.max(1));
            warps.div_ceil(u64::from(BLOCK_THREADS / 32)).clamp(1, most) as u32
        };
        let batches = count.div_ceil(32);
        // SAFETY: `words` and `array_of` checked that the offsets are readable, and that there is room for as many u64
        // and for the greatest numbers of tiles and joins. `fill` has set the counters to 0. The queue keeps all
        // memory.
        unsafe { self.launch(kernels, SEGMENTS_LIST, blocks(batches, LIGHT_BLOCKS), BLOCK_THREADS, list) }?;
        if len == 0 {
            return Ok(());
        }
        if let Some(resident) = for_long {
            // SAFETY: this launch follows the list's. `part` checked that the elements it was given are readable, and
            // `start` and `array_of` that there is room for an accumulator of each segment and each tile. The queue
            // keeps all memory.
            unsafe {
                self.launch(kernels, O::ROWS.segments, blocks(most_tiles, resident), BLOCK_THREADS, long)
            }?;
        }
        let warps = batches.max(most_joins);
        // SAFETY: as above. `short` is the list's, and at most the limit for rows that are not vectors. If a segment
        // can be longer, the launch that folds its tiles was enqueued before.
        unsafe { self.launch(kernels, O::ROWS.short_segments, blocks(warps, for_short), BLOCK_THREADS, rest) }
    }
}
