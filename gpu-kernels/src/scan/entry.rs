//! The raw entry point of scans: raw arguments become handles.

use cuda_std::grid::wait_for_earlier_launches;
use cuda_std::posts::Posts;

use super::input::Input;
use super::output::Output;
use super::shapes::groups;
use super::tile::{self, Wanted};
use super::tree::GROUP_TILES;
use crate::arguments::Scan;
use crate::hand_over::in_order::{Board, OfOneArray};
use crate::op::{Element, Op};
use crate::stored::Storable;

/// Scans `len` elements, inclusively or (if `is_inclusive` is 0) exclusively, to `out`. The initial value `init` stands for
/// `before` elements. `out` may be where the elements are.
///
/// # Safety
/// Launched with [`SCAN_THREADS`](super::shapes::SCAN_THREADS) threads per block and one block for each of the
/// [tiles](super::shapes::tiles) of `len` elements; there is at least one. `input` has `len` elements, and `out` room for as many
/// outputs. `out` may begin at the address of `input`, with outputs of the elements' size. `state` has
/// [`state_words`](super::shapes::state_words) words, all zero.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub unsafe fn scan<
    T: Element,
    O: Op<T, Out: Storable>,
    const R: usize,
    const Q: usize,
    const N: usize,
    const U: usize,
    const K: usize,
    const W: usize,
>(
    a: Scan<T, O>,
) {
    wait_for_earlier_launches();
    let places = groups::<T>(a.len) * GROUP_TILES as u64;
    let words = Posts::<O::Acc>::WORDS as u64;
    // SAFETY: by this function's contract; every thread runs the same calls below. `state_words` counts a word for the tickets,
    // then a post for each place and each group.
    let (input, out, tickets, board) = unsafe {
        (
            Input::new(a.input, a.len),
            Output::new(a.out, a.len),
            a.state.cast::<u32>().cells(1),
            Board {
                tiles: a.state.skip(1).posts(places),
                totals: a.state.skip(1 + (places * words) as usize).posts(groups::<T>(a.len)),
                groups: a
                    .state
                    .skip(1 + ((places + groups::<T>(a.len)) * words) as usize)
                    .posts(groups::<T>(a.len)),
                places: OfOneArray,
            },
        )
    };
    let wanted = Wanted { is_inclusive: a.is_inclusive != 0, init: a.init, before: a.before };
    tile::scan::<T, O, R, Q, N, U, K, W>(a.op, wanted, (input, out), tickets, board);
}
