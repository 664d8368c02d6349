//! The entry points of a sort: raw arguments become handles, then one call.
//!
//! Those of parts are in `parts`. `<entry>_leaf` is that of [`leaf_kernels!`](crate::leaf_kernels); `<entry>_pivots`, `<entry>_count` and `<entry>_scatter` are
//! [`level_kernels!`](crate::level_kernels); `sort_lists` is one of [`sizeless_kernels!`](crate::sizeless_kernels).

pub mod parts;

/// The generic bodies that the stamps call. Each may overlap the launch before it, like the bodies of
/// [`entry::raw`](crate::entry::raw). `I` is [`sort_items`](super::shapes::sort_items) in shipped kernels, any power of two up
/// to 16 elsewhere, and `PLACES` is `I` times a block's threads.
///
/// # Contract of segments
/// `segments` has `segments_len` records of [`SEGMENT_WORDS`](super::shapes::SEGMENT_WORDS), and `of_tiles` the number of each
/// tile's segment, as [`lists`](raw::lists) wrote them for the same keys. Or both are null, and all keys are one segment.
pub mod raw {
    use cuda_std::grid::wait_for_earlier_launches;
    use cuda_std::memory::{Optional, Readable, Writable};
    use cuda_std::thread::grid_dim_x;

    use super::super::block::Staged;
    use super::super::coding::{Coding, Key, Keys};
    use super::super::count;
    use super::super::indices::{Indices, IndicesOut};
    use super::super::leaf;
    use super::super::lists::{self as listing, Bounds, Lists};
    use super::super::pivots as finding;
    use super::super::scatter::{self as scattering, Out};
    use super::super::segment::{Segments, Wanted};
    use super::super::shapes::{
        BOUNDS, BUCKETS, COUNTERS, LEAF_WORDS, SEGMENT_WORDS, most_leaves, most_segments, most_tiles,
        sort_tile,
    };
    use crate::arguments::{SortCount, SortLeaf, SortLists, SortPivots, SortScatter};

    cuda_std::shared_bytes! {
        /// A tile's keys.
        fn moves_sort_keys: 16384
    }

    cuda_std::shared_bytes! {
        /// A word beside each key.
        fn moves_sort_beside: 16384
    }

    cuda_std::shared_bytes! {
        /// The bounds of a segment.
        fn moves_sort_tree: 4096
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn staged<W: Key, const I: usize, const PLACES: usize>() -> Staged<W> {
        const { assert!(PLACES as u64 == sort_tile(I) && I.is_power_of_two()) }
        Staged {
            keys: moves_sort_keys().array::<W::Shared, PLACES>().slice(),
            beside: moves_sort_beside().array::<u32, PLACES>().slice(),
        }
    }

    /// Makes the handle of the segments.
    ///
    /// # Safety
    /// The [module](self)'s contract of segments.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    unsafe fn open(
        segments: Optional<Readable<u64>>,
        count: u64,
        of_tiles: Optional<Readable<u32>>,
        tiles: u64,
        len: u64,
        bits: u32,
    ) -> Segments {
        // SAFETY: by this function's contract.
        unsafe {
            Segments {
                records: segments.get().map(|segments| segments.slice(count * SEGMENT_WORDS)),
                of_tiles: of_tiles.get().map(|of_tiles| of_tiles.slice(tiles)),
                len,
                bits,
            }
        }
    }

    /// Makes the handle of the indices to read.
    ///
    /// # Safety
    /// `indices`, if it is there, has `len` indices of `bytes` bytes, 4 or 8.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    unsafe fn open_indices(indices: Optional<Readable<u8>>, bytes: u32, len: u64) -> Indices {
        // SAFETY: by this function's contract.
        unsafe {
            match (indices.get(), bytes) {
                (None, _) => Indices::Places,
                (Some(indices), 4) => Indices::Word(indices.cast().slice(len)),
                (Some(indices), _) => Indices::Long(indices.cast().slice(len)),
            }
        }
    }

    /// Makes the handle of the indices to write.
    ///
    /// # Safety
    /// `bytes` is 0, or `indices` has room for `len` indices of `bytes` bytes, 4 or 8.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(in crate::sort::entry) unsafe fn open_indices_out(
        indices: Optional<Writable<u8>>,
        bytes: u32,
        len: u64,
    ) -> IndicesOut {
        // SAFETY: by this function's contract.
        unsafe {
            match bytes {
                0 => IndicesOut::None,
                4 => IndicesOut::Word(indices.get_unchecked().cast().cells(len)),
                _ => IndicesOut::Long(indices.get_unchecked().cast().cells(len)),
            }
        }
    }

    /// Writes the [`BOUNDS`] of each segment.
    ///
    /// # Safety
    /// Launched with one block of [`SORT_THREADS`](super::super::shapes::SORT_THREADS) threads per segment. `input` has `len`
    /// elements. The [module](self)'s contract of segments holds. `bounds` has room for the [`BOUNDS`] of each segment.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub unsafe fn pivots<W: Key, const I: usize, const PLACES: usize>(a: SortPivots<W>) {
        wait_for_earlier_launches();
        let count = u64::from(grid_dim_x());
        // SAFETY: by this function's contract; each bound is written once.
        let (elements, segments, bounds) = unsafe {
            let segments = open(a.segments, count, Optional::none(), 0, a.len, W::BITS);
            (a.input.slice(a.len), segments, a.bounds.cells(count * BOUNDS))
        };
        finding::find::<W, I>(
            Keys { elements, coding: Coding(a.coding) },
            segments,
            bounds,
            staged::<W, I, PLACES>(),
        );
    }

    /// Writes the bucket of each key of each segment to `ids`, and the number of keys of each tile in each bucket to `counts`:
    /// segment by segment, in the order of their tiles, and in it for each bucket one count of each tile.
    ///
    /// # Safety
    /// As for [`pivots`], but with one block per tile. `bounds` is what that wrote; `ids` has room for `len` bytes, and `counts`
    /// for [`BUCKETS`] numbers per tile.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub unsafe fn count<W: Key, const I: usize>(a: SortCount<W>) {
        wait_for_earlier_launches();
        let tiles = u64::from(grid_dim_x());
        // SAFETY: by this function's contract; each place is written once.
        unsafe {
            let keys = Keys { elements: a.input.slice(a.len), coding: Coding(a.coding) };
            count::count::<W, I>(
                keys,
                open(a.segments, a.segments_len, a.of_tiles, tiles, a.len, W::BITS),
                a.bounds.slice(a.segments_len * BOUNDS),
                a.ids.cells(a.len),
                a.counts.cells(tiles * BUCKETS),
                moves_sort_tree().array::<W::Shared, { BUCKETS as usize }>().slice(),
            );
        }
    }

    /// Moves the keys of each segment, and their indices if `index_bytes` is not 0, to `out` in the order of their buckets,
    /// stably. Does not move the keys of buckets behind the first `wanted` keys of a part.
    ///
    /// # Safety
    /// As for [`count`]. `ids` is what that wrote. `before` has its counts, each replaced by the sum of all before it, and after
    /// them the sum of all. `out` has room for `len` keys. `index_bytes` is 0, 4 or 8. If it is not 0, `indices_out` has room for
    /// `len` indices of as many bytes, and `indices` as many; without it, each index is its place.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub unsafe fn scatter<W: Key, const I: usize, const PLACES: usize>(a: SortScatter<W>) {
        wait_for_earlier_launches();
        let tiles = u64::from(grid_dim_x());
        // SAFETY: by this function's contract; the sums of the counts give each key a place of its own.
        unsafe {
            let keys = Keys { elements: a.input.slice(a.len), coding: Coding(a.coding) };
            let indices_out = open_indices_out(a.indices_out, a.index_bytes, a.len);
            scattering::scatter::<W, I>(
                keys,
                open_indices(a.indices, a.index_bytes, a.len),
                open(a.segments, a.segments_len, a.of_tiles, tiles, a.len, W::BITS),
                a.ids.slice(a.len),
                a.before.slice(tiles * BUCKETS + 1),
                Out { keys: a.out.cells(a.len), indices: indices_out, wanted: a.wanted },
                staged::<W, I, PLACES>(),
            );
        }
    }

    /// Lists the next steps for each segment's buckets that begin within the first `wanted` keys of their part, and adds the numbers of new segments, tiles and leaves to `counters`.
    ///
    /// # Safety
    /// Launched with one block of [`SORT_THREADS`](super::super::shapes::SORT_THREADS) threads per segment. The [module](self)'s
    /// contract of segments holds, for `len` keys of `key_bytes` in tiles of `tile`. `bounds` and `before` are as for [`count`]
    /// and [`scatter`], with `tiles` tiles in all. `next` has room for [`most_segments`] records, `next_of_tiles` for
    /// [`most_tiles`] numbers, `leaves` for [`most_leaves`] records, and `counters` for [`COUNTERS`] numbers, which are 0.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub unsafe fn lists(a: SortLists) {
        wait_for_earlier_launches();
        let count = u64::from(grid_dim_x());
        let of_bounds = count * BOUNDS;
        // SAFETY: by this function's contract; the counters give each place to one thread.
        unsafe {
            let bounds = match a.key_bytes {
                1 => Bounds::One(a.bounds.slice(of_bounds)),
                2 => Bounds::Two(a.bounds.cast().slice(of_bounds)),
                4 => Bounds::Four(a.bounds.cast().slice(of_bounds)),
                8 => Bounds::Eight(a.bounds.cast().slice(of_bounds)),
                _ => Bounds::Sixteen(a.bounds.cast().slice(of_bounds)),
            };
            let lists = Lists {
                segments: a.next.cells(most_segments(a.len, a.tile) * SEGMENT_WORDS),
                of_tiles: a.next_of_tiles.cells(most_tiles(a.len, a.tile)),
                leaves: a.leaves.cells(most_leaves(a.len, a.tile) * LEAF_WORDS),
                counters: a.counters.cells(COUNTERS),
                tile: a.tile,
                wanted: a.wanted,
            };
            let segments = open(a.segments, count, Optional::none(), 0, a.len, 8 * a.key_bytes);
            listing::list(segments, bounds, a.before.slice(a.tiles * BUCKETS + 1), lists);
        }
    }

    /// Sorts each listed leaf to its place in `out`, with its indices if `index_out_bytes` is not 0. Without a list all keys
    /// are one leaf. Writes the first `wanted` results of a part alone; indices count from the start of the part if they
    /// `are_within` it.
    ///
    /// # Safety
    /// Launched with one block of [`SORT_THREADS`](super::super::shapes::SORT_THREADS) threads per leaf. `input` has `len` keys
    /// by `coding`. `leaves` is what [`lists`] wrote; without it, there are at most as many keys as a tile has. `out`, if it is
    /// there, has room for `out_len` elements by `coding_out`. `index_out_bytes` is 0, 4 or 8. If it is not 0, `indices_out` has
    /// room for `out_len` indices of as many bytes, and `indices` as many of `index_bytes`; without it, each index is its place;
    /// `out` may be `input`.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub unsafe fn leaf<W: Key, const I: usize, const PLACES: usize>(a: SortLeaf<W>) {
        wait_for_earlier_launches();
        // SAFETY: by this function's contract; only a leaf's block reads it, and it does so before the barriers that precede
        // its writes.
        unsafe {
            let keys = Keys { elements: a.input.slice(a.len), coding: Coding(a.coding) };
            let of_leaves = u64::from(grid_dim_x()) * LEAF_WORDS;
            let result = leaf::Result {
                elements: a.out.get().map(|out| out.cells(a.out_len)),
                coding: Coding(a.coding_out),
                indices: open_indices_out(a.indices_out, a.index_out_bytes, a.out_len),
                wanted: Wanted { first: a.wanted, are_within: a.are_within != 0 },
            };
            leaf::finish::<W, I>(
                keys,
                open_indices(a.indices, a.index_bytes, a.len),
                a.leaves.get().map(|leaves| leaves.slice(of_leaves)),
                result,
                staged::<W, I, PLACES>(),
            );
        }
    }
}
