//! The entry points of a radix sort: raw arguments become handles, then one call.
//!
//! `<row>_digits`, `<row>_pass`, `<row>_pass_4` and `<row>_pass_8` are [`radix_kernels!`](crate::radix_kernels); `radix_starts` is
//! one of [`sizeless_kernels!`](crate::sizeless_kernels).

/// The generic bodies that the stamps call. Each may overlap the launch before it, like the bodies of
/// [`entry::raw`](crate::entry::raw).
pub mod raw {
    use cuda_std::atomic::AtomicCells;
    use cuda_std::global::{GlobalCells, GlobalSlice};
    use cuda_std::grid::wait_for_earlier_launches;
    use cuda_std::thread::{anew, grid_dim_x};
    use cuda_std::warp::WARP_SIZE;

    use super::super::digits;
    use super::super::flips::Flips;
    use super::super::ranks::COUNTERS;
    use super::super::route::{Move, Route};
    use super::super::scatter::{Pass, Staged};
    use super::super::shapes::{DIGITS, counts_len, states_len};
    use super::super::starts;
    use super::super::tiles::{Out, Tiles, ValuesOut};
    use super::super::values::Value;
    use crate::arguments::{RadixDigits, RadixPass, RadixStarts};
    use crate::groups::scatter::Starts;
    use crate::groups::shapes::STATES_HEAD;
    use crate::sort::Key;

    cuda_std::shared_bytes! {
        /// A tile of keys of up to 4 bytes alone. Four such blocks need 157 KiB of shared memory,
        /// with all else that they have there.
        fn moves_radix_staged: 36864
    }

    cuda_std::shared_bytes! {
        /// Any other tile.
        fn moves_radix_staged_wide: 45056
    }

    /// Adds to `counts` how many of `len` keys have each value of each digit. Behind these, it counts the neighbours
    /// that are out of each order.
    ///
    /// # Safety
    /// Launched with as many blocks as have a portion, which is less than 2^32, of
    /// [`COUNT_THREADS`](super::super::shapes::COUNT_THREADS) threads. `input` is aligned and readable for `len`
    /// elements by `coding`, and `counts` writable for [`counts_len`] cells; nothing else uses them during the launch,
    /// except that others may read `input`.
    #[inline(always)]
    pub unsafe fn digits<W: Key, const N: usize>(
        RadixDigits { input, len, portion, coding, counts }: RadixDigits<W>,
    ) {
        wait_for_earlier_launches();
        // SAFETY: by this function's contract.
        let (keys, counts) =
            unsafe { (GlobalSlice::new(input, len), AtomicCells::new(counts, counts_len(size_of::<W>()))) };
        digits::count::<W, N>(keys, portion, Flips::encoding(coding), counts);
    }

    /// Writes where the first of `len` keys of each value of each digit goes, and adds to `route` what the passes are to do.
    ///
    /// # Safety
    /// Launched with a block for each of the `bytes` digits, of
    /// [`STARTS_THREADS`](super::super::shapes::STARTS_THREADS) threads. `counts` is what [`digits`] wrote, `starts` is
    /// writable for as many numbers as there are values of all digits, and `route` for one, which is 0. Nothing else
    /// uses them during the launch, except that others may read `counts`.
    #[inline(always)]
    pub unsafe fn starts(RadixStarts { counts, len, starts, route }: RadixStarts) {
        wait_for_earlier_launches();
        let bytes = grid_dim_x() as usize;
        // SAFETY: by this function's contract; each start is written once.
        let (counts, starts, route) = unsafe {
            let values = (bytes * DIGITS) as u64;
            let starts = GlobalCells::new(starts, values);
            (GlobalSlice::new(counts, counts_len(bytes)), starts, AtomicCells::new(route, 1))
        };
        starts::sum(counts, len, starts, route);
    }

    /// Moves `count` of `len` keys from `first` on by the digit `pass`, with their values: from the input, the output or the
    /// spare array to one of the other two, as `route` says. The last pass that moves any writes to the output.
    ///
    /// The launch is number `portion` of `portions` of its pass. Values that are null in the input are the numbers of
    /// their keys' places. Unless `places_out` is null, the last pass writes values there as numbers of 8 bytes. If
    /// `keep_keys` is 0, the last pass writes no keys.
    ///
    /// # Safety
    /// Launched with as many blocks as there are tiles of `I` keys of each thread, of `WARPS` warps. `count` is at
    /// least 1 and at most [`most_moved`](super::super::shapes::most_moved). `input` is aligned and readable for `len`
    /// elements by `coding`, and `values` too, or null. `out` and `spare` are aligned and writable for `len` keys, and
    /// `values_out` and `values_spare` for as many values, if there are values. `places_out` is null or writable for
    /// `len` numbers; if it is not null, the last pass writes no `values_out`. No two of these are the same memory, and
    /// none is the input. `starts` has the places of the first keys of this launch, and `next_starts` is null or
    /// writable for the places of the next. `route` is what [`starts`] wrote. `states` is writable for twice
    /// `state_words` words, which are at least [`states_len`] of the launch's tiles: the first half is 0 before the
    /// first pass, and only the passes write to it after. Nothing else uses any of them during the launch, except that
    /// others may read what the launch only reads.
    #[inline(always)]
    pub unsafe fn pass<W: Key, V: Value, const I: usize, const WARPS: usize, const TILE: usize>(
        RadixPass {
            input,
            out,
            spare,
            values,
            values_out,
            values_spare,
            places_out,
            keep_keys,
            len,
            first,
            count,
            coding,
            pass,
            portion,
            portions,
            route,
            starts,
            next_starts,
            states,
            state_words,
        }: RadixPass<W, V>,
    ) {
        const {
            assert!(TILE == I * WARPS * WARP_SIZE as usize);
        }
        wait_for_earlier_launches();
        // SAFETY: by this function's contract.
        let word = unsafe { GlobalSlice::new(route, 1) }.read(0);
        // SAFETY: by this function's contract: what a pass writes is neither what it reads nor what another thread
        // writes, and the starts make each place some key's own.
        unsafe {
            let last_values = |narrow: *mut V| {
                if places_out.is_null() {
                    ValuesOut::Narrow(GlobalCells::new(narrow, len))
                } else {
                    ValuesOut::Wide(GlobalCells::new(places_out, len))
                }
            };
            let last_keys = (keep_keys != 0).then(|| GlobalCells::new(out, len));
            let of_input = Tiles {
                keys: GlobalSlice::new(input, len),
                values: (!values.is_null()).then(|| GlobalSlice::new(values, len)),
                first,
                count,
            };
            match Route::new(word, pass) {
                Route::Rest => {}
                Route::Copy { is_reversed } => {
                    let to = Out { keys: last_keys, values: last_values(values_out) };
                    of_input.copy(to, const { WARPS as u32 * WARP_SIZE }, I as u32, is_reversed);
                }
                Route::Move(route) => {
                    let moves = |route: Move| {
                        let (to, values_to) =
                            if route.is_to_out() { (out, values_out) } else { (spare, values_spare) };
                        let (from, values_from) =
                            if route.is_to_out() { (spare, values_spare) } else { (out, values_out) };
                        let from = match route.is_first() {
                            true => of_input,
                            false => Tiles {
                                keys: GlobalSlice::new(from.cast_const(), len),
                                values: V::IS_SOME.then(|| GlobalSlice::new(values_from.cast_const(), len)),
                                ..of_input
                            },
                        };
                        let to = match route.is_last() {
                            true => Out { keys: last_keys, values: last_values(values_to) },
                            false => Out {
                                keys: Some(GlobalCells::new(to, len)),
                                values: ValuesOut::Narrow(GlobalCells::new(values_to, len)),
                            },
                        };
                        // Launches that move keys take turns: each clears the states of the one before it.
                        let is_odd = (route.before * portions + portion) % 2 == 1;
                        let of_turn = |odd: bool| states.add(if odd { state_words as usize } else { 0 });
                        let words = states_len(u64::from(grid_dim_x())) - STATES_HEAD as u64;
                        let next =
                            (!next_starts.is_null()).then(|| GlobalCells::new(next_starts, DIGITS as u64));
                        Pass {
                            from,
                            to,
                            encode: if route.is_first() { Flips::encoding(coding) } else { Flips::none() },
                            decode: if route.is_last() { Flips::decoding(coding) } else { Flips::none() },
                            number: pass,
                            starts: Starts {
                                places: GlobalSlice::new(starts, DIGITS as u64),
                                excess: 0,
                                next,
                            },
                            tickets: AtomicCells::new(of_turn(is_odd), 1),
                            states: AtomicCells::new(of_turn(is_odd).add(STATES_HEAD), words),
                            next: (GlobalCells::new(of_turn(!is_odd), state_words), state_words),
                        }
                    };
                    let is_narrow = const { size_of::<W>() <= 4 && !V::IS_SOME };
                    let staged = if is_narrow
                        && let Some(keys) = moves_radix_staged().array_if_fits::<W::Shared, TILE>()
                    {
                        let narrow = moves_radix_staged();
                        let counters = narrow.array::<u32, COUNTERS>().slice();
                        Staged { counters, keys: keys.slice(), values: narrow.array::<V, 0>().slice() }
                    } else {
                        let wide = moves_radix_staged_wide();
                        Staged {
                            counters: wide.array::<u32, COUNTERS>().slice(),
                            keys: wide.array::<W::Shared, TILE>().slice(),
                            values: wide.array::<V, TILE>().slice(),
                        }
                    };
                    moves(route).run::<I, WARPS>(staged, || moves(Move::new(anew(word as u32).into(), pass)));
                }
            }
        }
    }
}
