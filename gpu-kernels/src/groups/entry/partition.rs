//! The bodies of the entry points that count digits and move elements. Each may overlap the launch before it, like the
//! bodies of [`entry::raw`](crate::entry::raw).

use cuda_std::grid::wait_for_earlier_launches;
use cuda_std::memory::{Optional, Writable};
use cuda_std::thread::grid_dim_x;
use cuda_std::warp::WARP_SIZE;

use crate::arguments::{self, Histogram};
use crate::groups::histogram::{self, Check};
use crate::groups::ids::{Ids, IdsOut, IdsTo};
use crate::radix::flips::Flips;
use crate::radix::scatter::{Pass, Staged, Starts};
use crate::radix::shapes::{DIGITS, STATES_HEAD};
use crate::radix::tiles::{Out, Tiles};
use crate::word::Word;

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

/// Adds to `out`, at `pass * 256 + digit`, how many of `len` ids have that digit in that pass: the byte `pass`. A block has
/// `portion` of them. `first_bad` becomes the least place of an id that is not less than `groups`, if there is one before
/// what it holds. Unless `copy_bytes` is 0, the ids are copied to `copy`.
///
/// # Safety
/// Launched with as many blocks as have a portion, which is less than 2^32. `passes` is 1 to
/// [`MOST_PASSES`](crate::groups::shapes::MOST_PASSES). `ids` has `len` ids of `id_bytes`, 4 or 8; `copy` has room for as many of
/// `copy_bytes`, which is 2 or 4, or 0 if it is not there; `out` has room for a number per pass and digit, and `first_bad` for
/// one.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub unsafe fn histogram(a: Histogram) {
    wait_for_earlier_launches();
    // SAFETY: by this function's contract; each id's copy is written once.
    let (copy, out, first_bad) = unsafe {
        let out = a.out.cells(u64::from(a.passes) * DIGITS as u64);
        (open_ids_out(a.copy, a.copy_bytes, a.len), out, a.first_bad.cells(1))
    };
    let check = Check { groups: a.groups, first_bad };
    // SAFETY: by this function's contract.
    unsafe {
        match a.id_bytes {
            4 => histogram::count(a.ids.cast::<u32>().slice(a.len), a.portion, a.passes, check, copy, out),
            _ => histogram::count(a.ids.cast::<u64>().slice(a.len), a.portion, a.passes, check, copy, out),
        }
    }
}

/// Moves `len` elements, a tile of each block, to where `starts` less `excess` says: stably in the order of the byte `pass`
/// of their ids. Unless `next_starts` is null, it becomes what `starts` is for the elements behind these. `id_out_bytes` is 0 in
/// the last pass: no ids are written. Unless `sizes` is null, each group's number of elements is added to its cell. The states
/// of the next launch become 0.
///
/// # Safety
/// Launched with as many blocks as there are tiles of `I` elements of each thread, of `WARPS` warps. `len` is at least 1 and at
/// most [`most_moved`](crate::radix::shapes::most_moved); `pass` is less than
/// [`MOST_PASSES`](crate::groups::shapes::MOST_PASSES). `ids`, of `id_bytes`, 2 or 4, and `elements` have `len`. `starts` has for
/// each digit a place, and so has `next_starts` if it is there. `states` has [`states_len`](crate::radix::shapes::states_len)
/// words, which are 0, and `next_states` room for `state_words`. `ids_out`, unless `id_out_bytes` is 0, and `out` have room for
/// `out_len`, and `sizes`, if it is there, has `groups` numbers.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub unsafe fn scatter<W: Word, const I: usize, const WARPS: usize, const TILE: usize>(
    a: arguments::Scatter<W>,
) {
    const { assert!(TILE == I * WARPS * WARP_SIZE as usize) }
    wait_for_earlier_launches();
    let digits = DIGITS as u64;
    // SAFETY: by this function's contract; `starts` gives each element a position of its own. `states` and `sizes` are
    // accessed by atomics alone.
    let pass = || unsafe {
        let ids = match a.id_bytes {
            2 => Ids::Short(a.ids.cast().slice(a.len)),
            _ => Ids::Word(a.ids.cast().slice(a.len)),
        };
        let ids_to = IdsTo {
            ids: open_ids_out(a.ids_out, a.id_out_bytes, a.out_len),
            sizes: a.sizes.get().map(|sizes| sizes.cells(a.groups)),
        };
        Pass {
            from: Tiles { keys: ids, values: a.elements.slice(a.len), first: 0, count: a.len },
            to: Out { keys: ids_to, values: a.out.cells(a.out_len) },
            encode: Flips::none(),
            decode: Flips::none(),
            number: a.pass,
            starts: Starts {
                places: a.starts.slice(digits),
                excess: a.excess,
                next: a.next_starts.get().map(|next_starts| next_starts.cells(digits)),
            },
            tickets: a.states.cells(1),
            states: a.states.skip(STATES_HEAD).cells(digits * u64::from(grid_dim_x())),
            next: (a.next_states.cells(a.state_words), a.state_words),
        }
    };
    pass().run::<W, I, WARPS>(Staged::new::<TILE>(), pass);
}
