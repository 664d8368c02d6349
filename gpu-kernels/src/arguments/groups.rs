//! The arguments of the kernels over groups and runs.

cuda_std::arguments! {
    /// Counts elements by each digit of their groups' ids.
    pub struct Histogram {
        ids: *const u8,
        id_bytes: u32,
        len: u64,
        portion: u64,
        passes: u32,
        bits: u32,
        groups: u64,
        first_bad: *mut u64,
        copy: *mut u8,
        copy_bytes: u32,
        out: *mut u64,
    }

    /// Moves elements in the order of a digit of their groups' ids.
    pub struct Scatter<W: Copy> {
        ids: *const u8,
        id_bytes: u32,
        elements: *const W,
        len: u64,
        shift: u32,
        bits: u32,
        starts: *const u64,
        excess: u64,
        next_starts: *mut u64,
        states: *mut u32,
        ids_out: *mut u8,
        id_out_bytes: u32,
        out: *mut W,
        out_len: u64,
        sizes: *mut u64,
        groups: u64,
    }

    /// Writes the numbers of places at equal distances.
    pub struct Places {
        out: *mut u8,
        bytes: u32,
        len: u64,
        step: u64,
        most: u64,
    }

    /// Copies the elements at some places.
    pub struct Gather<W: Copy> {
        input: *const W,
        len: u64,
        places: *const u8,
        place_bytes: u32,
        count: u64,
        words: u32,
        out: *mut W,
    }

    /// Sums the integers of each block's portion.
    pub struct Totals {
        input: *const u64,
        len: u64,
        portion: u64,
        totals: *mut u64,
    }

    /// Replaces each integer by the sum of those before it.
    pub struct Sums {
        cells: *mut u64,
        len: u64,
        portion: u64,
        before: *const u64,
    }

    /// Counts the runs of equal keys.
    pub struct CountRuns<W: Copy> {
        keys: *const W,
        len: u64,
        portion: u64,
        counts: *mut u64,
    }

    /// Writes the starts of the runs, and their keys.
    pub struct WriteRuns<W: Copy> {
        keys: *const W,
        len: u64,
        portion: u64,
        before: *const u64,
        offsets: *mut u64,
        of_runs: *mut W,
        count: u64,
    }
}
