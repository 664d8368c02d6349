//! The arguments of the kernels that sort.

cuda_std::arguments! {
    /// Finds the bounds between buckets.
    pub struct SortPivots<W: Copy> {
        input: *const W,
        len: u64,
        coding: u32,
        segments: *const u64,
        bounds: *mut W,
    }

    /// Counts the keys of each bucket.
    pub struct SortCount<W: Copy> {
        input: *const W,
        len: u64,
        coding: u32,
        segments: *const u64,
        segments_len: u64,
        of_tiles: *const u32,
        bounds: *const W,
        ids: *mut u8,
        counts: *mut u64,
    }

    /// Moves keys to their buckets.
    pub struct SortScatter<W: Copy> {
        input: *const W,
        len: u64,
        coding: u32,
        segments: *const u64,
        segments_len: u64,
        of_tiles: *const u32,
        ids: *const u8,
        before: *const u64,
        out: *mut W,
        indices: *const u8,
        indices_out: *mut u8,
        index_bytes: u32,
        wanted: u64,
    }

    /// Lists the next steps for buckets.
    pub struct SortLists {
        len: u64,
        key_bytes: u32,
        tile: u64,
        segments: *const u64,
        tiles: u64,
        bounds: *const u8,
        before: *const u64,
        next: *mut u64,
        next_of_tiles: *mut u32,
        leaves: *mut u64,
        counters: *mut u64,
        wanted: u64,
    }

    /// Lists the parts of an array by the way in which they are sorted.
    pub struct SortParts {
        offsets: *const u32,
        are_wide: u32,
        are_signed: u32,
        part_len: u64,
        count: u64,
        len: u64,
        key_bytes: u32,
        items: u32,
        least: u64,
        wanted: u64,
        counters: *mut u64,
        short: *mut u64,
        leaves: *mut u64,
        segments: *mut u64,
        of_tiles: *mut u32,
    }

    /// Sorts short parts of one class.
    pub struct SortShort<W: Copy> {
        input: *const W,
        len: u64,
        coding: u32,
        offsets: *const u32,
        are_wide: u32,
        part_len: u64,
        count: u64,
        short: *const u64,
        short_len: u64,
        slot: u32,
        out: *mut W,
        out_len: u64,
        coding_out: u32,
        indices_out: *mut u8,
        index_out_bytes: u32,
        wanted: u64,
        are_within: u32,
    }

    /// Finishes segments that fit a block.
    pub struct SortLeaf<W: Copy> {
        input: *const W,
        len: u64,
        coding: u32,
        leaves: *const u64,
        out: *mut W,
        out_len: u64,
        coding_out: u32,
        indices: *const u8,
        index_bytes: u32,
        indices_out: *mut u8,
        index_out_bytes: u32,
        wanted: u64,
        are_within: u32,
    }
}
