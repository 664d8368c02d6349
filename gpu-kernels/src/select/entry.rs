//! The entry points of selection: raw arguments become handles, then one call.
//!
//! `<entry>_filter` and `<entry>_digits` are [`select_kernels!`](crate::select_kernels); `select_sample` and `select_pick` are
//! among [`sizeless_kernels!`](crate::sizeless_kernels).

/// The generic bodies that the stamps call. Each may overlap the launch before it, like the bodies of
/// [`entry::raw`](crate::entry::raw).
///
/// Words are ranked by `signed`, the bits to flip in negative words, `all`, the bits to flip in all words, and `less`, which is
/// subtracted then. For unsigned integers the first two are 0 and 0, for signed ones 0 and the sign bit, for floats all but the
/// sign bit and the sign bit. The third is 0, or the number of NaNs with a sign where all NaNs are greater than the numbers. In
/// descending order `all` is the complement, and `less` the negative.
pub mod raw {
    use cuda_std::global::VECTOR_BYTES;
    use cuda_std::grid::{let_next_launch_start, wait_for_earlier_launches};
    use cuda_std::memory::Readable;
    use cuda_std::thread::thread_idx_x;

    use super::super::digits::{Digit, Digits};
    use super::super::filter::{Candidates, Filter};
    use super::super::keys::{Key, Ranking, Stretch};
    use super::super::pick::{self, Last, Pairs};
    use super::super::sample;
    use super::super::shapes::{COPIES, DIGITS, DIGITS_THREADS, FILTER_THREADS, Sample, piece_len};
    use super::super::walk::walk;
    use crate::arguments::{self, Pick};

    cuda_std::shared_bytes! {
        /// The counters of digits.
        fn moves_digits: 32768
    }

    const _: () = assert!(DIGITS * COPIES * 4 == 32768);

    /// Returns the number of elements before the first vector.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn head<W>(input: Readable<W>) -> u64 {
        (input.addr().wrapping_neg() % VECTOR_BYTES / size_of::<W>()) as u64
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn ranking<W: Key>(signed: u64, all: u64, less: u64) -> Ranking<W> {
        Ranking { signed: W::of(signed), all: W::of(all), less: W::of(less) }
    }

    /// Writes the first pair of each group of a sample: the least rank and the lowest index that has it. A group without a
    /// piece gets the greatest integers.
    ///
    /// # Safety
    /// Launched with blocks of [`SAMPLE_THREADS`](super::super::shapes::SAMPLE_THREADS) threads, one warp for each of `groups`.
    /// `input` has `len` elements of `bytes`, 1, 2, 4 or 8. The `pieces`, of [`piece_len`] each and `distance` apart, are within
    /// them. `ranks` and `indices` have room for one number per group.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub unsafe fn sample(a: arguments::Sample) {
        wait_for_earlier_launches();
        let of = Sample { pieces: a.pieces, distance: a.distance, groups: a.groups, room: 0 };
        // SAFETY: by this function's contract; each group's pair is written once.
        unsafe {
            let (ranks, indices) = (a.ranks.cells(a.groups), a.indices.cells(a.groups));
            macro_rules! of_words {
                ($word:ty) => {{
                    let input = a.input.cast::<$word>().slice(a.len);
                    let ranking = ranking::<$word>(a.signed, a.all, a.less);
                    sample::sample::<$word, { piece_len(size_of::<$word>()) }>(
                        input, ranking, of, ranks, indices,
                    );
                }};
            }
            match a.bytes {
                1 => of_words!(u8),
                2 => of_words!(u16),
                4 => of_words!(u32),
                _ => of_words!(u64),
            }
        }
        let_next_launch_start();
    }

    /// Finds the `k`-th of the pairs of `ranks` and `indices`. Their number is `room` or, unless `found` is null, what `found`
    /// has. Unless `bounds` is null, it gets 0, the rank, the limit, and 0 for the count of the filter that uses it. The limit
    /// is the last wanted index with this rank, or the greatest integer if all are wanted. Unless `sorted` is null, it gets the
    /// number of pairs, 0, and the first `k` pairs in their order. If there are more pairs than room, or fewer than `k`, only
    /// the number is written.
    ///
    /// # Safety
    /// Launched with one block of [`PICK_THREADS`](super::super::shapes::PICK_THREADS) threads. `ranks` and `indices` have `room`
    /// numbers, fewer than 2^32. No two of the existing pairs are equal. Ranks have `bits` bits and indices `index_bits`, 1 to
    /// 64, or are the greatest integer. If they are there, `bounds` has room for 4 numbers, and `sorted` for 2 numbers and two
    /// for each of `k`, which is then at most [`MOST_SORTED`](super::super::shapes::MOST_SORTED). `k` is at least 1.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub unsafe fn pick(a: Pick) {
        wait_for_earlier_launches();
        // SAFETY: by this function's contract; each place is written once.
        unsafe {
            let count = match a.found.get() {
                None => a.room,
                Some(found) => found.slice(1).read(0),
            };
            let out = a.sorted.get().map(|sorted| sorted.cells(2 + 2 * u64::from(a.k)));
            if thread_idx_x() == 0
                && let Some(out) = out
            {
                out.write(0, count);
                out.write(1, 0);
            }
            if count > a.room || count < u64::from(a.k) {
                return;
            }
            let pairs = Pairs { ranks: a.ranks.slice(count), indices: a.indices.slice(count) };
            let last = if a.k == 1 {
                let (rank, limit) = pick::first(pairs);
                Last { rank, limit }
            } else {
                pick::last(pairs, a.k, a.bits, a.index_bits)
            };
            if thread_idx_x() == 0
                && let Some(bounds) = a.bounds.get()
            {
                let bounds = bounds.cells(4);
                bounds.write(0, 0);
                bounds.write(1, last.rank);
                bounds.write(2, last.limit);
                bounds.write(3, 0);
            }
            if let Some(out) = out {
                pick::sorted(pairs, a.k, last, out, 2);
            }
        }
        let_next_launch_start();
    }

    /// Adds the number of elements within an interval of the order to `count`. Writes their ranks and, unless `indices` is
    /// null, their indices to the places from the former value of `count` on, in any order, as far as there is `room`. The
    /// interval is from rank `least` to rank `most` and, with rank `most`, to index `limit`. Unless `bounds` is null, its
    /// numbers are used instead.
    ///
    /// # Safety
    /// Launched with blocks of [`FILTER_THREADS`] threads. `input` has `len` words. `bounds`, if it is there, has 3 numbers, and
    /// the first is not above the second. `ranks` and `indices`, if that is there, have room for `room` numbers, and `count` for
    /// one.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub unsafe fn filter<W: Key, const V: usize, const R: usize>(a: arguments::Filter<W>) {
        wait_for_earlier_launches();
        // SAFETY: by this function's contract; each place is reserved once, and the count is accessed by atomics only.
        unsafe {
            let stretch = match a.bounds.get() {
                None => Stretch::new(a.least, a.most, a.limit),
                Some(bounds) => {
                    let bounds = bounds.slice(3);
                    Stretch::new(bounds.read(0), bounds.read(1), bounds.read(2))
                }
            };
            let words = a.input.slice(a.len);
            let filter = Filter {
                input: words,
                ranking: ranking::<W>(a.signed, a.all, a.less),
                stretch,
                to: Candidates {
                    ranks: a.ranks.cells(a.room),
                    indices: a.indices.get().map(|indices| indices.cells(a.room)),
                    room: a.room,
                    count: a.count.cells(1),
                },
            };
            walk::<W, _, V, R, FILTER_THREADS>(words, head(a.input), &filter);
        }
        let_next_launch_start();
    }

    /// Counts the elements with a rank from `least` to `most` by digit, and adds the counts to `sums`. A digit is the bits from
    /// `shift` on of the rank's distance above `least`, or of the index if `by_index` is not 0.
    ///
    /// # Safety
    /// Launched with blocks of [`DIGITS_THREADS`] threads, so many that each has fewer than 2^32 elements. `input` has `len`
    /// words. `least` is not above `most`. Digits are less than [`DIGITS`], and `shift` is less than the word's bits, or less
    /// than 64 by index. `sums` has room for one number per digit.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub unsafe fn digits<W: Key, const V: usize, const R: usize>(a: arguments::Digits<W>) {
        wait_for_earlier_launches();
        // SAFETY: by this function's contract; the sums are accessed by atomics only.
        let (words, sums) = unsafe { (a.input.slice(a.len), a.sums.cells(DIGITS as u64)) };
        let digits = Digits {
            ranking: ranking::<W>(a.signed, a.all, a.less),
            stretch: Stretch::new(a.least, a.most, u64::MAX),
            digit: if a.by_index == 0 { Digit::OfRank(a.shift) } else { Digit::OfIndex(a.shift) },
            counters: moves_digits().array::<u32, { DIGITS * COPIES }>().slice(),
        };
        digits.clear();
        walk::<W, _, V, R, DIGITS_THREADS>(words, head(a.input), &digits);
        digits.hand_over(sums);
        let_next_launch_start();
    }
}
