//! The launches that fold segments, with arguments that are checked to be what the kernels may touch: as
//! [`fold`](crate::cuda::launch::fold) does for one input.

use std::sync::Arc;

use gpu_kernels::arguments::{Segments, SegmentsJoin, SegmentsList};
use gpu_kernels::segments::Counters;
use gpu_kernels::shape::lanes_row_len;
use gpu_kernels::tree::{THREADS, lanes, tile_len};

use crate::cuda::launch::enqueue::{Input, Output};
use crate::cuda::launch::memory::{Memory, Region};
use crate::cuda::launch::rooms::{Room, Rooms};
use crate::cuda::launch::{Kernels, Queue};
use crate::error::Error;
use crate::index_type::{IndexType, longest_segment};
use crate::kernel::ROWS_KERNELS;
use crate::{Element, Entry, Op, RowsKernel};

/// Offsets as the caller has them: one more than segments.
#[derive(Clone, Copy, Debug)]
pub(in crate::cuda) struct Offsets<'a> {
    pub(super) region: Region<'a>,
    /// How many there are, at least 2.
    pub(super) count: u64,
    /// Whether each has 8 bytes, and not 4.
    pub(super) are_wide: bool,
    /// Whether they may be negative.
    pub(super) are_signed: bool,
}

impl<'a> Offsets<'a> {
    /// Those of an array.
    pub(in crate::cuda) fn new<I: IndexType>(array: Input<'a, I>) -> Self {
        Self {
            region: array.region(),
            count: array.len(),
            are_wide: size_of::<I>() == 8,
            are_signed: I::IS_SIGNED,
        }
    }

    /// Where they are, of either size, if they lie there.
    pub(super) fn words(self) -> Result<*const u32, Error> {
        Ok(match self.are_wide {
            true => self.region.array_of::<u64>(self.count)?.cast(),
            false => self.region.array_of::<u32>(self.count)?,
        })
    }

    /// Those that an earlier launch wrote, u64.
    pub(in crate::cuda) fn on_device(region: Region<'a>, count: u64) -> Self {
        Self { region, count, are_wide: true, are_signed: false }
    }
}

/// Offsets as the caller has them, to be looked at again when they were found to be wrong.
#[derive(Debug)]
pub(in crate::cuda) struct Given {
    memory: Arc<Memory>,
    first: usize,
    check: fn(&Given, &Queue, usize) -> Result<(), Error>,
    count: usize,
}

impl Given {
    /// Those of an array.
    pub(in crate::cuda) fn new<I: IndexType>(array: Input<'_, I>) -> Self {
        let (memory, first) = (array.memory().clone(), array.region().first());
        let count = usize::try_from(array.len()).unwrap_or(usize::MAX);
        Self { memory, first, check: Self::check_as::<I>, count }
    }

    /// Those that the launches copy to their room in `memory`: whoever knows them to be right need not keep them.
    pub(in crate::cuda) fn copied(memory: &Arc<Memory>, room: SegmentsRoom) -> Result<Self, Error> {
        let first = room.within(memory.whole())?.offsets.first() / size_of::<u64>();
        let count = usize::try_from(room.offsets).unwrap_or(usize::MAX);
        Ok(Self { memory: memory.clone(), first, check: Self::check_as::<u64>, count })
    }

    /// Fails if they are wrong for `len` elements, as they are now.
    pub(in crate::cuda) fn check(&self, queue: &Queue, len: usize) -> Result<(), Error> {
        (self.check)(self, queue, len)
    }

    fn check_as<I: IndexType>(&self, queue: &Queue, len: usize) -> Result<(), Error> {
        longest_segment(&self.memory.download::<I>(queue, self.first, self.count)?, len).map(drop)
    }
}

/// Room for what the launches hand over to each other, for segments of elements `T` that an operator `O` folds.
#[derive(Clone, Copy, Debug)]
pub(in crate::cuda) struct SegmentsRoom {
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
    /// For as many offsets, into `len` elements.
    pub(in crate::cuda) fn new<T: Element, O: Op<T>>(offsets: u64, len: u64) -> Self {
        let joins = len / tile_len::<T>(0);
        // One for each whole tile's worth of elements, and one more for each long segment.
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

    /// Bytes of all.
    pub(in crate::cuda) fn bytes(self) -> usize {
        self.bytes
    }

    /// Its parts, if `region` has as many bytes.
    pub(in crate::cuda) fn within(self, region: Region<'_>) -> Result<SegmentsWork<'_>, Error> {
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

/// What the launches hand over to each other.
#[derive(Clone, Copy, Debug)]
pub(in crate::cuda) struct SegmentsWork<'a> {
    room: SegmentsRoom,
    /// [`Counters`].
    pub(in crate::cuda) counters: Region<'a>,
    /// The offsets as u64, each within the elements.
    pub(in crate::cuda) offsets: Region<'a>,
    joins: Region<'a>,
    tiles: Region<'a>,
    partials: Region<'a>,
}

/// Elements of the longest segment that lanes of a warp fold.
fn short<T: Element, O: Op<T>>() -> u64 {
    lanes_row_len::<T, O>(false)
}

/// Lists what is long, and checks offsets.
pub(in crate::cuda) const SEGMENTS_LIST: Entry<SegmentsList> =
    Entry::among(ROWS_KERNELS, "segments_list").expect("a kernel of this name");

/// Threads of a block of these kernels, whose warps are on their own.
const BLOCK_THREADS: u32 = THREADS as u32;

/// Blocks for each multiprocessor that the launches take which check and join: as many as are resident of kernels with few
/// registers.
const LIGHT_BLOCKS: u32 = 8;

impl Queue {
    /// Folds the segments between `offsets` in `input`, which may be of no elements, to `out`, by way of `work`. If offsets are
    /// wrong, the counters say so and `out` is left as it was.
    pub(in crate::cuda) fn fold_segments<T: Element, O: RowsKernel<T>>(
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
        let places = work.offsets.array_of::<u64>(offsets.count)?;
        let counters = work.counters.array_of::<Counters>(1)?.cast::<u64>();
        let tiles = work.tiles.array_of::<u64>(room.tiles)?;
        let joins = work.joins.array_of::<[u64; 2]>(room.joins)?;
        let partials = work.partials.array_of::<O::Acc>(room.tiles)?;
        let (most_tiles, most_joins, short) = (room.tiles, room.joins, short::<T, O>());
        // Loaded before anything is enqueued: where one is not to be had, results and what they know of offsets stay as they are.
        self.most_threads(kernels, SEGMENTS_LIST.untyped())?;
        let resident = if len > 0 { self.resident(kernels, O::SEGMENTS.untyped())? } else { 1 };
        let has_joins = len > tile_len::<T>(0);
        if has_joins {
            self.most_threads(kernels, O::SEGMENTS_JOIN.untyped())?;
        }
        self.fill(work.counters.part(0, 1, size_of::<Counters>())?, 0)?;
        let blocks = |warps: u64, per_multiprocessor: u32| {
            let most = u64::from(multiprocessors.max(1)) * u64::from(per_multiprocessor.max(1));
            warps.div_ceil(u64::from(BLOCK_THREADS / 32)).clamp(1, most) as u32
        };
        let batches = count.div_ceil(32);
        let arguments = SegmentsList {
            offsets: offsets.words()?,
            are_wide: u32::from(offsets.are_wide),
            are_signed: u32::from(offsets.are_signed),
            count,
            len,
            short,
            lanes: lanes::<T>() as u64,
            checked: places,
            counters,
            tiles,
            most_tiles,
            joins,
            most_joins,
        };
        // SAFETY: readable offsets and room for as many u64, for a tile and a join of as many as there may be, and counters that
        // are 0; the queue keeps all of it.
        unsafe {
            self.launch(kernels, SEGMENTS_LIST, blocks(batches, LIGHT_BLOCKS), BLOCK_THREADS, arguments)
        }?;
        if len == 0 {
            return Ok(());
        }
        let arguments = Segments {
            input: from,
            len,
            offsets: places,
            count,
            short,
            counters,
            tiles,
            most_tiles,
            partials,
            out: to,
            op,
        };
        let warps = batches.saturating_add(most_tiles);
        // SAFETY: after the list; as many readable elements as that was told of, room for an accumulator of each segment and each
        // tile; the queue keeps all of it.
        unsafe { self.launch(kernels, O::SEGMENTS, blocks(warps, resident), BLOCK_THREADS, arguments) }?;
        if !has_joins {
            return Ok(());
        }
        let arguments = SegmentsJoin {
            offsets: places,
            count,
            counters,
            joins,
            most_joins,
            partials,
            most_tiles,
            out: to,
        };
        // SAFETY: as above, after both.
        unsafe {
            self.launch(kernels, O::SEGMENTS_JOIN, blocks(most_joins, LIGHT_BLOCKS), BLOCK_THREADS, arguments)
        }
    }
}
