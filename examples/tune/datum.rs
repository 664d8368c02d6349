//! The elements to reduce: different at every index, so that a wrong order or a missing element changes the
//! result.

use warpfold::Element;

/// An element type with generated elements.
pub(crate) trait Datum: Element {
    /// Its name.
    const NAME: &'static str;
    /// The element for 64 random bits.
    fn of(random: u64) -> Self;
}

macro_rules! integers {
    ($($int:ty),*) => { $(
        impl Datum for $int {
            const NAME: &'static str = stringify!($int);
            fn of(random: u64) -> Self {
                random as Self
            }
        }
    )* };
}
integers!(i32, u32, i64, u64);

/// The most that a float differs from 1 or -1: so little that a product of 2^30 floats neither overflows nor
/// vanishes, while products and sums, whose terms cancel, are rounded at every step.
const OFF_ONE: f64 = 1.0 / 4096.0;

macro_rules! floats {
    ($($float:ty),*) => { $(
        impl Datum for $float {
            const NAME: &'static str = stringify!($float);
            fn of(random: u64) -> Self {
                let sign = if random & 1 == 0 { 1.0 } else { -1.0 };
                let off = (random >> 11) as f64 / (1_u64 << 52) as f64 - 1.0;
                (sign * (1.0 + OFF_ONE * off)) as Self
            }
        }
    )* };
}
floats!(f32, f64);

/// Elements 0 to `n` - 1, in a sequence that is the same everywhere: a Weyl sequence, mixed by the output
/// function of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
pub(crate) fn make<T: Datum>(n: usize) -> Vec<T> {
    let scrambled = |index: u64| {
        let mut x = index.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    };
    (1..=n as u64).map(|index| T::of(scrambled(index))).collect()
}
