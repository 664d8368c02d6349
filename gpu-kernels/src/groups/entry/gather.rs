//! The bodies of the entry points that number places and move elements to them. Each may overlap the launch before it,
//! like the bodies of [`entry::raw`](crate::entry::raw).

use cuda_std::global::{GlobalCells, GlobalSlice};
use cuda_std::grid::wait_for_earlier_launches;

use crate::arguments::{self, Gather};
use crate::groups::gather::{self, Places};
use crate::word::Word;

/// Copies the elements of `words` words at `count` places to `out`, one after the other.
///
/// # Safety
/// Launched with blocks of whole warps. `input` is aligned and readable for `len` words, `places` for `count` numbers
/// of `place_bytes`, 4 or 8, of elements that are there; `out` is aligned and writable for as many elements; nothing
/// else uses them during the launch, except that others may read what the launch only reads. `words` is at least 1 and
/// less than 2^26.
#[inline(always)]
pub unsafe fn gather<W: Word>(Gather { input, len, places, place_bytes, count, words, out }: Gather<W>) {
    wait_for_earlier_launches();
    // SAFETY: by this function's contract; each word of `out` is written once.
    let (input, out, places) = unsafe {
        let places = match place_bytes {
            4 => Places::Word(GlobalSlice::new(places.cast(), count)),
            _ => Places::Long(GlobalSlice::new(places.cast(), count)),
        };
        (GlobalSlice::new(input, len), GlobalCells::new(out, count * u64::from(words)), places)
    };
    gather::gather(input, places, words, out);
}

/// Writes 0, `step`, 2 `step` and so on, at most `most`, to `len` cells of `bytes`, 4 or 8.
///
/// # Safety
/// `out` is aligned and writable for as many numbers, and nothing else uses it during the launch.
#[inline(always)]
pub unsafe fn places(arguments::Places { out, bytes, len, step, most }: arguments::Places) {
    wait_for_earlier_launches();
    let at = |place: u64| place.saturating_mul(step).min(most);
    // SAFETY: by this function's contract.
    unsafe {
        match bytes {
            4 => gather::number(GlobalCells::<u32>::new(out.cast(), len), len, |place| at(place) as u32),
            _ => gather::number(GlobalCells::<u64>::new(out.cast(), len), len, at),
        }
    }
}
