//! The bins of a histogram.

use std::ops::RangeInclusive;
use std::sync::Arc;

use gpu_kernels::histogram::position::Position;
use gpu_kernels::histogram::shapes::Guess as Kind;
use gpu_kernels::{NanGreatest, Rank, RankedNumber, bf16, f16};

use crate::error::Error;
use crate::{float_environment, memory};

/// Most bins: their numbers, and a few more, are 32 bits.
const MOST: usize = 1 << 31;

/// Intervals of numbers, side by side, whose elements a [`Histogram`] counts.
///
/// Bin `i` has the numbers from [`edges`](Self::edges)`[i]` to below `edges[i + 1]`; the last bin also has its upper edge, as in NumPy.
/// Elements are compared with the edges as they are, in their own type, so every backend finds the same bin. Both zeros are equal.
/// Cloning is cheap.
///
/// ```
/// use warpfold::{Bins, Cpu};
///
/// let cpu = Cpu::new();
/// let tenths = Bins::even(0.0..=1.0_f32, 10)?;
/// assert_eq!(cpu.histogram(&tenths, &[0.0, 0.05, 0.7, 1.0])?.counts, [2, 0, 0, 0, 0, 0, 0, 1, 0, 1]);
///
/// let ages = Bins::from_edges(&[0_u8, 18, 65, 120])?;
/// assert_eq!(cpu.histogram(&ages, &[17, 18, 30, 65, 120])?.counts, [1, 2, 2]);
///
/// let dice = Bins::integers(1..=6)?;
/// assert_eq!(cpu.histogram(&dice, &[3, 1, 6, 6, 3, 3])?.counts, [1, 0, 3, 0, 0, 2]);
/// # Ok::<(), warpfold::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Bins<T> {
    /// One more than there are bins.
    edges: Arc<Vec<T>>,
    guess: Guess,
}

/// How an element's bin is guessed, before it is compared with edges.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Guess {
    /// Not at all: the edges are searched.
    Search,
    /// By the distance from the first edge, which is the bin.
    Distance,
    /// By the product of that distance and `scale`, which is the true position to `slack`, less than a half.
    Product { scale: f64, slack: f64 },
}

/// How many elements are in each of some [`Bins`], and how many are in none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Histogram<C = Vec<u64>> {
    /// The number of elements in each bin: a `Vec`, or on a device a `DeviceArray`.
    pub counts: C,
    /// The number of elements below the first bin.
    pub below: u64,
    /// The number of elements above the last bin.
    pub above: u64,
    /// The number of elements that are NaN.
    pub nan: u64,
}

/// A number that bins are made of: an integer or a float of up to 64 bits, or a [`NanGreatest`] float, which is counted as the float.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a number that bins are made of",
    label = "not an integer or a float of up to 64 bits",
    note = "a generic function asks for it: `T: warpfold::BinNumber`"
)]
pub trait BinNumber: RankedNumber + PartialEq {
    /// The float in which a position among even bins is computed.
    #[doc(hidden)]
    type Position: Position;
    /// How kernels compute a position.
    #[doc(hidden)]
    const KIND: Kind;
    /// The greatest error of one rounding to this type: relative, and of the least numbers; 0 for integers.
    #[doc(hidden)]
    const ROUNDING: [f64; 2];

    /// Returns edge `i` of `bins` even bins.
    #[doc(hidden)]
    fn edge(ends: [Self; 2], i: usize, bins: usize) -> Self;
    /// Returns this float, or the distance of an integer above `low`, as f64.
    #[doc(hidden)]
    fn number(self, low: Self) -> f64;
    /// Returns the distance above `low`, which is not greater.
    #[doc(hidden)]
    fn distance(self, low: Self) -> Self::Position;
    /// Returns the distance of an integer above `low`, which is not greater.
    #[doc(hidden)]
    fn steps(self, low: Self) -> u64;
}

macro_rules! integers {
    ($($int:ty as $unsigned:ty: $position:ty;)*) => { $(
        impl BinNumber for $int {
            type Position = $position;
            const KIND: Kind = Kind::Integers;
            const ROUNDING: [f64; 2] = [0.0; 2];
            fn edge([low, high]: [Self; 2], i: usize, bins: usize) -> Self {
                // The least integer that is not below the exact edge.
                let above = (u128::from(high.steps(low)) * i as u128).div_ceil(bins as u128);
                low.wrapping_add(above as $int)
            }
            fn number(self, low: Self) -> f64 {
                self.steps(low) as f64
            }
            #[inline(always)]
            fn distance(self, low: Self) -> $position {
                self.wrapping_sub(low) as $unsigned as $position
            }
            #[inline(always)]
            fn steps(self, low: Self) -> u64 {
                (self.wrapping_sub(low) as $unsigned).into()
            }
        }
    )* };
}
integers! {
    u8 as u8: f32; i8 as u8: f32;
    u16 as u16: f32; i16 as u16: f32;
    u32 as u32: f32; i32 as u32: f32;
    u64 as u64: f64; i64 as u64: f64;
    usize as u64: f64; isize as u64: f64;
}

/// Lines `float as a float for positions, that: kernels' name, errors of a rounding, the rounding of an f64`.
macro_rules! floats {
    ($($float:ty, $x:ident as $number:expr, $position:ty: $kind:ident, $rounding:expr, $least:expr, $round:expr;)*) => { $(
        impl BinNumber for $float {
            type Position = $position;
            const KIND: Kind = Kind::$kind;
            const ROUNDING: [f64; 2] = [$rounding, $least];
            fn edge([low, high]: [Self; 2], i: usize, bins: usize) -> Self {
                if i == bins {
                    return high;
                }
                let [from, to] = [low, high].map(|$x| f64::from($number));
                let edge: Self = $round(from + i as f64 * ((to - from) / bins as f64));
                // A rounded product may be above the end.
                if edge > high { high } else { edge }
            }
            fn number(self, _: Self) -> f64 {
                let $x = self;
                $number.into()
            }
            #[inline(always)]
            fn distance(self, low: Self) -> $position {
                let [own, low] = [self, low].map(|$x| $number);
                own - low
            }
            #[inline(always)]
            fn steps(self, _: Self) -> u64 {
                0
            }
        }
    )* };
}
/// 2 to a negative power.
const fn two_to_minus(power: u32) -> f64 {
    f64::from_bits((1023 - power as u64) << 52)
}
floats! {
    f16, x as f32_of(x), f32: Floats, two_to_minus(11), two_to_minus(25), f16::from_f64;
    bf16, x as f32::from(x), f32: Bfloats, two_to_minus(8), two_to_minus(133), bf16::from_f64;
    f32, x as x, f32: Floats, two_to_minus(24), two_to_minus(149), |x| x as f32;
    f64, x as x, f64: Floats, two_to_minus(53), two_to_minus(1022), |x| x;
}

/// Converts exactly, as vector code.
#[inline(always)]
fn f32_of(x: f16) -> f32 {
    gpu_kernels::CarriedIn::<f32>::few(x)
}

impl<F: BinNumber + bytemuck::Pod> BinNumber for NanGreatest<F> {
    type Position = F::Position;
    const KIND: Kind = F::KIND;
    const ROUNDING: [f64; 2] = F::ROUNDING;
    fn edge(ends: [Self; 2], i: usize, bins: usize) -> Self {
        Self(F::edge(ends.map(|end| end.0), i, bins))
    }
    fn number(self, low: Self) -> f64 {
        self.0.number(low.0)
    }
    #[inline(always)]
    fn distance(self, low: Self) -> F::Position {
        self.0.distance(low.0)
    }
    #[inline(always)]
    fn steps(self, low: Self) -> u64 {
        self.0.steps(low.0)
    }
}

/// Returns the error for bins that cannot be made.
fn refused(why: impl Into<Arc<str>>) -> Error {
    Error::Bins { why: why.into() }
}

/// Returns whether an edge is a number that is not infinite.
fn is_finite<T: BinNumber>(edge: T) -> bool {
    let [least, greatest] = T::numbers();
    if T::IS_FLOAT { least < edge && edge < greatest } else { true }
}

impl<T: BinNumber> Bins<T> {
    /// Returns `bins` bins of equal width in `range`, whose upper end is in the last bin.
    ///
    /// Edge `i` of floats is `low + i * ((high - low) / bins)`, computed in f64 and rounded to the elements' type, and the last edge is
    /// `high`: for f64 these are the edges of `numpy.linspace`. Edges of integers are exact, and rounded up where they are no integers,
    /// which changes no element's bin.
    ///
    /// # Errors
    /// [`Error::Bins`] if there are no bins or more than 2^31, if `low` is not less than `high`, or if one of them is infinite or NaN;
    /// [`Error::TooManyResults`] if there is not enough memory; [`Error::FloatEnvironment`] if this thread does not round to nearest.
    ///
    /// ```
    /// use warpfold::Bins;
    ///
    /// assert_eq!(Bins::even(-1.0..=1.0_f32, 4)?.edges(), [-1.0, -0.5, 0.0, 0.5, 1.0]);
    /// assert_eq!(Bins::even(0..=10, 4)?.edges(), [0, 3, 5, 8, 10]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn even(range: RangeInclusive<T>, bins: usize) -> Result<Self, Error> {
        float_environment::check()?;
        let (low, high) = range.into_inner();
        if !(is_finite(low) && is_finite(high)) {
            return Err(refused(
                "an end of the range is infinite or NaN; give the least and the greatest number",
            ));
        }
        if low.partial_cmp(&high) != Some(std::cmp::Ordering::Less) {
            return Err(refused("the range is empty; give its lower end first"));
        }
        if !(1..=MOST).contains(&bins) {
            return Err(refused(format!("{bins} bins were asked for; ask for 1 to 2^31")));
        }
        let mut edges = memory::with_room(bins + 1)?;
        edges.extend((0..=bins).map(|i| T::edge([low, high], i, bins)));
        Ok(Self { guess: product([low, high], bins), edges: Arc::new(edges) })
    }

    /// Returns the bins between neighbouring `edges`, which ascend. Between equal edges is an empty bin.
    ///
    /// # Errors
    /// [`Error::Bins`] if there are fewer than two edges or more than 2^31, if one is less than the one before it, infinite or NaN;
    /// [`Error::TooManyResults`] if there is not enough memory.
    ///
    /// ```
    /// use warpfold::Bins;
    ///
    /// assert_eq!(Bins::from_edges(&[0.0, 0.5, 2.0])?.len(), 2);
    /// let error = Bins::from_edges(&[0.0, 2.0, 0.5]).unwrap_err();
    /// assert_eq!(error.to_string(), "no such bins: edge 2 is less than the one before it; sort the edges");
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn from_edges(edges: &[T]) -> Result<Self, Error> {
        if !(2..=MOST).contains(&edges.len()) {
            return Err(refused(format!(
                "{} edges were given; give 2 to 2^31: one more than bins",
                edges.len()
            )));
        }
        if let Some(at) = edges.iter().position(|&edge| !is_finite(edge)) {
            return Err(refused(format!(
                "edge {at} is infinite or NaN; leave it out: elements beyond the edges are counted as below and above"
            )));
        }
        if let Some(at) = (1..edges.len()).find(|&at| edges[at] < edges[at - 1]) {
            return Err(refused(format!("edge {at} is less than the one before it; sort the edges")));
        }
        Ok(Self { edges: Arc::new(memory::copied(edges)?), guess: Guess::Search })
    }

    /// Returns a bin for each integer of `range`: the counts of NumPy's `bincount`.
    ///
    /// The last two edges are equal, because the last bin has its upper edge.
    ///
    /// # Errors
    /// [`Error::Bins`] if the range is empty, or has more than 2^31 integers; [`Error::TooManyResults`] if there is not enough memory.
    ///
    /// ```
    /// use warpfold::{Bins, Cpu};
    ///
    /// let bytes = Cpu::new().histogram(&Bins::integers(0..=u8::MAX)?, b"hello")?;
    /// assert_eq!((bytes.counts.len(), bytes.counts[b'l' as usize]), (256, 2));
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn integers(range: RangeInclusive<T>) -> Result<Self, Error>
    where
        T: Ord,
    {
        let (low, high) = range.into_inner();
        if low > high {
            return Err(refused("the range is empty; give its lower end first"));
        }
        let last = high.steps(low);
        if last >= MOST as u64 {
            return Err(refused(format!(
                "the range has more than 2^31 integers ({last} and one); count in wider bins"
            )));
        }
        let mut edges = memory::with_room(last as usize + 2)?;
        let mut rank = low.rank();
        edges.push(low);
        for _ in 0..last {
            rank = rank.above().unwrap_or(rank);
            edges.push(T::from_rank(rank));
        }
        edges.push(high);
        Ok(Self { edges: Arc::new(edges), guess: Guess::Distance })
    }

    /// Returns the number of bins.
    #[must_use]
    pub fn len(&self) -> usize {
        self.edges.len() - 1
    }

    /// Returns whether there are no bins, which is never so.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the edges, one more than there are bins.
    #[must_use]
    pub fn edges(&self) -> &[T] {
        &self.edges
    }

    /// Returns the first and the last edge.
    pub(crate) fn ends(&self) -> [T; 2] {
        [self.edges[0], self.edges[self.edges.len() - 1]]
    }

    /// Returns how a bin is guessed.
    pub(crate) fn guess(&self) -> Guess {
        self.guess
    }

    /// Returns the place of an element that compares with nothing it does not have to: its bin, or one of three places behind the bins.
    pub(crate) fn place(&self, x: T) -> u32 {
        let ([low, high], bins) = (self.ends(), self.len());
        let place = if low <= x && x <= high {
            // The first edge is not above it.
            (self.edges.partition_point(|edge| *edge <= x) - 1).min(bins - 1)
        } else if x < low {
            bins
        } else if x > high {
            bins + 1
        } else {
            bins + 2
        };
        place as u32
    }
}

/// Returns the product that guesses the bin among even ones, if it is near enough to the true position.
///
/// Let u be the error of one rounding of a position. A distance has an error of u, the scale one of 2 u, because it is computed in f64
/// first, and the product one of u: together a little over 4 u of the position, which is at most the number of bins. An edge was rounded to
/// the elements' type, and in f64 before; its error is a share of the greatest edge or, if that is tiny, fixed.
fn product<T: BinNumber>([low, high]: [T; 2], bins: usize) -> Guess {
    let [from, to] = [low, high].map(|end| end.number(low));
    let (bins, width) = (bins as f64, to - from);
    let is_wide = size_of::<T::Position>() == size_of::<f64>();
    let (unit, greatest) =
        if is_wide { (two_to_minus(53), f64::MAX) } else { (two_to_minus(24), f32::MAX.into()) };
    let scale = if is_wide { bins / width } else { f64::from((bins / width) as f32) };
    let is_normal = if is_wide { scale.is_normal() } else { (scale as f32).is_normal() };
    let [rounding, least] = T::ROUNDING;
    let largest = if T::IS_FLOAT { from.abs().max(to.abs()) } else { 0.0 };
    // Of f64 edges, the product and the sum are rounded, too.
    let of_edges = 1.25 * (rounding * largest).max(least) / width * if is_wide { 2.0 } else { 1.0 };
    let slack = bins * (unit * if is_wide { 7.0 } else { 4.25 } + of_edges);
    // The kernels round it to the type of positions.
    let slack = slack * (1.0 + two_to_minus(20));
    if is_normal && width <= greatest && slack < 0.49 {
        Guess::Product { scale, slack }
    } else {
        Guess::Search
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_are_rounded_once() {
        let tenths = Bins::even(0.0..=1.0_f32, 10).unwrap();
        let expected: Vec<f32> =
            "0 0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1".split(' ').map(|x| x.parse().unwrap()).collect();
        assert_eq!(tenths.edges(), expected);
        let tenths = Bins::even(f16::ZERO..=f16::ONE, 10).unwrap();
        assert!(
            tenths.edges().iter().zip(&expected).all(|(found, &expected)| *found == f16::from_f32(expected))
        );
        assert_eq!(Bins::even(i8::MIN..=i8::MAX, 3).unwrap().edges(), [-128, -43, 42, 127]);
        assert_eq!(Bins::even(0..=u64::MAX, 2).unwrap().edges(), [0, 1 << 63, u64::MAX]);
        assert_eq!(Bins::integers(250..=u8::MAX).unwrap().edges(), [250, 251, 252, 253, 254, 255, 255]);
        assert_eq!(Bins::integers(7..=7).unwrap().edges(), [7, 7]);
        assert_eq!(Bins::integers(i64::MIN..=i64::MIN + 1).unwrap().len(), 2);
    }

    #[test]
    fn bins_that_cannot_be_are_refused() {
        let why = |bins: Result<Bins<f64>, Error>| match bins {
            Err(Error::Bins { why }) => why.to_string(),
            other => panic!("{other:?}"),
        };
        for (bins, part) in [
            (Bins::even(0.0..=1.0, 0), "0 bins"),
            (Bins::even(0.0..=1.0, usize::MAX), "1 to 2^31"),
            (Bins::even(1.0..=1.0, 3), "empty"),
            (Bins::even(2.0..=1.0, 3), "empty"),
            (Bins::even(f64::NAN..=1.0, 3), "NaN"),
            (Bins::even(0.0..=f64::INFINITY, 3), "infinite"),
            (Bins::from_edges(&[]), "0 edges"),
            (Bins::from_edges(&[1.0]), "1 edges"),
            (Bins::from_edges(&[0.0, 2.0, 1.0]), "edge 2 is less"),
            (Bins::from_edges(&[0.0, f64::NAN]), "edge 1 is infinite or NaN"),
            (Bins::from_edges(&[f64::NEG_INFINITY, 0.0]), "edge 0 is infinite or NaN"),
        ] {
            let why = why(bins);
            assert!(why.contains(part), "{why}");
        }
        assert!(matches!(Bins::integers(RangeInclusive::new(3, 2)), Err(Error::Bins { .. })));
        assert!(matches!(Bins::integers(0..=u64::MAX), Err(Error::Bins { .. })));
    }

    #[test]
    fn a_product_guesses_where_it_can() {
        let guesses = |bins: Bins<f32>| matches!(bins.guess(), Guess::Product { .. });
        assert!(
            guesses(Bins::even(0.0..=1.0, 256).unwrap()) && guesses(Bins::even(0.0..=1.0, 1 << 20).unwrap())
        );
        // The edges are so near that few floats lie between two, or a position is no float.
        assert!(!guesses(Bins::even(1e6..=1e6 + 1.0, 256).unwrap()));
        assert!(!guesses(Bins::even(f32::MIN..=f32::MAX, 4).unwrap()));
        assert!(!guesses(Bins::even(0.0..=1e-44, 4).unwrap()));
    }
}
