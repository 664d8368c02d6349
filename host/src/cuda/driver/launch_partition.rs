//! The launches that sort elements by group, with arguments that are checked to be what the kernels may touch: as
//! [`launch`](super::launch) does for one input.

use gpu_kernels::moves::groups::shape::{
    HISTOGRAM_THREADS, MOST_DIGIT_BITS, MOST_PASSES, MOST_SCATTERED, SCATTER_THREADS, scatter_tile, told_len,
};

use super::launch::erase;
use super::memory::Region;
use super::portions::{Items, Portions, width};
use super::{Kernels, Queue, raw};
use crate::error::Error;
use crate::moves::{HISTOGRAM, Moves};

/// The digits of ids, the least significant first: one for each pass.
#[derive(Clone, Copy, Debug)]
pub(in crate::cuda) struct Digits {
    /// How many there are.
    pub(in crate::cuda) passes: u32,
    /// Bits of each.
    pub(in crate::cuda) bits: u32,
}

/// What ids must be.
#[derive(Clone, Copy, Debug)]
pub(in crate::cuda) struct IdCheck<'a> {
    /// They are less than this.
    pub(in crate::cuda) groups: u64,
    /// A cell for the place of the first that is not, if that is less than what it holds.
    pub(in crate::cuda) first_bad: Region<'a>,
}

/// Elements and their ids, or where they go.
#[derive(Clone, Copy, Debug)]
pub(in crate::cuda) struct Tagged<'a> {
    /// The ids: none go on if nothing reads them.
    pub(in crate::cuda) ids: Option<Items<'a>>,
    /// The elements.
    pub(in crate::cuda) elements: Items<'a>,
}

/// Where the elements of each value of a digit go.
#[derive(Clone, Copy, Debug)]
pub(in crate::cuda) struct Starts<'a> {
    /// A place for each value, as u64.
    pub(in crate::cuda) places: Region<'a>,
    /// How much larger than it is each place is.
    pub(in crate::cuda) excess: u64,
    /// The same for the elements behind those that are moved, if there are any.
    pub(in crate::cuda) next: Option<Region<'a>>,
}

impl Digits {
    /// How many values all of them have.
    pub(in crate::cuda) fn values(self) -> u64 {
        u64::from(self.passes) << self.bits
    }

    /// Fails unless the kernels take them.
    fn check(self) -> Result<(), Error> {
        if (1..=MOST_PASSES).contains(&self.passes) && (1..=MOST_DIGIT_BITS).contains(&self.bits) {
            return Ok(());
        }
        Err(Error::Plan { why: "ids are sorted by 1 to 4 digits of 1 to 8 bits" })
    }
}

impl Queue {
    /// Adds the number of ids that have each value of each digit to its place in `out`, digit by digit, checks the ids, and
    /// copies them, if asked to.
    pub(in crate::cuda) fn count_digits(
        &self,
        kernels: &Kernels,
        ids: Items<'_>,
        portions: Portions,
        digits: Digits,
        check: IdCheck<'_>,
        copy: Option<Items<'_>>,
        out: Region<'_>,
    ) -> Result<(), Error> {
        digits.check()?;
        let Portions { mut len, mut portion, blocks } = portions;
        let Digits { mut passes, mut bits } = digits;
        let mut from = ids.open(self, len, ids.bytes)?;
        let mut id_bytes = width(ids.bytes, &[4, 8])?;
        let mut to = out.array_of::<u64>(digits.values())?;
        let (mut groups, mut first_bad) = (check.groups, check.first_bad.array_of::<u64>(1)?);
        self.keep_memory(out.memory())?;
        self.keep_memory(check.first_bad.memory())?;
        let (mut copy_to, mut copy_bytes): (raw::Address, u32) = (0, 0);
        if let Some(copy) = copy {
            (copy_to, copy_bytes) = (copy.open(self, len, copy.bytes)?, width(copy.bytes, &[2, 4])?);
        }
        let arguments = [
            erase(&mut from),
            erase(&mut id_bytes),
            erase(&mut len),
            erase(&mut portion),
            erase(&mut passes),
            erase(&mut bits),
            erase(&mut groups),
            erase(&mut first_bad),
            erase(&mut copy_to),
            erase(&mut copy_bytes),
            erase(&mut to),
        ];
        // SAFETY: the arguments of `raw::histogram`: as many readable ids as there are, room for their copies and for a
        // number per digit and value, checked above; a block's portion is less than 2^32; the queue keeps all.
        unsafe { self.launch_erased(kernels, HISTOGRAM, blocks, HISTOGRAM_THREADS, arguments) }
    }

    /// Moves `len` elements from the `first` of `from` on, words of the moves' size, in the order of the digit with this
    /// number to where `starts` says in `to`, which has room for `to_len`, and their ids likewise. `told` is 0. Adds how many
    /// elements each of so many groups has to its cell in `sizes`.
    pub(in crate::cuda) fn scatter(
        &self,
        kernels: &Kernels,
        moves: &Moves,
        (from, first, mut len): (Tagged<'_>, u64, u64),
        (pass, digits): (u32, Digits),
        starts: Starts<'_>,
        told: Region<'_>,
        (to, mut to_len): (Tagged<'_>, u64),
        sizes: Option<(Region<'_>, u64)>,
    ) -> Result<(), Error> {
        digits.check()?;
        let tiles = len.div_ceil(scatter_tile(moves.bytes));
        let Some(blocks) = u32::try_from(tiles).ok().filter(|_| (1..=MOST_SCATTERED).contains(&len)) else {
            return Err(Error::Plan { why: "a launch moves 1 to 2^30 - 1 elements" });
        };
        let (Some(ids), true) = (from.ids, pass < digits.passes) else {
            return Err(Error::Plan { why: "elements are sorted by a digit of their ids" });
        };
        if from.elements.bytes != moves.bytes || to.elements.bytes != moves.bytes {
            return Err(Error::Plan { why: "elements are moved as words of their size" });
        }
        let values = 1u64 << digits.bits;
        let (mut shift, mut bits) = (pass * digits.bits, digits.bits);
        let end = first.saturating_add(len);
        let (mut from_ids, mut id_bytes) = (ids.open(self, end, ids.bytes)?, width(ids.bytes, &[2, 4])?);
        let mut x = from.elements.open(self, end, moves.bytes)?;
        from_ids += first * u64::from(id_bytes);
        x += first * moves.bytes as u64;
        let (mut starts_at, mut excess) = (starts.places.array_of::<u64>(values)?, starts.excess);
        let mut next = starts.next.map_or(Ok(0), |next| next.array_of::<u64>(values))?;
        let mut told_at = told.array_of::<u32>(told_len(tiles, digits.bits))?;
        for region in [Some(starts.places), starts.next, Some(told)].into_iter().flatten() {
            self.keep_memory(region.memory())?;
        }
        let (mut ids_to, mut id_out_bytes): (raw::Address, u32) = (0, 0);
        if let Some(ids) = to.ids {
            (ids_to, id_out_bytes) = (ids.open(self, to_len, ids.bytes)?, width(ids.bytes, &[2, 4])?);
        }
        let mut out = to.elements.open(self, to_len, moves.bytes)?;
        let (mut sizes_at, mut groups): (raw::Address, u64) = (0, 0);
        if let Some((cells, number)) = sizes {
            (sizes_at, groups) = (cells.array_of::<u64>(number)?, number);
            self.keep_memory(cells.memory())?;
        }
        let arguments = [
            erase(&mut from_ids),
            erase(&mut id_bytes),
            erase(&mut x),
            erase(&mut len),
            erase(&mut shift),
            erase(&mut bits),
            erase(&mut starts_at),
            erase(&mut excess),
            erase(&mut next),
            erase(&mut told_at),
            erase(&mut ids_to),
            erase(&mut id_out_bytes),
            erase(&mut out),
            erase(&mut to_len),
            erase(&mut sizes_at),
            erase(&mut groups),
        ];
        // SAFETY: the arguments of `raw::scatter`: as many readable ids and elements as are moved, and room for as many as
        // there are, for a number per value, tile and group, checked above; that the starts are those of these ids is the
        // caller's affair, of which wrong places come and none outside `to`: the kernel checks them; the queue keeps all.
        unsafe { self.launch_erased(kernels, moves.scatter, blocks, SCATTER_THREADS, arguments) }
    }
}
