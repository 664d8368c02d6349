//! Sums of integers and of their squares, from which a variance follows exactly.

use super::ratio;
use super::spread::Spread;
use super::squares::Squares;
use super::wide::Wide;
use crate::op::Accumulator;
use crate::ops::words::Joined;

/// A sum of few squares.
trait SquareSum: Copy {
    /// The square of an element.
    type Square;
    /// The type that carries the sum of any number of squares.
    type All: Accumulator;
    /// The sum of none.
    const EMPTY: Self;
    /// The sum of none, in `All`.
    const ALL_EMPTY: Self::All;
    /// Adds a square.
    fn plus(self, square: Self::Square) -> Self;
    /// Adds this sum to that of all.
    fn added_to(self, all: Self::All) -> Self::All;
    /// Adds two sums.
    fn add_all(left: Self::All, right: Self::All) -> Self::All;
    /// Returns the words of a sum, the lowest first.
    fn words(all: Self::All) -> [u64; 3];
}

/// Of elements of up to 16 bits.
impl SquareSum for u64 {
    type Square = u32;
    type All = u128;
    const EMPTY: Self = 0;
    const ALL_EMPTY: u128 = 0;
    #[inline(always)]
    fn plus(self, square: u32) -> Self {
        self.wrapping_add(Self::from(square))
    }
    #[inline(always)]
    fn added_to(self, all: u128) -> u128 {
        all.wrapping_add(u128::from(self))
    }
    #[inline(always)]
    fn add_all(left: u128, right: u128) -> u128 {
        left.wrapping_add(right)
    }
    #[inline(always)]
    fn words(all: u128) -> [u64; 3] {
        [all as u64, (all >> 64) as u64, 0]
    }
}

/// Of elements of 32 bits: the sum of the lower halves of squares, and that of the upper halves.
impl SquareSum for [u64; 2] {
    type Square = u64;
    type All = u128;
    const EMPTY: Self = [0; 2];
    const ALL_EMPTY: u128 = 0;
    #[inline(always)]
    fn plus(self, square: u64) -> Self {
        [self[0].wrapping_add(square & u64::from(u32::MAX)), self[1].wrapping_add(square >> 32)]
    }
    #[inline(always)]
    fn added_to(self, all: u128) -> u128 {
        all.wrapping_add(u128::from(self[0])).wrapping_add(u128::from(self[1]) << 32)
    }
    #[inline(always)]
    fn add_all(left: u128, right: u128) -> u128 {
        left.wrapping_add(right)
    }
    #[inline(always)]
    fn words(all: u128) -> [u64; 3] {
        u64::words(all)
    }
}

/// Of elements of 64 bits, by halves as well.
impl SquareSum for [u128; 2] {
    type Square = u128;
    type All = [u64; 3];
    const EMPTY: Self = [0; 2];
    const ALL_EMPTY: [u64; 3] = [0; 3];
    #[inline(always)]
    fn plus(self, square: u128) -> Self {
        [self[0].wrapping_add(square & u128::from(u64::MAX)), self[1].wrapping_add(square >> 64)]
    }
    #[inline(always)]
    fn added_to(self, all: [u64; 3]) -> [u64; 3] {
        let [low, high] = self;
        let middle = (low >> 64) + u128::from(high as u64);
        let high = ((high >> 64) as u64).wrapping_add((middle >> 64) as u64);
        Squares::add(all, [low as u64, middle as u64, high])
    }
    #[inline(always)]
    fn add_all(left: [u64; 3], right: [u64; 3]) -> [u64; 3] {
        Squares::add(left, right)
    }
    #[inline(always)]
    fn words(all: [u64; 3]) -> [u64; 3] {
        all
    }
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

/// Lines `type of few in type of all, squares of few in squares of all: how a sum becomes its magnitude`.
macro_rules! integers {
    ($($few:ty, in $all:ty; $squares:ty, in $all_squares:ty: $magnitude:expr;)*) => { $(
        impl Spread for $few {
            type Sums = Joined<$all, $all_squares>;
            type Batch = (Self::Sums, $few, $squares);
            type Variance = f64;
            const NONE: Self::Sums = Joined { left: 0, right: <$squares>::ALL_EMPTY };
            const ASSOCIATIVE: bool = true;
            #[inline(always)]
            fn sums(self) -> Self::Sums {
                Self::end(self.push(Self::begin(Self::NONE)))
            }
            #[inline(always)]
            fn join(left: Self::Sums, right: Self::Sums) -> Self::Sums {
                Joined { left: Wide::add(left.left, right.left), right: <$squares>::add_all(left.right, right.right) }
            }
            #[inline(always)]
            fn begin(earlier: Self::Sums) -> Self::Batch {
                (earlier, 0, <$squares>::EMPTY)
            }
            #[inline(always)]
            fn push(self, (earlier, sum, squares): Self::Batch) -> Self::Batch {
                let square = self.wrapping_mul(self) as <$squares as SquareSum>::Square;
                (earlier, sum.wrapping_add(self), squares.plus(square))
            }
            #[inline(always)]
            fn end((earlier, sum, squares): Self::Batch) -> Self::Sums {
                Joined { left: Wide::add(earlier.left, sum as $all), right: squares.added_to(earlier.right) }
            }
            #[inline]
            fn variance(sums: Self::Sums, len: u64, divisor: u64) -> f64 {
                let centred = centred(len, <$squares>::words(sums.right), $magnitude(sums.left));
                ratio::quotient(centred, u128::from(len) * u128::from(divisor))
            }
            #[inline]
            fn deviation(sums: Self::Sums, len: u64, divisor: u64) -> f64 {
                let centred = centred(len, <$squares>::words(sums.right), $magnitude(sums.left));
                ratio::root_of_quotient(centred, u128::from(len) * u128::from(divisor))
            }
        }
    )* };
}
integers! {
    i32, in i128; u64, in u128: i128::unsigned_abs;
    u32, in u128; u64, in u128: core::convert::identity;
    i64, in i128; [u64; 2], in u128: i128::unsigned_abs;
    u64, in u128; [u64; 2], in u128: core::convert::identity;
    i128, in i128; [u128; 2], in [u64; 3]: i128::unsigned_abs;
    u128, in u128; [u128; 2], in [u64; 3]: core::convert::identity;
}
