//! The launches of a sort by digits. They check that their arguments are memory the kernels may touch, as
//! [`enqueue`](crate::cuda::launch::enqueue) does for folds.

use gpu_kernels::arguments::{RadixDigits, RadixPass, RadixStarts};
use gpu_kernels::radix::shapes::{
    COUNT_THREADS, DIGITS, STARTS_THREADS, counts_len, pass_threads, pass_tile, states_len,
};

use crate::cuda::launch::long::most_moved;
use crate::cuda::launch::memory::Region;
use crate::cuda::launch::portions::{Items, Portions};
use crate::cuda::launch::sort::SortKeys;
use crate::cuda::launch::{Kernels, Queue, enqueue};
use crate::error::Error;
use crate::kernel::moves::{RADIX, RADIX_STARTS, Radix};

/// The values of a sort by digits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RadixValues<'a> {
    /// The values, or `None` if each is the position of its key.
    pub(crate) from: Option<Items<'a>>,
    /// Where they go.
    pub(crate) to: Region<'a>,
    /// Room for as many.
    pub(crate) spare: Region<'a>,
    /// Bytes of a value, 4 or 8.
    pub(crate) bytes: usize,
    /// Whether the last pass writes numbers of 8 bytes.
    pub(crate) is_wide: bool,
}

/// What the passes of a sort by digits move, and where.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RadixMoved<'a> {
    /// The elements.
    pub(crate) keys: SortKeys<'a>,
    /// Where they go, and room for as many.
    pub(crate) to: [Region<'a>; 2],
    /// Whether the last pass writes keys.
    pub(crate) has_keys: bool,
    /// The values, if there are any.
    pub(crate) values: Option<RadixValues<'a>>,
}

/// Memory that the launches share.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RadixRoom<'a> {
    /// For each value of each digit, the number of keys that have it.
    pub(crate) counts: Region<'a>,
    /// What the passes do.
    pub(crate) route: Region<'a>,
    /// Where the keys of each value of each digit begin.
    pub(crate) starts: Region<'a>,
    /// The same for each launch of a pass but the first.
    pub(crate) next_starts: Region<'a>,
    /// The states of tiles, in two halves. The first half is 0 before the first pass.
    pub(crate) states: Region<'a>,
    /// Words of a half.
    pub(crate) state_words: u64,
}

/// The keys of a launch, and of all launches of a pass.
///
/// Gives the keys of each launch but the last, and the number of launches.
pub(crate) fn radix_parts(len: u64, key_bytes: usize, value_bytes: usize) -> (u64, u64) {
    let part = most_moved(pass_tile(key_bytes, value_bytes));
    (part, len.div_ceil(part))
}

fn kernels_of(bytes: usize) -> Result<&'static Radix, Error> {
    let of_size = RADIX.iter().find(|radix| radix.bytes == bytes);
    of_size.ok_or(Error::Plan { why: "keys of 1, 2, 4 or 8 bytes are sorted by digits" })
}

impl Queue {
    /// Counts the keys that have each value of each digit, and writes in which orders the keys are not. The counts
    /// must be 0.
    pub(crate) fn radix_digits(
        &self,
        kernels: &Kernels,
        keys: SortKeys<'_>,
        portions: Portions,
        room: &RadixRoom<'_>,
    ) -> Result<(), Error> {
        let Portions { len, portion, blocks } = portions;
        let arguments = RadixDigits {
            input: keys.open(self)?,
            len: keys.len,
            portion,
            coding: keys.coding,
            counts: self.opened(room.counts, counts_len(keys.items.bytes))?,
        };
        if len != keys.len {
            return Err(Error::Plan { why: "all keys are counted" });
        }
        // SAFETY: checked above: the keys are readable, and there is room for the counts. A portion is less than 2^32. The
        // queue keeps all memory.
        unsafe {
            self.launch(kernels, kernels_of(keys.items.bytes)?.digits, blocks, COUNT_THREADS, arguments)
        }
    }

    /// Writes where the keys with each value of each digit begin, and which pass does what. The route must
    /// be 0.
    pub(crate) fn radix_starts(
        &self,
        kernels: &Kernels,
        keys: SortKeys<'_>,
        room: &RadixRoom<'_>,
    ) -> Result<(), Error> {
        let bytes = keys.items.bytes as u64;
        let arguments = RadixStarts {
            counts: self.opened(room.counts, counts_len(keys.items.bytes))?,
            len: keys.len,
            starts: self.opened(room.starts, bytes * DIGITS as u64)?,
            route: self.opened(room.route, 1)?,
        };
        // SAFETY: as above.
        unsafe { self.launch(kernels, RADIX_STARTS, enqueue::blocks(bytes)?, STARTS_THREADS, arguments) }
    }

    /// Moves the keys, and the values with them, by the digit `pass`: the keys of launch `part` of the pass.
    pub(crate) fn radix_pass(
        &self,
        kernels: &Kernels,
        moved: &RadixMoved<'_>,
        room: &RadixRoom<'_>,
        (pass, part): (u64, u64),
    ) -> Result<(), Error> {
        let (keys, bytes, len) = (moved.keys, moved.keys.items.bytes, moved.keys.len);
        let value_bytes = moved.values.map_or(0, |values| values.bytes);
        let radix = kernels_of(bytes)?;
        let entry = match value_bytes {
            0 => radix.pass,
            4 => radix.pass_4,
            8 => radix.pass_8,
            _ => return Err(Error::Plan { why: "values of 4 or 8 bytes are moved with keys" }),
        };
        let (each, parts) = radix_parts(len, bytes, value_bytes);
        let first = part.saturating_mul(each);
        let count = each.min(len.saturating_sub(first));
        let tiles = count.div_ceil(pass_tile(bytes, value_bytes));
        if pass >= bytes as u64 || count == 0 || room.state_words < states_len(tiles) {
            return Err(Error::Plan { why: "a pass moves some keys by one of their digits" });
        }
        let [out, spare] = moved.to;
        let open = |region| Items { region, bytes }.open(self, len, bytes);
        let of_values = |region| Items { region, bytes: value_bytes };
        let to_values = moved.values.map(|values| of_values(values.to));
        let spare_values = moved.values.map(|values| of_values(values.spare));
        let wide = moved.values.filter(|values| values.is_wide).map(|values| values.to);
        let values_of = DIGITS as u64;
        let starts = match part.checked_sub(1) {
            None => room.starts.part(pass * values_of, values_of, 8)?,
            Some(before) => room.next_starts.part(before * values_of, values_of, 8)?,
        };
        let next_starts = match part + 1 < parts {
            true => Some(room.next_starts.part(part * values_of, values_of, 8)?),
            false => None,
        };
        let arguments = RadixPass {
            input: keys.open(self)?,
            out: open(out)?,
            spare: open(spare)?,
            values: Items::open_if(moved.values.and_then(|values| values.from), self, len, value_bytes)?,
            values_out: Items::open_if(to_values, self, len, value_bytes)?,
            values_spare: Items::open_if(spare_values, self, len, value_bytes)?,
            places_out: self.opened_if(wide, len)?,
            keep_keys: moved.has_keys.into(),
            len,
            first,
            count,
            coding: keys.coding,
            pass: pass as u32,
            portion: part as u32,
            portions: parts as u32,
            route: self.opened(room.route, 1)?,
            starts: self.opened(starts, values_of)?,
            next_starts: self.opened_if(next_starts, values_of)?,
            states: self.opened(room.states, room.state_words.saturating_mul(2))?,
            state_words: room.state_words,
        };
        // SAFETY: checked above: keys and values are readable and of the kernel's sizes, and there is room for all that
        // is written. The caller gives memory that does not overlap, and starts of these keys. Wrong starts lead to
        // wrong positions, but to none outside the results, because the kernel checks them. The queue keeps all memory.
        unsafe {
            self.launch(kernels, entry, enqueue::blocks(tiles)?, pass_threads(bytes, value_bytes), arguments)
        }
    }
}
