//! The launches that scan segments. They check that their arguments are memory the kernels may touch, as
//! [`scan`](crate::cuda::launch::scan) does for one array.

use cuda_std::memory::{Atomic, Readable};
use gpu_kernels::arguments::{ScanSegments, ScanSegmentsList, ScanShortSegments};
use gpu_kernels::scan::Kind;
use gpu_kernels::scan::segments::Counters;
use gpu_kernels::scan::segments::shapes::{
    LANES_THREADS, log2_batch, most_long, most_medium, most_stretches, most_tiles, posts_words,
};
use gpu_kernels::scan::shapes::SCAN_THREADS;
use gpu_kernels::scan::tree::row_len;
use gpu_kernels::tree::THREADS;
use gpu_kernels::{Element, Op, StoredOf};

use crate::cuda::launch::memory::Region;
use crate::cuda::launch::rooms::{Room, Rooms};
use crate::cuda::launch::segments::Offsets;
use crate::cuda::launch::{Kernels, Queue};
use crate::error::Error;
use crate::kernel::ScanKernel;
use crate::kernel::entry::{Entry, emulated};
use crate::kernel::ship::SCAN_KERNELS;
use crate::scan::Scan;

/// The layout of memory that the launches share.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ScanSegmentsRoom {
    /// Number of offsets, and then of the elements that they refer to.
    offsets: u64,
    len: u64,
    words: u64,
    counters: Room,
    posts: Room,
    medium: Room,
    long: Room,
    tiles: Room,
    bytes: usize,
}

impl ScanSegmentsRoom {
    /// Returns the layout for `offsets` offsets into `len` elements `T` that an operator `O` scans.
    pub(crate) fn new<T: Element, O: Op<T>>(offsets: u64, len: u64) -> Self {
        let words = posts_words::<O::Acc>(most_stretches::<T>(len));
        let mut all = Rooms::default();
        Self {
            offsets,
            len,
            words,
            counters: all.add(1, size_of::<Counters>()),
            posts: all.add(words, 8),
            medium: all.add(most_medium::<T>(len), 16),
            long: all.add(most_long::<T>(len), 32),
            tiles: all.add(most_tiles::<T>(len), 8),
            bytes: all.bytes(),
        }
    }

    /// Returns the bytes of all rooms.
    pub(crate) fn bytes(self) -> usize {
        self.bytes
    }

    /// Returns the room of the [`Counters`] in `region`. Fails if that is too small.
    pub(crate) fn counters(self, region: Region<'_>) -> Result<Region<'_>, Error> {
        self.counters.of(region)
    }
}

/// The kernel that lists long segments and checks offsets.
const SCAN_SEGMENTS_LIST: Entry<ScanSegmentsList> = emulated!(
    Entry::among(SCAN_KERNELS, "scan_segments_list").expect("a kernel of this name"),
    gpu_kernels::entry::raw::scan_segments_list
);

/// Blocks per multiprocessor of the launch that lists: the resident blocks of a kernel with few registers.
const LIST_BLOCKS: u32 = 8;

impl Queue {
    /// Scans the segments of `input`, of `len` elements, between `offsets` to `out`, which is other
    /// memory, or the elements' own if outputs have their size. With `is_new`, outputs outside all segments become
    /// zeros; otherwise they are unchanged. If offsets are wrong, the counters in `work` say so, and `out` is
    /// unchanged.
    pub(crate) fn scan_segments<T: Element, O: ScanKernel<T>>(
        &self,
        op: O,
        (kernels, multiprocessors): (&Kernels, u32),
        scan: Scan<O::Acc>,
        (input, len): (Region<'_>, u64),
        offsets: Offsets<'_>,
        (room, work): (ScanSegmentsRoom, Region<'_>),
        (out, is_new): (Region<'_>, bool),
    ) -> Result<(), Error> {
        let [most_medium, most_long, most_tiles, stretches] =
            [most_medium::<T>(len), most_long::<T>(len), most_tiles::<T>(len), most_stretches::<T>(len)];
        if offsets.count < 2
            || (offsets.count, len) != (room.offsets, room.len)
            || most_tiles > i32::MAX as u64
        {
            return Err(Error::Plan {
                why: "segments lie between at least two offsets, have room to be listed, and fewer than 2^31 tiles",
            });
        }
        self.keep_memory(offsets.region.memory())?;
        let count = offsets.count - 1;
        let [counters, medium, long, tiles] =
            [room.counters, room.medium, room.long, room.tiles].map(|room| room.of(work));
        let (counters, medium, long, tiles) = (counters?, medium?, long?, tiles?);
        let is_inclusive = u32::from(scan.kind() == Kind::Inclusive);
        let (init, before) = scan.init(O::IDENTITY);
        let log2_batch = log2_batch::<T, StoredOf<T, O>>(count, len);
        let list = ScanSegmentsList {
            offsets: offsets.words()?,
            are_wide: u32::from(offsets.are_wide),
            are_signed: u32::from(offsets.are_signed),
            count,
            len,
            log2_row: row_len::<T>().ilog2(),
            counters: counters.array_of::<Atomic<Counters>>(1)?.cast(),
            medium: medium.array_of(most_medium)?,
            most_medium,
            long: long.array_of(most_long)?,
            most_long,
            tiles: tiles.array_of(most_tiles)?,
            most_tiles,
        };
        let of_long = ScanSegments {
            input: self.opened(input, len)?,
            len,
            is_inclusive,
            init,
            before,
            counters: list.counters,
            long: long.array_of(most_long)?,
            most_long,
            tiles: tiles.array_of(most_tiles)?,
            most_tiles,
            posts: room.posts.of(work)?.array_of(room.words)?,
            most_stretches: stretches,
            out: self.opened(out, len)?,
            op,
        };
        let rest = ScanShortSegments {
            input: of_long.input,
            len,
            is_inclusive,
            init,
            before,
            offsets: list.offsets,
            are_wide: list.are_wide,
            count,
            log2_batch,
            counters: counters.array_of::<Readable<Counters>>(1)?.cast(),
            medium: medium.array_of(most_medium)?,
            most_medium,
            is_new: u32::from(is_new),
            out: of_long.out,
            op,
        };
        // Loads the kernels before anything is enqueued, so that outputs and counters are unchanged if one fails to
        // load.
        let (mut resident, mut resident_long) = (1, 1);
        self.most_threads(kernels, SCAN_SEGMENTS_LIST.untyped())?;
        if most_long > 0 {
            resident_long = self.resident(kernels, O::SCAN.segments.untyped())?;
        }
        if len > 0 {
            resident = self.resident(kernels, O::SCAN.short_segments.untyped())?;
        }
        let cleared = if most_long > 0 { room.counters.to(room.posts) } else { room.counters };
        self.fill(cleared.of(work)?, 0)?;
        // Number of blocks for `items` items of a warp each, at most `resident` blocks per multiprocessor.
        let blocks = |items: u64, resident: u32| {
            let most = u64::from(multiprocessors.max(1)) * u64::from(resident.max(1));
            items.div_ceil(u64::from(LANES_THREADS / 32)).clamp(1, most) as u32
        };
        let listing = blocks(count.div_ceil(32), LIST_BLOCKS);
        // SAFETY: `words` and `array_of` checked that the offsets are readable, and that there is room for the greatest
        // length of each list. `fill` has set the counters to 0. The queue keeps all memory.
        unsafe { self.launch(kernels, SCAN_SEGMENTS_LIST, listing, LANES_THREADS, list) }?;
        if len == 0 {
            return Ok(());
        }
        if most_long > 0 {
            // As many as are resident, calculated from the number of blocks with twice as many threads. Each takes tile
            // after tile.
            let most = u64::from(multiprocessors.max(1))
                * u64::from(resident_long.max(1) * (THREADS as u32 / SCAN_THREADS));
            let blocks = crate::cuda::launch::enqueue::blocks(most_tiles.min(most))?;
            // SAFETY: this launch follows the list's. `opened` checked that the elements it was given are readable
            // and their outputs writable, and `array_of` that there is room for the posts' words, which the work
            // enqueued before has cleared. The queue keeps all memory. Nothing else uses the words or the outputs,
            // which the outputs' cell lends to one queue at a time.
            unsafe { self.launch(kernels, O::SCAN.segments, blocks, SCAN_THREADS, of_long) }?;
        }
        let units = most_medium.saturating_add(count >> log2_batch);
        let blocks = blocks(units.saturating_add(1), resident);
        // SAFETY: this launch follows the list's, with the same `count` and `len`, which wrote `counters` and `medium`. Nothing
        // enqueued here writes the offsets, and the queue keeps all. `opened` checked the elements and outputs.
        unsafe { self.launch(kernels, O::SCAN.short_segments, blocks, LANES_THREADS, rest) }
    }
}
