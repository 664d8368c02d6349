//! The launches that sort elements by group. They check that their arguments are memory the kernels may touch, as
//! [`enqueue`](crate::cuda::launch::enqueue) does for one input.

use gpu_kernels::arguments::{Histogram, Scatter};
use gpu_kernels::groups::shapes::{HISTOGRAM_THREADS, MOST_PASSES, scatter_tile, scatter_warps};
use gpu_kernels::radix::shapes::{DIGITS, most_moved, states_len};

use crate::cuda::launch::memory::Region;
use crate::cuda::launch::portions::{Items, Portions, width};
use crate::cuda::launch::{Kernels, Queue};
use crate::error::Error;
use crate::kernel::moves::{HISTOGRAM, Moves};

/// The check of ids.
#[derive(Clone, Copy, Debug)]
pub(crate) struct IdCheck<'a> {
    /// The number of groups: every id must be less.
    pub(crate) groups: u64,
    /// A cell for the position of the first id that is not less, written if that is less than the cell's value.
    pub(crate) first_bad: Region<'a>,
}

/// Elements and their ids, or room for both.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tagged<'a> {
    /// The ids, or `None` if nothing reads them any more.
    pub(crate) ids: Option<Items<'a>>,
    /// The elements.
    pub(crate) elements: Items<'a>,
}

/// The positions of the elements of each value of a digit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Starts<'a> {
    /// The position of the first element of each value, as u64.
    pub(crate) positions: Region<'a>,
    /// The number to subtract from each position.
    pub(crate) excess: u64,
    /// Room for the positions of the elements after those that are moved, if there are any.
    pub(crate) next: Option<Region<'a>>,
}

impl Queue {
    /// Counts the ids by each value of each of their lowest `passes` bytes, and adds the counts to `out`, byte by byte.
    /// Checks the ids, and writes them to `copy`, if given.
    pub(crate) fn count_digits(
        &self,
        kernels: &Kernels,
        ids: Items<'_>,
        portions: Portions,
        passes: u32,
        check: IdCheck<'_>,
        copy: Option<Items<'_>>,
        out: Region<'_>,
    ) -> Result<(), Error> {
        if !(1..=MOST_PASSES).contains(&passes) {
            return Err(Error::Plan { why: "ids are sorted by 1 to 4 bytes" });
        }
        let Portions { len, portion, blocks } = portions;
        let arguments = Histogram {
            ids: ids.open(self, len, ids.bytes)?,
            id_bytes: width(ids.bytes, &[4, 8])?,
            len,
            portion,
            passes,
            groups: check.groups,
            first_bad: self.opened(check.first_bad, 1)?,
            copy: Items::open_if(copy, self, len, copy.map_or(1, |copy| copy.bytes))?,
            copy_bytes: copy.map_or(Ok(0), |copy| width(copy.bytes, &[2, 4]))?,
            out: self.opened(out, u64::from(passes) * DIGITS as u64)?,
        };
        // SAFETY: `open` and `opened` checked above that the ids are readable, and that there is room for their copies
        // and for a number per byte and value. A block's portion is less than 2^32. The queue keeps all memory.
        unsafe { self.launch(kernels, HISTOGRAM, blocks, HISTOGRAM_THREADS, arguments) }
    }

    /// Moves `len` elements of `from`, starting at `first`, to the positions in `to` that `starts` has for the byte `pass`
    /// of their ids, and the ids with them. Elements are words of the kernels' size, and `to` has room for `to_len`. The
    /// first of `states` must be 0; the second, for the next launch, becomes 0. With `sizes`, adds the number of elements
    /// of each group to its cell.
    pub(crate) fn scatter(
        &self,
        kernels: &Kernels,
        (moves, is_short): (&Moves, bool),
        (from, first, len): (Tagged<'_>, u64, u64),
        pass: u32,
        starts: Starts<'_>,
        (states, next_states, state_words): (Region<'_>, Region<'_>, u64),
        (to, to_len): (Tagged<'_>, u64),
        sizes: Option<(Region<'_>, u64)>,
    ) -> Result<(), Error> {
        let tile = scatter_tile(moves.bytes, is_short);
        let tiles = len.div_ceil(tile);
        let Some(blocks) = u32::try_from(tiles).ok().filter(|_| (1..=most_moved(tile)).contains(&len)) else {
            return Err(Error::Plan { why: "a launch moves some elements, less than 2^30" });
        };
        let (Some(ids), true) = (from.ids, pass < MOST_PASSES) else {
            return Err(Error::Plan { why: "elements are sorted by a byte of their ids" });
        };
        if from.elements.bytes != moves.bytes || to.elements.bytes != moves.bytes {
            return Err(Error::Plan { why: "elements are moved as words of their size" });
        }
        let values = DIGITS as u64;
        let groups = sizes.map_or(0, |(_, groups)| groups);
        let arguments = Scatter {
            ids: ids.part(first, len)?.open(self, len, ids.bytes)?,
            id_bytes: width(ids.bytes, &[2, 4])?,
            elements: from.elements.part(first, len)?.open(self, len, moves.bytes)?,
            len,
            pass,
            starts: self.opened(starts.positions, values)?,
            excess: starts.excess,
            next_starts: self.opened_if(starts.next, values)?,
            states: self.opened(states, states_len(tiles))?,
            next_states: self.opened(next_states, state_words)?,
            state_words,
            ids_out: Items::open_if(to.ids, self, to_len, to.ids.map_or(1, |ids| ids.bytes))?,
            id_out_bytes: to.ids.map_or(Ok(0), |ids| width(ids.bytes, &[2, 4]))?,
            out: to.elements.open(self, to_len, moves.bytes)?,
            out_len: to_len,
            sizes: self.opened_if(sizes.map(|(cells, _)| cells), groups)?,
            groups,
        };
        let entry = if is_short { moves.scatter_short } else { moves.scatter };
        let threads = scatter_warps(moves.bytes, is_short) as u32 * 32;
        // SAFETY: `open` and `opened` checked above that the moved ids and elements are readable, and that there is
        // room for `to_len` of each, and for a number per value, tile and group. The caller must pass the starts of
        // these ids. Wrong starts lead to wrong positions, but none is outside `to`, because the kernel checks them.
        // The queue keeps all memory.
        unsafe { self.launch(kernels, entry, blocks, threads, arguments) }
    }
}
