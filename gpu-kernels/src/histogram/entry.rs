//! The entry points of histograms: raw arguments become handles, then one call.
//!
//! `<entry>_histogram` and its relatives are among [`select_kernels!`](crate::select_kernels).

/// The generic bodies that the stamps call. Each may overlap the launch before it, like the bodies of
/// [`entry::raw`](crate::entry::raw).
pub mod raw {
    use core::cell::Cell;

    use cuda_std::global::{GlobalSlice, VECTOR_BYTES};
    use cuda_std::grid::{let_next_launch_start, wait_for_earlier_launches};

    use super::super::counters::{Counters, Few, Halves, Places, Sums, Wide};
    use super::super::guess::{self, Bfloats, Distance, Floats, Integers, Numeric, Scale, Search};
    use super::super::position::Position;
    use super::super::shapes::{Guess, HALVES_THREADS, HISTOGRAM_THREADS, OUTSIDE};
    use super::super::tile::{Bins, Count};
    use crate::arguments;
    use crate::select::keys::Ranking;
    use crate::select::walk::walk;

    cuda_std::shared_bytes! {
        /// The counters of few places.
        fn histogram_few: 32768
    }

    const _: () = assert!(super::super::shapes::FEW * 4 == 32768);

    cuda_std::dynamic_shared! {
        /// The counters of two bytes.
        fn histogram_halves
    }

    /// Adds the number of elements in each of `bins` bins to `counts`, and the numbers of elements below the first bin, above the
    /// last one, and of NaN to `outside`.
    ///
    /// A word's rank is as in [`select`](crate::select::entry::raw). The first `bins` numbers at `lows` are the least ranks of the bins,
    /// `most` is the greatest rank of the last. Ranks less than `least_number` or greater than `greatest_number` are of NaN. `guess` is a
    /// [`Guess`]. A position is the product of `scale` and the distance of an integer's rank above the first bin's; or of a float above
    /// `low`, for floats from `low` to `high`. It is the true one to `slack`, which is less than a half: there is no end of a bin between
    /// the two, unless one is as near. `Guess::Distance` is for bins of one integer each, and `signed` and `less` are 0 for integers.
    ///
    /// # Safety
    /// Launched with blocks of [`HISTOGRAM_THREADS`] threads, so many that each has fewer than 2^32 elements. `input` has `len`
    /// words, `lows` for `bins`, at least one. `bins` and [`OUTSIDE`] are at most [`FEW`](super::super::shapes::FEW) together.
    /// `counts` has room for `bins` numbers, and `outside` for [`OUTSIDE`].
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[allow(private_bounds, reason = "the words are listed in `catalogue`")]
    pub unsafe fn few<W: Numeric, const V: usize, const R: usize>(a: arguments::Bins<W>) {
        wait_for_earlier_launches();
        // SAFETY: by this function's contract.
        unsafe {
            let counters = Few::new(sums(&a), histogram_few().slice());
            run::<W, _, V, R, HISTOGRAM_THREADS>(a, counters);
        }
        let_next_launch_start();
    }

    /// Counts as [`few`] does, with counters of two bytes in dynamic shared memory.
    ///
    /// # Safety
    /// As [`few`], but blocks have [`HALVES_THREADS`] threads and [`halves_bytes`](super::super::shapes::halves_bytes) of dynamic shared
    /// memory, for `bins` and [`OUTSIDE`] places. There may be as many as this memory holds.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[allow(private_bounds, reason = "the words are listed in `catalogue`")]
    pub unsafe fn halves<W: Numeric, const V: usize, const R: usize>(a: arguments::Bins<W>) {
        wait_for_earlier_launches();
        // SAFETY: by this function's contract.
        unsafe {
            let counters = Halves { sums: sums(&a), counters: histogram_halves().slice() };
            run::<W, _, V, R, HALVES_THREADS>(a, counters);
        }
        let_next_launch_start();
    }

    /// Counts as [`few`] does, with no other counters than `counts` and `outside`.
    ///
    /// # Safety
    /// As [`few`], but for any number of elements and bins.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[allow(private_bounds, reason = "the words are listed in `catalogue`")]
    pub unsafe fn wide<W: Numeric, const V: usize, const R: usize>(a: arguments::Bins<W>) {
        wait_for_earlier_launches();
        // SAFETY: by this function's contract.
        unsafe {
            let counters = Wide { sums: sums(&a) };
            run::<W, _, V, R, HISTOGRAM_THREADS>(a, counters);
        }
        let_next_launch_start();
    }

    /// Writes the place of each element to `places`: the number of its bin, or of the place below, above or for NaN behind the bins.
    ///
    /// # Safety
    /// As [`few`], but for any number of elements and bins. `places` has room for `len` numbers; nothing else is written.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[allow(private_bounds, reason = "the words are listed in `catalogue`")]
    pub unsafe fn places<W: Numeric, const V: usize, const R: usize>(a: arguments::Bins<W>) {
        wait_for_earlier_launches();
        // SAFETY: by this function's contract; one thread visits each element.
        unsafe {
            let counters = Places { places: a.places.get_unchecked().cells(a.len) };
            run::<W, _, V, R, HISTOGRAM_THREADS>(a, counters);
        }
        let_next_launch_start();
    }

    /// Makes the handles of the sums.
    ///
    /// # Safety
    /// `counts` and `outside` are as [`few`] says.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    unsafe fn sums<W: Copy>(a: &arguments::Bins<W>) -> Sums {
        // SAFETY: by this function's contract; the sums are accessed by atomics only.
        unsafe {
            Sums {
                counts: a.counts.get_unchecked().cells(u64::from(a.bins)),
                outside: a.outside.get_unchecked().cells(u64::from(OUTSIDE)),
            }
        }
    }

    /// Counts all elements with the guess that the arguments name.
    ///
    /// # Safety
    /// `input` and `lows` are as [`few`] says.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    unsafe fn run<W: Numeric, C: Counters, const V: usize, const R: usize, const THREADS: u32>(
        a: arguments::Bins<W>,
        counters: C,
    ) {
        const { assert!(THREADS == C::THREADS) }
        let head = (a.input.addr().wrapping_neg() % VECTOR_BYTES / size_of::<W>()) as u64;
        // SAFETY: by this function's contract.
        let (input, lows) = unsafe { (a.input.slice(a.len), a.lows.slice(u64::from(a.bins))) };
        let (all, most, low) = (W::of(a.all), W::of(a.most), lows.read(0));
        let bins = Bins {
            ranking: Ranking { signed: W::of(a.signed), all, less: W::of(a.less) },
            lows,
            most,
            numbers: [W::of(a.least_number), W::of(a.greatest_number)],
        };
        let of = <W::Position as Position>::of;
        let scale = Scale { scale: of(a.scale), slack: of(a.slack) };
        let ends = [of(a.low), of(a.high)];
        counters.clear();
        macro_rules! by {
            ($guess:expr) => {
                count::<W, _, C, V, R, THREADS>(input, head, bins, $guess, counters)
            };
        }
        match Guess::of(a.guess) {
            Guess::Search => by!(Search),
            Guess::Distance => by!(Distance { all, low, last: lows.len() as u32 - 1 }),
            Guess::Integers => by!(Integers { all, low, span: most.distance_from(low), scale }),
            // Words of 8 bits are integers.
            Guess::Floats if size_of::<W>() > 1 => by!(Floats::<W> { ends, scale }),
            Guess::Bfloats if size_of::<W>() == 2 => by!(Bfloats::<W> { ends, scale }),
            Guess::Floats | Guess::Bfloats => by!(Search),
        }
        counters.hand_over();
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn count<
        W: Numeric,
        G: guess::Guess<W>,
        C: Counters,
        const V: usize,
        const R: usize,
        const THREADS: u32,
    >(
        input: GlobalSlice<W>,
        head: u64,
        bins: Bins<W>,
        guess: G,
        counters: C,
    ) {
        let count = Count { input, bins, guess, counters, tiles: Cell::new(0) };
        walk::<W, _, V, R, THREADS>(input, head, &count);
    }
}
