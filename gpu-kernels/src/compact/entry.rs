//! The entry points of compaction: raw arguments become handles, then one call.
//!
//! [`move_kernels!`](crate::move_kernels) names `<entry>_compact_by_flags` and `<entry>_unique`.
//! [`ranked_kernels!`](crate::ranked_kernels) and [`satisfying_kernels!`](crate::satisfying_kernels) name `<entry>_compact`.

pub use super::select::{Floats, Integers};

/// The generic bodies that the stamps call. Each may overlap the launch before it, like the bodies of
/// [`entry::raw`](crate::entry::raw).
pub mod raw {
    use core::marker::PhantomData;

    use cuda_std::global::GlobalSlice;
    use cuda_std::grid::wait_for_earlier_launches;
    use cuda_std::memory::{Atomic, Optional, Readable, Writable};

    use super::super::select::{Between, Changes, Flags, Ranking, Satisfying, Select};
    use super::super::shapes::{STATES_HEAD, compact_tile, states_len};
    use super::super::tile::{self, Out};
    use crate::arguments::{Compact, CompactByFlags, CompactByFormula, Unique};
    use crate::formula::{Mark, Scalar};
    use crate::hand_over::post::States;
    use crate::ops::Rank;
    use crate::word::Word;

    cuda_std::shared_bytes! {
        /// A tile's words: the selected ones, then the others.
        fn moves_compact_words: 16384
    }

    /// Runs any compaction, with `select` as the criterion.
    ///
    /// # Safety
    /// The contract of [`compact`].
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    unsafe fn run<W: Word, S: Select<W, V>, const V: usize, const R: usize, const PLACES: usize>(
        input: GlobalSlice<W>,
        select: S,
        out: Optional<Writable<W>>,
        total: Optional<Readable<u64>>,
        count: Writable<u64>,
        states: Atomic<u64>,
    ) {
        const { assert!(PLACES == compact_tile(size_of::<W>())) }
        let len = input.len();
        // SAFETY: by this function's contract; each place and the count are written once.
        let out = unsafe {
            Out {
                elements: out.get().map(|out| out.cells(len)),
                total: total.get().map(|total| total.slice(1)),
                count: count.cells(1),
            }
        };
        let words = states_len(len.div_ceil(PLACES as u64));
        // SAFETY: by this function's contract; they are accessed by atomics only.
        let cells = unsafe { states.cells(words) };
        let states = States { cells, first: STATES_HEAD, step: 1 };
        let staged = moves_compact_words().array::<W::Shared, PLACES>().slice();
        tile::compact::<W, S, V, R>(input, select, out, states, staged);
    }

    /// Copies the words whose rank is at most `span` above `least`, or all others if `outside` is not 0, to the beginning of
    /// `out` in their order, and writes their number to `count`. With a null `out`, only the number is written. Unless `total`
    /// is null, it has the number of selected words, and the other words follow them.
    ///
    /// The rank of an integer is its bits; ranks wrap round above the greatest one. Floats have the ranks of
    /// [`TotalOrder`](crate::TotalOrder).
    ///
    /// # Safety
    /// Launched with one block of [`COMPACT_THREADS`](super::super::shapes::COMPACT_THREADS) threads for each tile of
    /// [`compact_tile`] words; there is at least one word. `input` has `len` words, and `out`, if it is there, room for as many.
    /// `total`, if it is there, is the number that `count` would get. `states` has room for [`states_len`] words, which are 0.
    /// `out` and `input` do not overlap.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[allow(private_bounds, reason = "the rankings are listed in `entry`")]
    pub unsafe fn compact<
        W: Word + Rank,
        K: Ranking<W>,
        const V: usize,
        const R: usize,
        const PLACES: usize,
    >(
        a: Compact<W>,
    ) {
        wait_for_earlier_launches();
        let select =
            Between { least: a.least, span: a.span, outside: a.outside != 0, ranking: PhantomData::<K> };
        // SAFETY: by this function's contract.
        unsafe {
            run::<W, _, V, R, PLACES>(a.input.slice(a.len), select, a.out, a.total, a.count, a.states);
        }
    }

    /// Compacts, as [`compact`] does, the words for which a formula holds.
    ///
    /// # Safety
    /// As [`compact`].
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub unsafe fn compact_by_formula<
        W: Word + Scalar,
        const V: usize,
        const R: usize,
        const PLACES: usize,
    >(
        a: CompactByFormula<W>,
    ) {
        wait_for_earlier_launches();
        let select = Satisfying(Mark::<W, bool>::of(a.formula));
        // SAFETY: by this function's contract.
        unsafe {
            run::<W, _, V, R, PLACES>(a.input.slice(a.len), select, a.out, a.total, a.count, a.states);
        }
    }

    /// Compacts, as [`compact`] does, the first word and the words that differ from the one before them.
    ///
    /// # Safety
    /// As [`compact`].
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub unsafe fn unique<W: Word + PartialEq, const V: usize, const R: usize, const PLACES: usize>(
        a: Unique<W>,
    ) {
        wait_for_earlier_launches();
        // SAFETY: by this function's contract.
        unsafe {
            let input = a.input.slice(a.len);
            run::<W, _, V, R, PLACES>(input, Changes { input }, a.out, Optional::none(), a.count, a.states);
        }
    }

    /// Compacts, as [`compact`] does, the words whose flag is not 0. `F` has one byte of flags for each word of a vector.
    ///
    /// # Safety
    /// As [`compact`]; `flags` has `len` bytes.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub unsafe fn compact_by_flags<
        W: Word,
        F: bytemuck::Pod,
        const V: usize,
        const R: usize,
        const PLACES: usize,
    >(
        a: CompactByFlags<W>,
    ) {
        wait_for_earlier_launches();
        let vectors = if a.flags.addr().is_multiple_of(align_of::<F>()) { a.len / V as u64 } else { 0 };
        // SAFETY: by this function's contract; `vectors` counts whole vectors of flags, and is 0 unless they are aligned.
        unsafe {
            let select = Flags { single: a.flags.slice(a.len), vectors: a.flags.cast::<F>().slice(vectors) };
            run::<W, _, V, R, PLACES>(a.input.slice(a.len), select, a.out, a.total, a.count, a.states);
        }
    }
}
