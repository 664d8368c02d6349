//! Guesses of an element's bin, by arithmetic that is rounded, and how far they may err.

use half::f16;

use super::position::Position;
use crate::ops::CarriedIn;
use crate::select::keys::Key;

/// A guess of the bin of a word.
pub(super) trait Guess<W>: Copy {
    /// Whether there is no guess, so that the bins are searched.
    const SEARCHES: bool = false;
    /// Returns a bin and `true`, if the word certainly is in that bin; else `false` and the number of the bin whose lower end is
    /// nearest, if it is within the bins.
    fn guess(self, word: W) -> (u32, bool);
}

/// No guess.
#[derive(Clone, Copy)]
pub(super) struct Search;

impl<W> Guess<W> for Search {
    const SEARCHES: bool = true;
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn guess(self, _: W) -> (u32, bool) {
        (0, false)
    }
}

/// The distance above the first bin is the bin: one for each integer.
#[derive(Clone, Copy)]
pub(super) struct Distance<W> {
    /// The bits to flip, which makes ranks of words.
    pub(super) all: W,
    /// The first bin's rank.
    pub(super) low: W,
    /// The last bin.
    pub(super) last: u32,
}

impl<W: Key> Guess<W> for Distance<W> {
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn guess(self, word: W) -> (u32, bool) {
        let distance: u64 = word.xor(self.all).distance_from(self.low).into();
        (distance as u32, distance <= u64::from(self.last))
    }
}

/// A word as a number.
pub trait Numeric: Key {
    /// The float for positions: f32, and f64 for words of 8 bytes.
    type Position: Position;
    /// Converts an integer.
    fn integer(self) -> Self::Position;
    /// Converts the float of this size, f16 if it has 16 bits.
    fn float(self) -> Self::Position;
    /// Converts a bf16.
    fn bfloat(self) -> Self::Position;
}

/// Lines `word: float for positions, float of a word, bf16 of a word`.
macro_rules! words {
    ($($word:ty: $position:ty, $float:expr, $bfloat:expr;)*) => { $(
        impl Numeric for $word {
            type Position = $position;
            #[cfg_attr(target_arch = "nvptx64", inline(always))]
            fn integer(self) -> $position {
                self as $position
            }
            #[cfg_attr(target_arch = "nvptx64", inline(always))]
            fn float(self) -> $position {
                $float(self)
            }
            #[cfg_attr(target_arch = "nvptx64", inline(always))]
            fn bfloat(self) -> $position {
                $bfloat(self)
            }
        }
    )* };
}
words! {
    // There are no floats of 8 bits, and bf16 has 16.
    u8: f32, f32::from, f32::from;
    u16: f32, short, |word| f32::from_bits(u32::from(word) << 16);
    u32: f32, f32::from_bits, f32::from_bits;
    u64: f64, f64::from_bits, f64::from_bits;
}

/// Converts an f16.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn short(word: u16) -> f32 {
    CarriedIn::<f32>::few(f16::from_bits(word))
}

/// What a product with a distance needs.
#[derive(Clone, Copy)]
pub(super) struct Scale<P> {
    /// Bins in a distance of 1.
    pub(super) scale: P,
    /// How far a position may be from the true one, less than a half.
    pub(super) slack: P,
}

impl<P: Position> Scale<P> {
    /// Guesses by a distance, which is within the bins if `is_inside`.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn guess(self, distance: P, is_inside: bool) -> (u32, bool) {
        let (nearest, is_less, is_far) = distance.nearest(self.scale, self.slack);
        if is_inside && is_far { (nearest - u32::from(is_less), true) } else { (nearest, false) }
    }
}

/// Even bins of integers.
#[derive(Clone, Copy)]
pub(super) struct Integers<W: Numeric> {
    /// The bits to flip, which makes ranks of words.
    pub(super) all: W,
    /// The first rank.
    pub(super) low: W,
    /// The distance of the last rank above the first.
    pub(super) span: W,
    pub(super) scale: Scale<W::Position>,
}

impl<W: Numeric> Guess<W> for Integers<W> {
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn guess(self, word: W) -> (u32, bool) {
        let distance = word.xor(self.all).distance_from(self.low);
        self.scale.guess(distance.integer(), distance <= self.span)
    }
}

/// Even bins of floats.
#[derive(Clone, Copy)]
pub(super) struct Floats<W: Numeric> {
    /// The first bin's lower end, and the last one's upper end.
    pub(super) ends: [W::Position; 2],
    pub(super) scale: Scale<W::Position>,
}

impl<W: Numeric> Guess<W> for Floats<W> {
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn guess(self, word: W) -> (u32, bool) {
        of_float(word.float(), self.ends, self.scale)
    }
}

/// Even bins of bf16.
#[derive(Clone, Copy)]
pub(super) struct Bfloats<W: Numeric> {
    /// As in [`Floats`].
    pub(super) ends: [W::Position; 2],
    pub(super) scale: Scale<W::Position>,
}

impl<W: Numeric> Guess<W> for Bfloats<W> {
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn guess(self, word: W) -> (u32, bool) {
        of_float(word.bfloat(), self.ends, self.scale)
    }
}

#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn of_float<P: Position>(number: P, [low, high]: [P; 2], scale: Scale<P>) -> (u32, bool) {
    scale.guess(number.less(low), number.within(low, high))
}
