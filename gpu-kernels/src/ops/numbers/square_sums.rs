//! Sums of integers and of their squares, from which a variance follows exactly.

use super::ratio;
use super::spread::Spread;
use super::squares::Squares;
use super::wide::Wide;
use crate::ops::words::Joined;

/// A sum of any number of squares.
trait AllSquares: Copy {
    const NOTHING: Self;
    fn join(left: Self, right: Self) -> Self;
    /// Returns the words, the lowest first.
    fn words(self) -> [u64; 3];
}

/// Of elements of up to 32 bits.
impl AllSquares for u128 {
    const NOTHING: Self = 0;
    #[inline(always)]
    fn join(left: Self, right: Self) -> Self {
        left.wrapping_add(right)
    }
    #[inline(always)]
    fn words(self) -> [u64; 3] {
        [self as u64, (self >> 64) as u64, 0]
    }
}

impl AllSquares for [u64; 3] {
    const NOTHING: Self = [0; 3];
    #[inline(always)]
    fn join(left: Self, right: Self) -> Self {
        Squares::add(left, right)
    }
    #[inline(always)]
    fn words(self) -> [u64; 3] {
        self
    }
}

/// The sum of up to 65,536 numbers, and the sum of their squares, in words that do not overflow, so that loops
/// are vectorised. This takes less than half the time of 128 bits for each number (docs/tuning/cpu.md).
trait FewSums<N>: Copy {
    /// The sums of any number of numbers.
    type All;
    const EMPTY: Self;
    fn plus(self, x: N) -> Self;
    fn added_to(self, all: Self::All) -> Self::All;
}

/// The lower half of a word.
#[inline(always)]
const fn low(word: u64) -> u64 {
    word & u32::MAX as u64
}

/// Lines `number: its type for many`.
macro_rules! few {
    ($($short:ty, $middle:ty, $long:ty: $magnitude:expr;)*) => { $(
        /// Of elements of up to 16 bits.
        impl FewSums<$short> for ($short, u64) {
            type All = Joined<$long, u128>;
            const EMPTY: Self = (0, 0);
            #[inline(always)]
            fn plus(self, x: $short) -> Self {
                (self.0.wrapping_add(x), self.1.wrapping_add(u64::from(x.wrapping_mul(x) as u32)))
            }
            #[inline(always)]
            fn added_to(self, all: Self::All) -> Self::All {
                let (sum, squares) = self;
                Joined { left: Wide::add(all.left, sum as $long), right: Wide::add(all.right, u128::from(squares)) }
            }
        }

        /// Of elements of 32 bits: squares by halves.
        impl FewSums<$middle> for ($middle, [u64; 2]) {
            type All = Joined<$long, u128>;
            const EMPTY: Self = (0, [0; 2]);
            #[inline(always)]
            fn plus(self, x: $middle) -> Self {
                let (sum, [lower, upper]) = self;
                let square = x.wrapping_mul(x) as u64;
                (sum.wrapping_add(x), [lower.wrapping_add(low(square)), upper.wrapping_add(square >> 32)])
            }
            #[inline(always)]
            fn added_to(self, all: Self::All) -> Self::All {
                let (sum, [lower, upper]) = self;
                let squares = u128::from(lower).wrapping_add(u128::from(upper) << 32);
                Joined { left: Wide::add(all.left, sum as $long), right: Wide::add(all.right, squares) }
            }
        }

        /// Of elements of 64 bits: numbers by halves, and the three products of the halves of magnitudes by halves.
        impl FewSums<$long> for ([u64; 2], [u64; 6]) {
            type All = Joined<$long, [u64; 3]>;
            const EMPTY: Self = ([0; 2], [0; 6]);
            #[inline(always)]
            fn plus(self, x: $long) -> Self {
                let ([lower, upper], sums) = self;
                let magnitude: u64 = $magnitude(x);
                let (right, left) = (low(magnitude), magnitude >> 32);
                let (least, middle, most) = (right * right, left * right, left * left);
                let [a, b, c, d, e, f] = sums;
                (
                    [lower.wrapping_add(low(x as u64)), upper.wrapping_add((x >> 32) as u64)],
                    [
                        a.wrapping_add(low(least)),
                        b.wrapping_add(least >> 32),
                        c.wrapping_add(low(middle)),
                        d.wrapping_add(middle >> 32),
                        e.wrapping_add(low(most)),
                        f.wrapping_add(most >> 32),
                    ],
                )
            }
            #[inline(always)]
            fn added_to(self, all: Self::All) -> Self::All {
                let ([lower, upper], sums) = self;
                // The upper halves have a sign.
                let sum = i128::from(lower) + (i128::from(upper as i64) << 32);
                // Each is less than 2^48. They count in units of 1, 2^32, 2^32, 2^64, 2^64 and 2^96; the middle product twice.
                let [a, b, c, d, e, f] = sums.map(u128::from);
                let low = a + ((b + 2 * c) << 32);
                let high = (2 * d + e) + (f << 32) + (low >> 64);
                let squares = [low as u64, high as u64, (high >> 64) as u64];
                Joined { left: Wide::add(all.left, sum as $long), right: Squares::add(all.right, squares) }
            }
        }
    )* };
}
few! {
    i32, i64, i128: |x| (x as i64).unsigned_abs();
    u32, u64, u128: |x| x as u64;
}

/// Returns `len * squares - sum^2`, which is `len` times the sum of the squared distances from the mean. The upper half comes
/// first.
#[inline]
fn centred(len: u64, squares: [u64; 3], sum: u128) -> [u128; 2] {
    let times = |word: u64| u128::from(len) * u128::from(word);
    let (middle, upper) = (times(squares[1]), times(squares[2]));
    let (low, carry) = times(squares[0]).overflowing_add(middle << 64);
    let high = upper.wrapping_add(middle >> 64).wrapping_add(u128::from(carry));
    let (sum_low, sum_high) = (u128::from(sum as u64), sum >> 64);
    let twice = sum_low * sum_high;
    let (square_low, carry) = (sum_low * sum_low).overflowing_add(twice << 65);
    let square_high = (sum_high * sum_high).wrapping_add(twice >> 63).wrapping_add(u128::from(carry));
    let (low, borrow) = low.overflowing_sub(square_low);
    [high.wrapping_sub(square_high).wrapping_sub(u128::from(borrow)), low]
}

/// Lines `type of few, by sums of few: the sum in this type, that of squares in this; how a sum becomes its magnitude`.
macro_rules! integers {
    ($($few:ty, by $sums:ty: $all:ty, $squares:ty; $magnitude:expr;)*) => { $(
        impl Spread for $few {
            type Sums = Joined<$all, $squares>;
            type Batch = (Self::Sums, $sums);
            type Variance = f64;
            const NONE: Self::Sums = Joined { left: 0, right: <$squares as AllSquares>::NOTHING };
            const ASSOCIATIVE: bool = true;
            #[inline(always)]
            fn sums(self) -> Self::Sums {
                Self::end(self.push(Self::begin(Self::NONE)))
            }
            #[inline(always)]
            fn join(left: Self::Sums, right: Self::Sums) -> Self::Sums {
                Joined { left: Wide::add(left.left, right.left), right: AllSquares::join(left.right, right.right) }
            }
            #[inline(always)]
            fn begin(earlier: Self::Sums) -> Self::Batch {
                (earlier, FewSums::<Self>::EMPTY)
            }
            #[inline(always)]
            fn push(self, (earlier, few): Self::Batch) -> Self::Batch {
                (earlier, few.plus(self))
            }
            #[inline(always)]
            fn end((earlier, few): Self::Batch) -> Self::Sums {
                FewSums::<Self>::added_to(few, earlier)
            }
            #[inline]
            fn variance(sums: Self::Sums, len: u64, divisor: u64) -> f64 {
                let centred = centred(len, AllSquares::words(sums.right), $magnitude(sums.left));
                ratio::quotient(centred, u128::from(len) * u128::from(divisor))
            }
            #[inline]
            fn deviation(sums: Self::Sums, len: u64, divisor: u64) -> f64 {
                let centred = centred(len, AllSquares::words(sums.right), $magnitude(sums.left));
                ratio::root_of_quotient(centred, u128::from(len) * u128::from(divisor))
            }
        }
    )* };
}
integers! {
    i32, by (i32, u64): i128, u128; i128::unsigned_abs;
    u32, by (u32, u64): u128, u128; core::convert::identity;
    i64, by (i64, [u64; 2]): i128, u128; i128::unsigned_abs;
    u64, by (u64, [u64; 2]): u128, u128; core::convert::identity;
    i128, by ([u64; 2], [u64; 6]): i128, [u64; 3]; i128::unsigned_abs;
    u128, by ([u64; 2], [u64; 6]): u128, [u64; 3]; core::convert::identity;
}
