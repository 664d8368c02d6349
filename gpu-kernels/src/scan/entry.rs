//! The raw entry point of scans: raw arguments become handles.

use cuda_std::atomic::AtomicCells;
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
/// [tiles](super::shapes::tiles) of `len` elements; there is at least one. `input` is aligned and readable for `len` elements,
/// and `out` aligned and writable for as many outputs. They do not overlap, or they begin at one address with elements and
/// outputs of one size. `state` is aligned to 8, and has [`state_words`](super::shapes::state_words) words, all zero. Nothing
/// else uses these during the launch, except that others may read `input` if it does not overlap `out`.
#[inline(always)]
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
    Scan { input, len, is_inclusive, init, before, state, out, op }: Scan<T, O>,
) {
    wait_for_earlier_launches();
    let places = groups::<T>(len) * GROUP_TILES as u64;
    let words = Posts::<O::Acc>::WORDS as u64;
    // SAFETY: by this function's contract; every thread runs the same calls below. `state_words` counts a word for the tickets,
    // then a post for each place and each group.
    let (input, out, tickets, board) = unsafe {
        (
            Input::new(input, len),
            Output::new(out, len),
            AtomicCells::new(state.cast::<u32>(), 1),
            Board {
                tiles: Posts::new(state.wrapping_add(1), places),
                totals: Posts::new(state.wrapping_add(1 + (places * words) as usize), groups::<T>(len)),
                groups: Posts::new(
                    state.wrapping_add(1 + ((places + groups::<T>(len)) * words) as usize),
                    groups::<T>(len),
                ),
                places: OfOneArray,
            },
        )
    };
    let wanted = Wanted { is_inclusive: is_inclusive != 0, init, before };
    tile::scan::<T, O, R, Q, N, U, K, W>(op, wanted, (input, out), tickets, board);
}
