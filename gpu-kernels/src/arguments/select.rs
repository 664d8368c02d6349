//! The arguments of the kernels that select by rank.

cuda_std::arguments! {
    /// Finds the first element of each group of a sample.
    pub struct Sample {
        input: *const u8,
        bytes: u32,
        len: u64,
        signed: u64,
        all: u64,
        less: u64,
        pieces: u64,
        distance: u64,
        groups: u64,
        ranks: *mut u64,
        indices: *mut u64,
    }

    /// Finds the element at a place among pairs, and sorts those before it.
    pub struct Pick {
        ranks: *const u64,
        indices: *const u64,
        found: *const u64,
        room: u64,
        k: u32,
        bits: u32,
        index_bits: u32,
        bounds: *mut u64,
        sorted: *mut u64,
    }

    /// Compacts the elements within an interval of the order.
    pub struct Filter<W: Copy> {
        input: *const W,
        len: u64,
        signed: u64,
        all: u64,
        less: u64,
        least: u64,
        most: u64,
        limit: u64,
        bounds: *const u64,
        ranks: *mut u64,
        indices: *mut u64,
        room: u64,
        count: *mut u64,
    }

    /// Counts elements by a digit.
    pub struct Digits<W: Copy> {
        input: *const W,
        len: u64,
        signed: u64,
        all: u64,
        less: u64,
        least: u64,
        most: u64,
        shift: u32,
        by_index: u32,
        sums: *mut u64,
    }
}
