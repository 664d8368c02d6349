//! The launches that sort elements by group, with arguments that are checked to be what the kernels may touch: as
//! [`enqueue`](crate::cuda::launch::enqueue) does for one input.

use std::ptr;

use gpu_kernels::arguments::{Histogram, Scatter};
use gpu_kernels::moves::groups::shape::{
    HISTOGRAM_THREADS, MOST_DIGIT_BITS, MOST_PASSES, MOST_SCATTERED, SCATTER_THREADS, scatter_tile, told_len,
};

use crate::cuda::launch::memory::Region;
use crate::cuda::launch::portions::{Items, Portions, width};
use crate::cuda::launch::{Kernels, Queue};
use crate::error::Error;
use crate::kernel::moves::{HISTOGRAM, Moves};

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
        let Portions { len, portion, blocks } = portions;
        let (copy_to, copy_bytes) = match copy {
            Some(copy) => (copy.open(self, len, copy.bytes)?, width(copy.bytes, &[2, 4])?),
            None => (ptr::null_mut(), 0),
        };
        let arguments = Histogram {
            ids: ids.open(self, len, ids.bytes)?,
            id_bytes: width(ids.bytes, &[4, 8])?,
            len,
            portion,
            passes: digits.passes,
            bits: digits.bits,
            groups: check.groups,
            first_bad: self.opened::<u64>(check.first_bad, 1)?,
            copy: copy_to,
            copy_bytes,
            out: self.opened::<u64>(out, digits.values())?,
        };
        // SAFETY: as many readable ids as there are, room for their copies and for a number per digit and value, checked above;
        // a block's portion is less than 2^32; the queue keeps all.
        unsafe { self.launch(kernels, HISTOGRAM, blocks, HISTOGRAM_THREADS, arguments) }
    }

    /// Moves `len` elements from the `first` of `from` on, words of the moves' size, in the order of the digit with this
    /// number to where `starts` says in `to`, which has room for `to_len`, and their ids likewise. `told` is 0. Adds how many
    /// elements each of so many groups has to its cell in `sizes`.
    pub(in crate::cuda) fn scatter(
        &self,
        kernels: &Kernels,
        moves: &Moves,
        (from, first, len): (Tagged<'_>, u64, u64),
        (pass, digits): (u32, Digits),
        starts: Starts<'_>,
        told: Region<'_>,
        (to, to_len): (Tagged<'_>, u64),
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
        let end = first.saturating_add(len);
        let (ids_out, id_out_bytes) = match to.ids {
            Some(ids) => (ids.open(self, to_len, ids.bytes)?, width(ids.bytes, &[2, 4])?),
            None => (ptr::null_mut(), 0),
        };
        let (sizes, groups) = match sizes {
            Some((cells, number)) => (self.opened::<u64>(cells, number)?, number),
            None => (ptr::null_mut(), 0),
        };
        let arguments = Scatter {
            ids: ids.open(self, end, ids.bytes)?.wrapping_add(first as usize * ids.bytes),
            id_bytes: width(ids.bytes, &[2, 4])?,
            elements: from
                .elements
                .open_words(self, end, moves.bytes)?
                .wrapping_byte_add(first as usize * moves.bytes),
            len,
            shift: pass * digits.bits,
            bits: digits.bits,
            starts: self.opened::<u64>(starts.places, values)?,
            excess: starts.excess,
            next_starts: starts.next.map_or(Ok(ptr::null_mut()), |next| self.opened::<u64>(next, values))?,
            told: self.opened::<u32>(told, told_len(tiles, digits.bits))?,
            ids_out,
            id_out_bytes,
            out: to.elements.open_words(self, to_len, moves.bytes)?,
            out_len: to_len,
            sizes,
            groups,
        };
        // SAFETY: as many readable ids and elements as are moved, and room for as many as there are, for a number per value,
        // tile and group, checked above; that the starts are those of these ids is the caller's affair, of which wrong places
        // come and none outside `to`: the kernel checks them; the queue keeps all.
        unsafe { self.launch(kernels, moves.scatter, blocks, SCATTER_THREADS, arguments) }
    }
}
