//! The arguments of the kernels that count elements in bins.

cuda_std::arguments! {
    /// Counts elements in bins.
    pub struct Bins<W: Copy> {
        input: *const W,
        len: u64,
        signed: u64,
        all: u64,
        less: u64,
        lows: *const W,
        bins: u32,
        most: u64,
        least_number: u64,
        greatest_number: u64,
        guess: u32,
        low: f64,
        high: f64,
        scale: f64,
        slack: f64,
        counts: *mut u64,
        outside: *mut u64,
    }
}
