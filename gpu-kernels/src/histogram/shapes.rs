//! The shape of launches of histograms: the contract between the kernels and the host.

/// Places beside the bins: below, above, NaN.
pub const OUTSIDE: u32 = 3;

/// Counters of a block of the kernel for few places: 32 KiB.
pub const FEW: u32 = 1 << 13;

/// Threads of a block of the kernels for few places, and for any number.
pub const HISTOGRAM_THREADS: u32 = 512;

/// Blocks of [`HISTOGRAM_THREADS`] per multiprocessor. To be measured: 1, 2 and 3. For `select`'s digits, which count in the
/// same way, 2 are the best (docs/tuning/gpu.md).
pub const HISTOGRAM_BLOCKS: u32 = 2;

/// Threads of a block of the kernel with counters of two bytes, which takes a multiprocessor for itself.
pub const HALVES_THREADS: u32 = 1024;

/// Tiles of such a block after which its threads wait for each other.
pub const HALVES_TILES: u32 = 2;

/// A counter of two bytes is emptied when it has counted as many.
pub const FULL: u32 = 1 << 12;

/// Returns whether one more fills a counter of two bytes: the lowest two bytes of `before` are its value.
#[must_use]
pub const fn fills(before: u32) -> bool {
    before % FULL == FULL - 1
}

/// Returns how many counters each of `places` has in a block, as a power of two: at most one for each lane of a warp.
#[must_use]
pub const fn copies_log2(places: u32) -> u32 {
    let mut log2 = 5;
    while log2 > 0 && places > FEW >> log2 {
        log2 -= 1;
    }
    log2
}

/// Returns the bytes of shared memory for `places` counters of two bytes each.
#[must_use]
pub const fn halves_bytes(places: u32) -> u32 {
    places.div_ceil(2).saturating_mul(4)
}

/// How a kernel guesses the bin of an element: a parameter, because it is one branch for all threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Guess {
    /// It searches the bins.
    Search,
    /// The distance of the rank above the first bin is the bin.
    Distance,
    /// By a product with that distance.
    Integers,
    /// By a product with the distance of floats, f16 if they have 16 bits.
    Floats,
    /// By a product with the distance of bf16.
    Bfloats,
}

impl Guess {
    /// Returns the guess of a parameter.
    #[must_use]
    pub const fn of(parameter: u32) -> Self {
        match parameter {
            1 => Self::Distance,
            2 => Self::Integers,
            3 => Self::Floats,
            4 => Self::Bfloats,
            _ => Self::Search,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_counters_of_all_places_fit() {
        for places in (4..=FEW).chain([1 << 20, u32::MAX]) {
            let copies = 1 << copies_log2(places);
            let counters = u64::from(places) * copies;
            assert!(places > FEW || counters <= FEW.into());
            assert!(copies == 32 || 2 * counters > FEW.into(), "{places}");
        }
        assert_eq!((copies_log2(19), copies_log2(259), copies_log2(4099)), (5, 4, 0));
        assert_eq!((halves_bytes(4), halves_bytes(5), halves_bytes(65_539)), (8, 12, 131_080));
    }

    /// All elements between two barriers, of tiles and outside, are in one bin, and every thread empties last.
    #[test]
    fn a_counter_of_two_bytes_never_overflows() {
        let most = (HALVES_TILES + 1) * (16 * HALVES_THREADS + 16);
        let (mut counter, mut sum, mut counted) = (0_u32, 0_u64, 0_u64);
        for period in 0..20 {
            let mut filled = 0;
            for _ in 0..most - period % 7 {
                filled += u32::from(fills(counter));
                counter += 1;
                counted += 1;
            }
            assert!(counter < 1 << 16, "{counter} in period {period}");
            counter -= filled * FULL;
            sum += u64::from(filled * FULL);
            assert!(counter < FULL && sum + u64::from(counter) == counted);
        }
    }

    #[test]
    fn a_guess_is_its_parameter() {
        for guess in [Guess::Search, Guess::Distance, Guess::Integers, Guess::Floats, Guess::Bfloats] {
            assert_eq!(Guess::of(guess as u32), guess);
        }
    }
}
