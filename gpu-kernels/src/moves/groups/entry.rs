//! The entry points of the partition, the scan and the runs: raw arguments become handles, then one call.
//!
//! One of each kind per row of [`for_each_move_kernel!`](crate::for_each_move_kernel): `<row>_scatter`, `<row>_gather`,
//! `<row>_count_runs` and `<row>_write_runs`; and for integers `group_histogram`, `group_places`, `scan_totals` and `scan`.

/// The generic bodies that the stamps call. Each may overlap the launch before it, as those of
/// [`entry::raw`](crate::entry::raw).
pub mod raw {
    use cuda_std::atomic::AtomicCells;
    use cuda_std::global::{GlobalCells, GlobalSlice};
    use cuda_std::grid::wait_for_earlier_launches;
    use cuda_std::thread::grid_dim_x;

    use super::super::gather::Places;
    use super::super::histogram::Check;
    use super::super::ids::IdsOut;
    use super::super::pass::Pass;
    use super::super::scatter::{GroupsOut, Scatter, Staged};
    use super::super::{gather, histogram, runs, scan};
    use crate::moves::Word;

    cuda_std::shared_bytes! {
        /// A tile's ids by rank.
        fn moves_scatter_ids: 16384
    }

    cuda_std::shared_bytes! {
        /// A tile's elements by rank.
        fn moves_scatter_elements: 16384
    }

    /// The handle of ids that are written, of no, 2 or 4 bytes each.
    ///
    /// # Safety
    /// Unless `bytes` is 0, `ids` is aligned and writable for `len` ids of as many bytes, and nothing else uses them during
    /// the launch.
    #[inline(always)]
    unsafe fn open_ids_out(ids: *mut u8, bytes: u32, len: u64) -> IdsOut {
        // SAFETY: by this function's contract.
        unsafe {
            match bytes {
                0 => IdsOut::None,
                2 => IdsOut::Short(GlobalCells::new(ids.cast(), len)),
                _ => IdsOut::Word(GlobalCells::new(ids.cast(), len)),
            }
        }
    }

    /// Counts the elements of each block, `portion` of them, by the digit of `bits` bits from bit `shift` of their ids: digit
    /// `d` of block `b` at `d * blocks + b` of `out`. Unless `first_bad` is null, it becomes the least place of an id that is not
    /// less than `groups`, if there is one before what it holds. Unless `copy_bytes` is 0, the ids are copied to `copy`.
    ///
    /// # Safety
    /// Launched with as many blocks as have a portion, of
    /// [`histogram_threads`](crate::moves::groups::shape::histogram_threads) threads. `bits` is 2 to
    /// [`MOST_DIGIT_BITS`](crate::moves::groups::shape::MOST_DIGIT_BITS), and with `shift` at most 32; a portion is less than
    /// 2^32. `ids` is aligned and readable for `len` ids of `id_bytes`, 2, 4 or 8; `copy` is, unless `copy_bytes` is 0,
    /// aligned and writable for as many of `copy_bytes`, 2 or 4; `out` is writable for a number per digit and block, and
    /// `first_bad` null or writable for one; nothing else uses them during the launch, but for reading `ids`.
    #[allow(clippy::too_many_arguments, reason = "a kernel's parameters are all of its arguments")]
    #[inline(always)]
    pub unsafe fn histogram(
        ids: *const u8,
        id_bytes: u32,
        len: u64,
        portion: u64,
        shift: u32,
        bits: u32,
        groups: u64,
        first_bad: *mut u64,
        copy: *mut u8,
        copy_bytes: u32,
        out: *mut u64,
    ) {
        wait_for_earlier_launches();
        let pass = Pass { len, portion, shift, bits };
        let cells = u64::from(grid_dim_x()) << bits;
        // SAFETY: by this function's contract; each cell is written once.
        let (copy, out) = unsafe { (open_ids_out(copy, copy_bytes, len), GlobalCells::new(out, cells)) };
        let check = (!first_bad.is_null())
            // SAFETY: by this function's contract.
            .then(|| Check { groups, first_bad: unsafe { AtomicCells::new(first_bad, 1) } });
        // SAFETY: by this function's contract.
        unsafe {
            match id_bytes {
                2 => histogram::count(GlobalSlice::<u16>::new(ids.cast(), len), pass, check, copy, out),
                4 => histogram::count(GlobalSlice::<u32>::new(ids.cast(), len), pass, check, copy, out),
                _ => histogram::count(GlobalSlice::<u64>::new(ids.cast(), len), pass, check, copy, out),
            }
        }
    }

    /// Moves the elements of each block, as [`histogram`] has them, to where `starts` says: stably in the order of the digit.
    /// `id_out_bytes` is 0 in the last pass: no ids are written. `sizes` is null unless it is; then it gets, in the only pass,
    /// where each of the `groups` groups begins and where the last ends; in the last of several, where a group's size is added
    /// to each cell.
    ///
    /// # Safety
    /// Launched with as many blocks as have a portion, of
    /// [`SCATTER_THREADS`](crate::moves::groups::shape::SCATTER_THREADS) threads; the pass as for [`histogram`]. `ids`, of
    /// `id_bytes`, 2 or 4, and `elements` are aligned and readable for `len`. `starts` has, for each digit and block as [`histogram`] has them, the sum
    /// of what that counted before. `ids_out`, unless `id_out_bytes` is 0, and `out` are aligned and writable for `len`.
    /// `sizes` is null or writable for `groups` numbers, and one more if `is_only_pass` is not 0. Nothing else uses them during
    /// the launch, but for reading what is read. `I` is [`scatter_items`](crate::moves::groups::shape::scatter_items), and
    /// `PLACES` that for each thread.
    #[allow(clippy::too_many_arguments, reason = "a kernel's parameters are all of its arguments")]
    #[inline(always)]
    pub unsafe fn scatter<W: Word, const I: usize, const PLACES: usize>(
        ids: *const u8,
        id_bytes: u32,
        elements: *const W,
        len: u64,
        portion: u64,
        shift: u32,
        bits: u32,
        starts: *const u64,
        ids_out: *mut u8,
        id_out_bytes: u32,
        out: *mut W,
        sizes: *mut u64,
        groups: u64,
        is_only_pass: u32,
    ) {
        wait_for_earlier_launches();
        let pass = Pass { len, portion, shift, bits };
        let starts_len = u64::from(grid_dim_x()) << bits;
        // SAFETY: by this function's contract; the places that `starts` makes are each element's own. What sizes are added to
        // is touched by atomics alone.
        let (starts, elements, ids_out, out, groups) = unsafe {
            let groups = match (sizes.is_null(), is_only_pass) {
                (true, _) => GroupsOut::None,
                (false, 0) => GroupsOut::Sizes(AtomicCells::new(sizes, groups)),
                (false, _) => GroupsOut::Offsets(GlobalCells::new(sizes, groups + 1), groups),
            };
            let (elements, out) = (GlobalSlice::new(elements, len), GlobalCells::new(out, len));
            (
                GlobalSlice::new(starts, starts_len),
                elements,
                open_ids_out(ids_out, id_out_bytes, len),
                out,
                groups,
            )
        };
        let staged = Staged {
            ids: moves_scatter_ids().array::<u32, PLACES>().slice(),
            elements: moves_scatter_elements().array::<W::Shared, PLACES>().slice(),
        };
        if id_bytes == 2 {
            // SAFETY: by this function's contract.
            let ids = unsafe { GlobalSlice::<u16>::new(ids.cast(), len) };
            Scatter { ids, elements, pass, staged, ids_out, out, groups }.run::<I>(starts);
        } else {
            // SAFETY: as above.
            let ids = unsafe { GlobalSlice::<u32>::new(ids.cast(), len) };
            Scatter { ids, elements, pass, staged, ids_out, out, groups }.run::<I>(starts);
        }
    }

    /// Copies the elements of `words` words at `count` places to `out`, one after the other.
    ///
    /// # Safety
    /// Launched with blocks of whole warps. `input` is aligned and readable for `len` words, `places` for `count` numbers of
    /// `place_bytes`, 4 or 8, of elements that are there; `out` is aligned and writable for as many elements; nothing else uses
    /// them during the launch, but for reading what is read. `words` is at least 1 and less than 2^26.
    #[inline(always)]
    pub unsafe fn gather<W: Word>(
        input: *const W,
        len: u64,
        places: *const u8,
        place_bytes: u32,
        count: u64,
        words: u32,
        out: *mut W,
    ) {
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

    /// Writes 0, 1 and so on to `len` cells of `bytes`, 4 or 8.
    ///
    /// # Safety
    /// `out` is aligned and writable for so many numbers, and nothing else uses it during the launch.
    #[inline(always)]
    pub unsafe fn places(out: *mut u8, bytes: u32, len: u64) {
        wait_for_earlier_launches();
        // SAFETY: by this function's contract.
        unsafe {
            match bytes {
                4 => gather::number(GlobalCells::<u32>::new(out.cast(), len), len, |place| place as u32),
                _ => gather::number(GlobalCells::<u64>::new(out.cast(), len), len, |place| place),
            }
        }
    }

    /// Writes how many runs of equal keys begin in each block's portion.
    ///
    /// # Safety
    /// Launched with as many blocks as have a portion, of [`SCAN_THREADS`](crate::moves::groups::shape::SCAN_THREADS) threads.
    /// `keys` is aligned and readable for `len` keys, `counts` writable for a number per block; nothing else uses them during
    /// the launch, but for reading `keys`.
    #[inline(always)]
    pub unsafe fn count_runs<W: Word + PartialEq, const N: usize>(
        keys: *const W,
        len: u64,
        portion: u64,
        counts: *mut u64,
    ) {
        wait_for_earlier_launches();
        // SAFETY: by this function's contract; each cell is written once.
        let (keys, counts) =
            unsafe { (GlobalSlice::new(keys, len), GlobalCells::new(counts, u64::from(grid_dim_x()))) };
        runs::count::<W, N>(keys, portion, counts);
    }

    /// Writes where each of `count` runs begins and where the last one ends to `offsets`, and the key of each to `of_runs`.
    ///
    /// # Safety
    /// As for [`count_runs`], by as many blocks. `before` has the sum of what that counted before each block, and behind
    /// those the sum of all, which is `count`; `offsets` is writable for `count` numbers and one, and `of_runs` aligned and
    /// writable for `count` keys; nothing else uses them during the launch, but for reading what is read.
    #[inline(always)]
    pub unsafe fn write_runs<W: Word + PartialEq, const N: usize>(
        keys: *const W,
        len: u64,
        portion: u64,
        before: *const u64,
        offsets: *mut u64,
        of_runs: *mut W,
        count: u64,
    ) {
        wait_for_earlier_launches();
        // SAFETY: by this function's contract; each cell is written once.
        let (keys, before, offsets, of_runs) = unsafe {
            (
                GlobalSlice::new(keys, len),
                GlobalSlice::new(before, u64::from(grid_dim_x()) + 1),
                GlobalCells::new(offsets, count + 1),
                GlobalCells::new(of_runs, count),
            )
        };
        runs::write::<W, N>(keys, portion, before, offsets, of_runs);
    }

    /// Writes the sum of each block's portion of `len` integers.
    ///
    /// # Safety
    /// Launched with as many blocks as have a portion, of [`SCAN_THREADS`](crate::moves::groups::shape::SCAN_THREADS) threads.
    /// `input` is readable for `len` integers, `totals` writable for one per block; nothing else uses them during the launch,
    /// but for reading `input`.
    #[inline(always)]
    pub unsafe fn scan_totals(input: *const u64, len: u64, portion: u64, totals: *mut u64) {
        wait_for_earlier_launches();
        // SAFETY: by this function's contract; each cell is written once.
        let (input, totals) =
            unsafe { (GlobalSlice::new(input, len), GlobalCells::new(totals, u64::from(grid_dim_x()))) };
        scan::total(input, portion, totals);
    }

    /// Replaces each of `len` integers by the sum of those before it, and writes the sum of all behind them.
    ///
    /// # Safety
    /// As for [`scan_totals`], by as many blocks. `cells` is writable for `len` integers and one; `before` has the sum of all
    /// integers before each block's portion, or it is null and there is one block; nothing else uses them during the launch,
    /// but for reading `before`.
    #[inline(always)]
    pub unsafe fn scan(cells: *mut u64, len: u64, portion: u64, before: *const u64) {
        wait_for_earlier_launches();
        let blocks = u64::from(grid_dim_x());
        // SAFETY: by this function's contract; each cell is read and written by one thread.
        let cells = unsafe { GlobalCells::new(cells, len + 1) };
        // SAFETY: by this function's contract.
        let before = (!before.is_null()).then(|| unsafe { GlobalSlice::new(before, blocks) });
        scan::scan(cells, len, portion, before);
    }
}

/// Stamps the entry points of rows `entry: word;`, each row a module of the entry's name.
#[cfg(feature = "moves")]
macro_rules! stamp_group_kernels {
    ($($entry:ident: $word:ty;)*) => { $(
        #[doc = concat!("The kernels over groups and runs of words of `", stringify!($word), "`.")]
        pub mod $entry {
            use super::raw;
            use crate::moves::groups::shape::{SCATTER_THREADS, run_items, scatter_items};

            type W = $word;
            const I: usize = scatter_items(size_of::<W>());
            const N: usize = run_items(size_of::<W>());
            const PLACES: usize = I * SCATTER_THREADS as usize;

            cuda_std::kernel! {
                /// Moves elements in the order of a digit of their groups' ids.
                ///
                /// # Safety
                /// The contract of [`raw::scatter`].
                #[allow(clippy::too_many_arguments, reason = "a kernel's parameters are all of its arguments")]
                pub unsafe fn scatter as concat!(stringify!($entry), "_scatter") =>
                    (ids: *const u8, id_bytes: u32, elements: *const W, len: u64, portion: u64, shift: u32, bits: u32,
                     starts: *const u64, ids_out: *mut u8, id_out_bytes: u32, out: *mut W, sizes: *mut u64, groups: u64,
                     is_only_pass: u32)
                {
                    // SAFETY: the same contract.
                    unsafe {
                        raw::scatter::<W, I, PLACES>(
                            ids, id_bytes, elements, len, portion, shift, bits, starts, ids_out, id_out_bytes, out,
                            sizes, groups, is_only_pass,
                        )
                    }
                }

                /// Copies the elements at some places.
                ///
                /// # Safety
                /// The contract of [`raw::gather`].
                pub unsafe fn gather as concat!(stringify!($entry), "_gather") =>
                    (input: *const W, len: u64, places: *const u8, place_bytes: u32, count: u64, words: u32,
                     out: *mut W)
                {
                    // SAFETY: the same contract.
                    unsafe { raw::gather::<W>(input, len, places, place_bytes, count, words, out) }
                }

                /// Counts the runs of equal keys.
                ///
                /// # Safety
                /// The contract of [`raw::count_runs`].
                pub unsafe fn count_runs as concat!(stringify!($entry), "_count_runs") =>
                    (keys: *const W, len: u64, portion: u64, counts: *mut u64)
                {
                    // SAFETY: the same contract.
                    unsafe { raw::count_runs::<W, N>(keys, len, portion, counts) }
                }

                /// Writes where the runs begin, and their keys.
                ///
                /// # Safety
                /// The contract of [`raw::write_runs`].
                pub unsafe fn write_runs as concat!(stringify!($entry), "_write_runs") =>
                    (keys: *const W, len: u64, portion: u64, before: *const u64, offsets: *mut u64, of_runs: *mut W,
                     count: u64)
                {
                    // SAFETY: the same contract.
                    unsafe { raw::write_runs::<W, N>(keys, len, portion, before, offsets, of_runs, count) }
                }
            }
        }
    )* };
}
#[cfg(feature = "moves")]
crate::for_each_move_kernel!(stamp_group_kernels);

#[cfg(feature = "moves")]
cuda_std::kernel! {
    /// Counts elements by a digit of their groups' ids.
    ///
    /// # Safety
    /// The contract of [`raw::histogram`].
    #[allow(clippy::too_many_arguments, reason = "a kernel's parameters are all of its arguments")]
    pub unsafe fn group_histogram(
        ids: *const u8,
        id_bytes: u32,
        len: u64,
        portion: u64,
        shift: u32,
        bits: u32,
        groups: u64,
        first_bad: *mut u64,
        copy: *mut u8,
        copy_bytes: u32,
        out: *mut u64,
    ) {
        // SAFETY: the same contract.
        unsafe {
            raw::histogram(ids, id_bytes, len, portion, shift, bits, groups, first_bad, copy, copy_bytes, out)
        }
    }

    /// Numbers places.
    ///
    /// # Safety
    /// The contract of [`raw::places`].
    pub unsafe fn group_places(out: *mut u8, bytes: u32, len: u64) {
        // SAFETY: the same contract.
        unsafe { raw::places(out, bytes, len) }
    }

    /// Sums the integers of each block.
    ///
    /// # Safety
    /// The contract of [`raw::scan_totals`].
    pub unsafe fn scan_totals(input: *const u64, len: u64, portion: u64, totals: *mut u64) {
        // SAFETY: the same contract.
        unsafe { raw::scan_totals(input, len, portion, totals) }
    }

    /// Sums all integers before each.
    ///
    /// # Safety
    /// The contract of [`raw::scan`].
    pub unsafe fn scan(cells: *mut u64, len: u64, portion: u64, before: *const u64) {
        // SAFETY: the same contract.
        unsafe { raw::scan(cells, len, portion, before) }
    }
}
