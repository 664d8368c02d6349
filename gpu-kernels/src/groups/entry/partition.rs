//! The bodies of the entry points that count digits and move elements. Each may overlap the launch before it, like the
//! bodies of [`entry::raw`](crate::entry::raw).

use cuda_std::grid::wait_for_earlier_launches;
use cuda_std::memory::{Optional, Writable};
use cuda_std::thread::grid_dim_x;

use crate::arguments::{self, Histogram};
use crate::groups::histogram::{self, Check};
use crate::groups::ids::{Ids, IdsOut};
use crate::groups::pass::Pass;
use crate::groups::scatter::{Scatter, Staged, Starts};
use crate::groups::shapes::STATES_HEAD;
use crate::word::Word;

cuda_std::shared_bytes! {
    /// A tile's ids by rank.
    fn moves_scatter_ids: 16384
}

cuda_std::shared_bytes! {
    /// A tile's elements by rank.
    fn moves_scatter_elements: 16384
}

/// The handle of ids that are written, of no, 2 or 4 bytes each.
///
/// # Safety
/// Unless `bytes` is 0, `ids` has room for `len` ids of as many bytes.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
unsafe fn open_ids_out(ids: Optional<Writable<u8>>, bytes: u32, len: u64) -> IdsOut {
    // SAFETY: by this function's contract.
    unsafe {
        match bytes {
            0 => IdsOut::None,
            2 => IdsOut::Short(ids.get_unchecked().cast().cells(len)),
            _ => IdsOut::Word(ids.get_unchecked().cast().cells(len)),
        }
    }
}

/// Adds to `out`, at `pass << bits | digit`, how many of `len` ids have that digit in that pass: the bits from `pass *
/// bits` on. A block has `portion` of them. `first_bad` becomes the least place of an id that is not less than
/// `groups`, if there is one before what it holds. Unless `copy_bytes` is 0, the ids are copied to `copy`.
///
/// # Safety
/// Launched with as many blocks as have a portion, which is less than 2^32. `passes` is 1 to
/// [`MOST_PASSES`](crate::groups::shapes::MOST_PASSES), `bits` 1 to [`MOST_DIGIT_BITS`](crate::groups::shapes::MOST_DIGIT_BITS).
/// `ids` has `len` ids of `id_bytes`, 4 or 8; `copy` has room for as many of `copy_bytes`, which is 2 or 4, or 0 if it is not
/// there; `out` has room for a number per pass and digit, and `first_bad` for one.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub unsafe fn histogram(a: Histogram) {
    wait_for_earlier_launches();
    // SAFETY: by this function's contract; each id's copy is written once.
    let (copy, out, first_bad) = unsafe {
        let out = a.out.cells(u64::from(a.passes << a.bits));
        (open_ids_out(a.copy, a.copy_bytes, a.len), out, a.first_bad.cells(1))
    };
    let (check, digits) = (Check { groups: a.groups, first_bad }, (a.passes, a.bits));
    // SAFETY: by this function's contract.
    unsafe {
        match a.id_bytes {
            4 => histogram::count(a.ids.cast::<u32>().slice(a.len), a.portion, digits, check, copy, out),
            _ => histogram::count(a.ids.cast::<u64>().slice(a.len), a.portion, digits, check, copy, out),
        }
    }
}

/// Moves `len` elements, a tile of each block, to where `starts` less `excess` says: stably in the order of the digit
/// of `bits` bits from bit `shift` of their ids. Unless `next_starts` is null, it becomes what `starts` is for the
/// elements behind these. `id_out_bytes` is 0 in the last pass: no ids are written. Unless `sizes` is null, each
/// group's number of elements is added to its cell.
///
/// # Safety
/// Launched with as many blocks as there are tiles, of [`SCATTER_THREADS`](crate::groups::shapes::SCATTER_THREADS) threads. `len`
/// is at least 1 and at most [`MOST_SCATTERED`](crate::groups::shapes::MOST_SCATTERED), and `bits` as for [`histogram`]; `shift +
/// bits` is at most 32. `ids`, of `id_bytes`, 2 or 4, and `elements` have `len`. `starts` has for each digit a place, and so has
/// `next_starts` if it is there. `states` has [`states_len`](crate::groups::shapes::states_len) words, which are 0. `ids_out`,
/// unless `id_out_bytes` is 0, and `out` have room for `out_len`, and `sizes`, if it is there, has `groups` numbers. `I` is
/// [`scatter_items`](crate::groups::shapes::scatter_items), and `PLACES` is `I` times the threads of a block.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub unsafe fn scatter<W: Word, const I: usize, const PLACES: usize>(a: arguments::Scatter<W>) {
    wait_for_earlier_launches();
    let pass = Pass { shift: a.shift, bits: a.bits };
    let digits = u64::from(pass.digits());
    // SAFETY: by this function's contract; `starts` gives each element a position of its own. `states` and `sizes` are
    // accessed by atomics alone.
    unsafe {
        let ids = match a.id_bytes {
            2 => Ids::Short(a.ids.cast().slice(a.len)),
            _ => Ids::Word(a.ids.cast().slice(a.len)),
        };
        let next = a.next_starts.get().map(|next_starts| next_starts.cells(digits));
        let scatter = Scatter {
            ids,
            elements: a.elements.slice(a.len),
            pass,
            starts: Starts { places: a.starts.slice(digits), excess: a.excess, next },
            tickets: a.states.cells(1),
            states: a.states.skip(STATES_HEAD).cells(digits * u64::from(grid_dim_x())),
            staged: Staged {
                ids: moves_scatter_ids().array::<u32, PLACES>().slice(),
                elements: moves_scatter_elements().array::<W::Shared, PLACES>().slice(),
            },
            ids_out: open_ids_out(a.ids_out, a.id_out_bytes, a.out_len),
            out: a.out.cells(a.out_len),
            sizes: a.sizes.get().map(|sizes| sizes.cells(a.groups)),
        };
        scatter.run::<I>();
    }
}
