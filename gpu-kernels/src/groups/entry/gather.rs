//! The bodies of the entry points that number places and move elements to them. Each may overlap the launch before it,
//! like the bodies of [`entry::raw`](crate::entry::raw).

use cuda_std::grid::wait_for_earlier_launches;

use crate::arguments::{self, Gather};
use crate::groups::gather::{self, Places};
use crate::word::Word;

/// Copies the elements of `words` words at `count` places to `out`, one after the other.
///
/// # Safety
/// Launched with blocks of whole warps. `input` has `len` words, `places` for `count` numbers of `place_bytes`, 4 or 8, of
/// elements that are there; `out` has room for as many elements. `words` is at least 1 and less than 2^26.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub unsafe fn gather<W: Word>(a: Gather<W>) {
    wait_for_earlier_launches();
    // SAFETY: by this function's contract; each word of `out` is written once.
    let (input, out, places) = unsafe {
        let places = match a.place_bytes {
            4 => Places::Word(a.places.cast().slice(a.count)),
            _ => Places::Long(a.places.cast().slice(a.count)),
        };
        (a.input.slice(a.len), a.out.cells(a.count * u64::from(a.words)), places)
    };
    gather::gather(input, places, a.words, out);
}

/// Writes 0, `step`, 2 `step` and so on, at most `most`, to `len` cells of `bytes`, 4 or 8.
///
/// # Safety
/// `out` has room for as many numbers.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub unsafe fn places(a: arguments::Places) {
    wait_for_earlier_launches();
    let at = |place: u64| place.saturating_mul(a.step).min(a.most);
    // SAFETY: by this function's contract.
    unsafe {
        match a.bytes {
            4 => gather::number(a.out.cast::<u32>().cells(a.len), a.len, |place| at(place) as u32),
            _ => gather::number(a.out.cast::<u64>().cells(a.len), a.len, at),
        }
    }
}
