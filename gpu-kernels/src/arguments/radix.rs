//! The arguments of the kernels that sort by digits.

cuda_std::arguments! {
    /// Counts digits.
    pub struct RadixDigits<W: Copy> {
        input: *const W,
        len: u64,
        portion: u64,
        coding: u32,
        counts: *mut u64,
    }

    /// Sums up counts.
    pub struct RadixStarts {
        counts: *const u64,
        len: u64,
        starts: *mut u64,
        route: *mut u64,
    }

    /// Moves keys by a digit.
    pub struct RadixPass<W: Copy, V: Copy> {
        input: *const W,
        out: *mut W,
        spare: *mut W,
        values: *const V,
        values_out: *mut V,
        values_spare: *mut V,
        places_out: *mut u64,
        keep_keys: u32,
        len: u64,
        first: u64,
        count: u64,
        coding: u32,
        pass: u32,
        portion: u32,
        portions: u32,
        route: *const u64,
        starts: *const u64,
        next_starts: *mut u64,
        states: *mut u32,
        state_words: u64,
    }
}
