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
    }

    /// Finishes segments that fit a block.
    pub struct SortLeaf<W: Copy> {
        input: *const W,
        len: u64,
        coding: u32,
        leaves: *const u64,
        out: *mut W,
        coding_out: u32,
        indices: *const u8,
        index_bytes: u32,
        indices_out: *mut u8,
        index_out_bytes: u32,
    }
}
