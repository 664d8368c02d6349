//! The entry points of a radix sort: raw arguments become handles, then one call.
//!
//! `<row>_digits`, `<row>_pass`, `<row>_pass_4` and `<row>_pass_8` are [`radix_kernels!`](crate::radix_kernels); `radix_starts` is
//! one of [`sizeless_kernels!`](crate::sizeless_kernels).

/// The generic bodies that the stamps call. Each may overlap the launch before it, like the bodies of
/// [`entry::raw`](crate::entry::raw).
pub mod raw {
    use cuda_std::grid::wait_for_earlier_launches;
    use cuda_std::memory::{Optional, Writable};
    use cuda_std::thread::{anew, grid_dim_x};
    use cuda_std::warp::WARP_SIZE;

    use super::super::digits;
    use super::super::flips::Flips;
    use super::super::route::{Move, Route};
    use super::super::scatter::{Pass, Staged, Starts};
    use super::super::shapes::{DIGITS, STATES_HEAD, counts_len, states_len};
    use super::super::starts;
    use super::super::tiles::{Out, Tiles, ValuesOut};
    use super::super::values::Place;
    use crate::arguments::{RadixDigits, RadixPass, RadixStarts};
    use crate::sort::Key;

    /// Adds to `counts` how many of `len` keys have each value of each digit. Behind these, it counts the neighbours
    /// that are out of each order.
    ///
    /// # Safety
    /// Launched with as many blocks as have a portion, which is less than 2^32, of
    /// [`COUNT_THREADS`](super::super::shapes::COUNT_THREADS) threads. `input` has `len` elements by `coding`, and `counts` has
    /// [`counts_len`] cells.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub unsafe fn digits<W: Key, const N: usize>(a: RadixDigits<W>) {
        wait_for_earlier_launches();
        // SAFETY: by this function's contract.
        let (keys, counts) = unsafe { (a.input.slice(a.len), a.counts.cells(counts_len(size_of::<W>()))) };
        digits::count::<W, N>(keys, a.portion, Flips::encoding(a.coding), counts);
    }

    /// Writes where the first of `len` keys of each value of each digit goes, and adds to `route` what the passes are to do.
    ///
    /// # Safety
    /// Launched with a block for each of the `bytes` digits, of [`STARTS_THREADS`](super::super::shapes::STARTS_THREADS) threads.
    /// `counts` is what [`digits`] wrote, `starts` has room for as many numbers as there are values of all digits, and `route`
    /// for one, which is 0.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub unsafe fn starts(a: RadixStarts) {
        wait_for_earlier_launches();
        let bytes = grid_dim_x() as usize;
        // SAFETY: by this function's contract; each start is written once.
        let (counts, starts, route) = unsafe {
            let values = (bytes * DIGITS) as u64;
            let starts = a.starts.cells(values);
            (a.counts.slice(counts_len(bytes)), starts, a.route.cells(1))
        };
        starts::sum(counts, a.len, starts, route);
    }

    /// Moves `count` of `len` keys from `first` on by the digit `pass`, with their values: from the input, the output or the
    /// spare array to one of the other two, as `route` says. The last pass that moves any writes to the output.
    ///
    /// The launch is number `portion` of `portions` of its pass. Values that are null in the input are the numbers of
    /// their keys' places. Unless `places_out` is null, the last pass writes values there as numbers of 8 bytes. If
    /// `keep_keys` is 0, the last pass writes no keys.
    ///
    /// # Safety
    /// Launched with as many blocks as there are tiles of `I` keys of each thread, of `WARPS` warps. `count` is at least 1 and at
    /// most [`most_moved`](super::super::shapes::most_moved). `input` has `len` elements by `coding`, and `values` too, if it is
    /// there. `out` and `spare` have room for `len` keys, and `values_out` and `values_spare` for as many values, if there are
    /// values. `places_out`, if it is there, has room for `len` numbers; it may be the memory of `values_out`, which the last
    /// pass then does not write. `starts` has the places of the first keys of this launch, and `next_starts`, if it is there, has
    /// room for the places of the next. `route` is what [`starts`] wrote. `states` has room for twice `state_words` words, which
    /// are at least [`states_len`] of the launch's tiles: the first half is 0 before the first pass, and only the passes write to
    /// it after.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub unsafe fn pass<W: Key, V: Place, const I: usize, const WARPS: usize, const TILE: usize>(
        a: RadixPass<W, V>,
    ) {
        const {
            assert!(TILE == I * WARPS * WARP_SIZE as usize);
        }
        wait_for_earlier_launches();
        // SAFETY: by this function's contract.
        let word = unsafe { a.route.slice(1) }.read(0);
        // SAFETY: by this function's contract: what a pass writes is neither what it reads nor what another thread
        // writes, and the starts make each place some key's own.
        unsafe {
            let last_values = |narrow: Optional<Writable<V>>| match a.places_out.get() {
                None => ValuesOut::Narrow(narrow.get_unchecked().cells(a.len)),
                Some(wide) => ValuesOut::Wide(wide.cells(a.len)),
            };
            let last_keys = (a.keep_keys != 0).then(|| a.out.cells(a.len));
            let of_input = Tiles {
                keys: a.input.slice(a.len),
                values: a.values.get().map(|values| values.slice(a.len)),
                first: a.first,
                count: a.count,
            };
            match Route::new(word, a.pass) {
                Route::Rest => {}
                Route::Copy { is_reversed } => {
                    let to = Out { keys: last_keys, values: last_values(a.values_out) };
                    of_input.copy(to, const { WARPS as u32 * WARP_SIZE }, is_reversed);
                }
                Route::Move(route) => {
                    let moves = |route: Move| {
                        let (to, values_to) =
                            if route.is_to_out() { (a.out, a.values_out) } else { (a.spare, a.values_spare) };
                        let (from, values_from) =
                            if route.is_to_out() { (a.spare, a.values_spare) } else { (a.out, a.values_out) };
                        let from = match route.is_first() {
                            true => of_input,
                            false => Tiles {
                                keys: from.slice(a.len),
                                values: V::IS_SOME.then(|| values_from.get_unchecked().slice(a.len)),
                                ..of_input
                            },
                        };
                        let to = match route.is_last() {
                            true => Out { keys: last_keys, values: last_values(values_to) },
                            false => Out {
                                keys: Some(to.cells(a.len)),
                                values: ValuesOut::Narrow(values_to.get_unchecked().cells(a.len)),
                            },
                        };
                        // Launches that move keys take turns: each clears the states of the one before it.
                        let is_odd = (route.before * a.portions + a.portion) % 2 == 1;
                        let of_turn = |odd: bool| a.states.skip(if odd { a.state_words as usize } else { 0 });
                        let words = states_len(u64::from(grid_dim_x())) - STATES_HEAD as u64;
                        let next = a.next_starts.get().map(|next_starts| next_starts.cells(DIGITS as u64));
                        Pass {
                            from,
                            to,
                            encode: if route.is_first() { Flips::encoding(a.coding) } else { Flips::none() },
                            decode: if route.is_last() { Flips::decoding(a.coding) } else { Flips::none() },
                            number: a.pass,
                            starts: Starts { places: a.starts.slice(DIGITS as u64), excess: 0, next },
                            tickets: of_turn(is_odd).cells(1),
                            states: of_turn(is_odd).skip(STATES_HEAD).cells(words),
                            next: (of_turn(!is_odd).writable().cells(a.state_words), a.state_words),
                        }
                    };
                    let again = || moves(Move::new(anew(word as u32).into(), a.pass));
                    moves(route).run::<V, I, WARPS>(Staged::new::<TILE>(), again);
                }
            }
        }
    }
}
