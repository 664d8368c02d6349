//! The launches that sort by group, find runs of equal keys and sum integers up, with arguments that are checked to be what
//! the kernels may touch: as [`launch`](super::launch) does for one input.

use gpu_kernels::moves::groups::shape::{
    GATHER_THREADS, LEAST_DIGIT_BITS, MOST_DIGIT_BITS, SCAN_THREADS, SCATTER_THREADS, histogram_threads,
};

use super::launch::erase;
use super::memory::Region;
use super::{Kernels, Queue, raw};
use crate::error::Error;
use crate::moves::{HISTOGRAM, Moves, PLACES, SCAN, SCAN_TOTALS};

/// Items of a size in device memory: elements, ids or keys.
#[derive(Clone, Copy, Debug)]
pub(in crate::cuda) struct Items<'a> {
    /// Where they lie.
    pub(in crate::cuda) region: Region<'a>,
    /// Bytes of one.
    pub(in crate::cuda) bytes: usize,
}

impl Items<'_> {
    /// Where `len` of them begin, which are there and at a multiple of `align` bytes; the queue keeps them.
    pub(super) fn open(self, queue: &Queue, len: u64, align: usize) -> Result<raw::Address, Error> {
        let address = self.region.part(0, len, self.bytes)?.array_of::<u8>(0)?;
        if !address.is_multiple_of(align as u64) {
            return Err(Error::Plan { why: "words are moved that lie at a multiple of their size" });
        }
        queue.keep_memory(self.region.memory())?;
        Ok(address)
    }
}

/// How items are shared among blocks: each has a portion of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cuda) struct Portions {
    /// How many items there are, at least 1.
    pub(in crate::cuda) len: u64,
    /// Items of a block.
    pub(in crate::cuda) portion: u64,
    /// Blocks: as many as have a portion.
    pub(in crate::cuda) blocks: u32,
}

impl Portions {
    /// Shares `len` items, at least 1, among at most `blocks` blocks, each whole tiles of `tile`.
    pub(in crate::cuda) fn new(len: u64, tile: u64, blocks: u32) -> Result<Self, Error> {
        let tiles = len.div_ceil(tile.max(1));
        // A block counts in 32 bits.
        let most = ((1 << 31) / tile.max(1)).max(1);
        let of_block = tiles.div_ceil(u64::from(blocks.max(1))).clamp(1, most);
        let Ok(blocks) = u32::try_from(tiles.div_ceil(of_block)) else {
            return Err(Error::Plan { why: "a launch has 1 to 2^31 - 1 blocks" });
        };
        Ok(Self { len, portion: of_block * tile.max(1), blocks })
    }
}

/// A digit of the ids.
#[derive(Clone, Copy, Debug)]
pub(in crate::cuda) struct Digit {
    /// Where it begins.
    pub(in crate::cuda) shift: u32,
    /// How many bits it has.
    pub(in crate::cuda) bits: u32,
}

impl Digit {
    /// Fails unless the kernels take it.
    fn check(self) -> Result<(), Error> {
        let is_one = (LEAST_DIGIT_BITS..=MOST_DIGIT_BITS).contains(&self.bits);
        if is_one && self.shift + self.bits <= u32::BITS {
            return Ok(());
        }
        Err(Error::Plan { why: "ids are sorted by digits of 2 to 8 bits, within 32" })
    }
}

/// Where the groups' sizes or offsets go.
#[derive(Clone, Copy, Debug)]
pub(in crate::cuda) struct GroupsOut<'a> {
    /// Room for a number per group and one.
    pub(in crate::cuda) cells: Region<'a>,
    /// How many groups there are.
    pub(in crate::cuda) groups: u64,
    /// Whether they are offsets, of the only pass, or sizes that are added to.
    pub(in crate::cuda) are_offsets: bool,
}

impl Queue {
    /// Sets every byte of memory.
    pub(in crate::cuda) fn fill(&self, region: Region<'_>, byte: u8) -> Result<(), Error> {
        let (address, bytes) = (region.array_of::<u8>(0)?, region.len());
        self.keep_memory(region.memory())?;
        self.enqueue("filling device memory", |stream| {
            // SAFETY: the region holds that many bytes, and the queue keeps it.
            unsafe { raw::cuMemsetD8Async(address, byte, bytes, stream) }
        })
    }

    /// Counts the digits of each block's ids, checks that they are less than `check`'s number (then its cell is the place of
    /// the first that is not, if that is less than what it holds), and copies them, if asked to.
    pub(in crate::cuda) fn count_digits(
        &self,
        kernels: &Kernels,
        ids: Items<'_>,
        portions: Portions,
        digit: Digit,
        check: Option<(u64, Region<'_>)>,
        copy: Option<Items<'_>>,
        out: Region<'_>,
    ) -> Result<(), Error> {
        digit.check()?;
        let Portions { mut len, mut portion, blocks } = portions;
        let (mut shift, mut bits) = (digit.shift, digit.bits);
        let mut from = ids.open(self, len, ids.bytes)?;
        let mut id_bytes = width(ids.bytes, &[2, 4, 8])?;
        let mut to = out.array_of::<u64>(u64::from(blocks) << bits)?;
        self.keep_memory(out.memory())?;
        let (mut groups, mut first_bad): (u64, raw::Address) = (0, 0);
        if let Some((number, cell)) = check {
            (groups, first_bad) = (number, cell.array_of::<u64>(1)?);
            self.keep_memory(cell.memory())?;
        }
        let (mut copy_to, mut copy_bytes): (raw::Address, u32) = (0, 0);
        if let Some(copy) = copy {
            (copy_to, copy_bytes) = (copy.open(self, len, copy.bytes)?, width(copy.bytes, &[2, 4])?);
        }
        let arguments = [
            erase(&mut from),
            erase(&mut id_bytes),
            erase(&mut len),
            erase(&mut portion),
            erase(&mut shift),
            erase(&mut bits),
            erase(&mut groups),
            erase(&mut first_bad),
            erase(&mut copy_to),
            erase(&mut copy_bytes),
            erase(&mut to),
        ];
        // SAFETY: the arguments of `raw::histogram`: as many readable ids as there are, room for their copies and for a
        // number per digit and block, checked above; a block's portion is less than 2^32; the queue keeps all.
        unsafe { self.launch(kernels, HISTOGRAM, blocks, histogram_threads(digit.bits), arguments) }
    }

    /// Moves `elements`, words of the moves' size, to `out` in the order of a digit of `ids`, and these to `ids_out`.
    /// `starts` was counted by [`count_digits`](Self::count_digits) from the same ids, portions and digit, and
    /// [summed up](Self::scan).
    pub(in crate::cuda) fn scatter(
        &self,
        kernels: &Kernels,
        moves: &Moves,
        (ids, elements): (Items<'_>, Items<'_>),
        portions: Portions,
        digit: Digit,
        starts: Region<'_>,
        (ids_out, out): (Option<Items<'_>>, Items<'_>),
        groups: Option<GroupsOut<'_>>,
    ) -> Result<(), Error> {
        digit.check()?;
        if elements.bytes != moves.bytes || out.bytes != moves.bytes {
            return Err(Error::Plan { why: "elements are moved as words of their size" });
        }
        let Portions { mut len, mut portion, blocks } = portions;
        let (mut shift, mut bits) = (digit.shift, digit.bits);
        let (mut from, mut id_bytes) = (ids.open(self, len, ids.bytes)?, width(ids.bytes, &[2, 4])?);
        let mut x = elements.open(self, len, moves.bytes)?;
        let mut to = out.open(self, len, moves.bytes)?;
        let mut starts_at = starts.array_of::<u64>(u64::from(blocks) << bits)?;
        self.keep_memory(starts.memory())?;
        let (mut ids_to, mut id_out_bytes): (raw::Address, u32) = (0, 0);
        if let Some(ids) = ids_out {
            (ids_to, id_out_bytes) = (ids.open(self, len, ids.bytes)?, width(ids.bytes, &[2, 4])?);
        }
        let (mut sizes, mut number, mut is_only_pass): (raw::Address, u64, u32) = (0, 0, 0);
        if let Some(GroupsOut { cells, groups, are_offsets }) = groups {
            sizes = cells.array_of::<u64>(groups.saturating_add(1))?;
            (number, is_only_pass) = (groups, u32::from(are_offsets));
            self.keep_memory(cells.memory())?;
        }
        let arguments = [
            erase(&mut from),
            erase(&mut id_bytes),
            erase(&mut x),
            erase(&mut len),
            erase(&mut portion),
            erase(&mut shift),
            erase(&mut bits),
            erase(&mut starts_at),
            erase(&mut ids_to),
            erase(&mut id_out_bytes),
            erase(&mut to),
            erase(&mut sizes),
            erase(&mut number),
            erase(&mut is_only_pass),
        ];
        // SAFETY: the arguments of `raw::scatter`: as many readable ids and elements as there are, and room for as many, for a
        // number per digit and block and per group and one, checked above; that the starts are those of these ids is the
        // caller's affair, of which wrong places come and none outside `out`: the kernel checks them; the queue keeps all.
        unsafe { self.launch(kernels, moves.scatter, blocks, SCATTER_THREADS, arguments) }
    }

    /// Replaces each of `len` integers, at least 1, by the sum of those before it, and writes the sum of all behind them.
    /// `totals` has room for 1025.
    pub(in crate::cuda) fn scan(
        &self,
        kernels: &Kernels,
        cells: Region<'_>,
        len: u64,
        totals: Region<'_>,
    ) -> Result<(), Error> {
        if len <= ONE_BLOCK {
            return self.scan_portions(kernels, cells, Portions { len, portion: len, blocks: 1 }, None);
        }
        let portions = Portions::new(len, SCAN_TILE, MOST_SCAN_BLOCKS)?;
        let Portions { mut len, mut portion, blocks } = portions;
        let mut from = cells.array_of::<u64>(len)?;
        let mut to = totals.array_of::<u64>(u64::from(blocks))?;
        self.keep_memory(cells.memory())?;
        self.keep_memory(totals.memory())?;
        let arguments = [erase(&mut from), erase(&mut len), erase(&mut portion), erase(&mut to)];
        // SAFETY: the arguments of `raw::scan_totals`: as many readable integers as there are and room for one per block,
        // checked above; the queue keeps both.
        unsafe { self.launch(kernels, SCAN_TOTALS, blocks, SCAN_THREADS, arguments) }?;
        let of_totals = Portions { len: u64::from(blocks), portion: u64::from(blocks), blocks: 1 };
        self.scan_portions(kernels, totals, of_totals, None)?;
        self.scan_portions(kernels, cells, portions, Some(totals))
    }

    /// The last launch of a scan: `before` has the sum of the integers before each block's, unless there is one block.
    fn scan_portions(
        &self,
        kernels: &Kernels,
        cells: Region<'_>,
        Portions { mut len, mut portion, blocks }: Portions,
        before: Option<Region<'_>>,
    ) -> Result<(), Error> {
        let mut to = cells.array_of::<u64>(len.saturating_add(1))?;
        self.keep_memory(cells.memory())?;
        let mut sums = before.map_or(Ok(0), |before| before.array_of::<u64>(u64::from(blocks)))?;
        let arguments = [erase(&mut to), erase(&mut len), erase(&mut portion), erase(&mut sums)];
        // SAFETY: the arguments of `raw::scan`: room for as many integers as there are and one, and a readable sum per block,
        // or none of one block, as `scan` calls it; checked above; the queue keeps both, `before` since the launch before.
        unsafe { self.launch(kernels, SCAN, blocks, SCAN_THREADS, arguments) }
    }

    /// Writes 0, 1 and so on to `len` items of 4 or 8 bytes.
    pub(in crate::cuda) fn number_places(
        &self,
        kernels: &Kernels,
        out: Items<'_>,
        len: u64,
        blocks: u32,
    ) -> Result<(), Error> {
        let (mut to, mut bytes, mut len) = (out.open(self, len, out.bytes)?, width(out.bytes, &[4, 8])?, len);
        let arguments = [erase(&mut to), erase(&mut bytes), erase(&mut len)];
        // SAFETY: the arguments of `raw::places`: room for as many numbers, checked above; the queue keeps it.
        unsafe { self.launch(kernels, PLACES, blocks, GATHER_THREADS, arguments) }
    }

    /// Copies `x`, elements of whole words of the moves' size, in the order of `places` to `out`. Places beyond the elements
    /// are not read: the kernel checks them.
    pub(in crate::cuda) fn gather(
        &self,
        kernels: &Kernels,
        moves: &Moves,
        x: Items<'_>,
        places: Items<'_>,
        out: Region<'_>,
        (mut count, blocks): (u64, u32),
    ) -> Result<(), Error> {
        let words = u32::try_from(x.bytes / moves.bytes).ok().filter(|&words| words > 0 && words < 1 << 26);
        let Some(mut words) = words.filter(|_| x.bytes.is_multiple_of(moves.bytes)) else {
            return Err(Error::Plan {
                why: "elements are moved as whole words, of which they have less than 2^26",
            });
        };
        let mut len = count.saturating_mul(u64::from(words));
        let mut from = x.open(self, count, moves.bytes)?;
        let mut places_at = places.open(self, count, places.bytes)?;
        let mut place_bytes = width(places.bytes, &[4, 8])?;
        let mut to = Items { region: out, bytes: x.bytes }.open(self, count, moves.bytes)?;
        let arguments = [
            erase(&mut from),
            erase(&mut len),
            erase(&mut places_at),
            erase(&mut place_bytes),
            erase(&mut count),
            erase(&mut words),
            erase(&mut to),
        ];
        // SAFETY: the arguments of `raw::gather`: as many readable words and places, and room for as many elements, checked
        // above; the queue keeps all.
        unsafe { self.launch(kernels, moves.gather, blocks, GATHER_THREADS, arguments) }
    }

    /// Counts the runs of equal keys that begin in each block's portion.
    pub(in crate::cuda) fn count_runs(
        &self,
        kernels: &Kernels,
        moves: &Moves,
        keys: Items<'_>,
        portions: Portions,
        counts: Region<'_>,
    ) -> Result<(), Error> {
        let Portions { mut len, mut portion, blocks } = portions;
        let mut from = Items { bytes: moves.bytes, ..keys }.open(self, len, moves.bytes)?;
        let mut to = counts.array_of::<u64>(u64::from(blocks))?;
        self.keep_memory(counts.memory())?;
        let arguments = [erase(&mut from), erase(&mut len), erase(&mut portion), erase(&mut to)];
        // SAFETY: the arguments of `raw::count_runs`: as many readable keys and room for a number per block, checked above;
        // the queue keeps both.
        unsafe { self.launch(kernels, moves.count_runs, blocks, SCAN_THREADS, arguments) }
    }

    /// Writes where each of `count` runs begins and the last one ends, and their keys. `before` was counted by
    /// [`count_runs`](Self::count_runs) from the same keys and portions, and [summed up](Self::scan).
    pub(in crate::cuda) fn write_runs(
        &self,
        kernels: &Kernels,
        moves: &Moves,
        keys: Items<'_>,
        portions: Portions,
        before: Region<'_>,
        (offsets, of_runs, mut count): (Region<'_>, Items<'_>, u64),
    ) -> Result<(), Error> {
        let Portions { mut len, mut portion, blocks } = portions;
        let mut from = Items { bytes: moves.bytes, ..keys }.open(self, len, moves.bytes)?;
        let mut sums = before.array_of::<u64>(u64::from(blocks) + 1)?;
        let mut to = offsets.array_of::<u64>(count.saturating_add(1))?;
        let mut keys_to = Items { bytes: moves.bytes, ..of_runs }.open(self, count, moves.bytes)?;
        self.keep_memory(before.memory())?;
        self.keep_memory(offsets.memory())?;
        let arguments = [
            erase(&mut from),
            erase(&mut len),
            erase(&mut portion),
            erase(&mut sums),
            erase(&mut to),
            erase(&mut keys_to),
            erase(&mut count),
        ];
        // SAFETY: the arguments of `raw::write_runs`: as many readable keys, sums of each block and one, and room for as many
        // offsets and keys as are said, checked above and by the kernel; the queue keeps all.
        unsafe { self.launch(kernels, moves.write_runs, blocks, SCAN_THREADS, arguments) }
    }
}

/// Integers that one block sums up alone: a launch costs about as much. To be measured: one block against three launches.
const ONE_BLOCK: u64 = 8192;

/// Integers of a block's turn.
const SCAN_TILE: u64 = 1024;

/// The most blocks that sum up, so that one block sums up their totals.
const MOST_SCAN_BLOCKS: u32 = 1024;

/// Numbers that the totals of a scan have room for.
pub(in crate::cuda) const SCAN_TOTALS_LEN: usize = MOST_SCAN_BLOCKS as usize + 1;

/// Bytes of an integer, if the kernel takes such.
fn width(bytes: usize, known: &[usize]) -> Result<u32, Error> {
    if known.contains(&bytes) {
        return Ok(bytes as u32);
    }
    Err(Error::Plan { why: "ids are of 2, 4 or 8 bytes, and places of 4 or 8" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_is_in_one_portion() {
        for len in [1, 3071, 3072, 3073, 1 << 20, (1 << 40) + 5] {
            for (tile, blocks) in [(3072, 1), (3072, 528), (256, 7), (1024, 1024)] {
                let Portions { portion, blocks: found, .. } =
                    Portions::new(len, tile, blocks).expect("portions");
                assert!(portion <= 1 << 31 && portion % tile == 0, "{len} {tile} {blocks}");
                assert!(u64::from(found) * portion >= len && (u64::from(found) - 1) * portion < len);
                assert!(found <= blocks || len > u64::from(blocks) << 30, "{len} {tile} {blocks}");
            }
        }
    }
}
