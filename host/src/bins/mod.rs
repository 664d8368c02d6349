//! The bins of a histogram.

mod guess;
mod number;

use std::ops::RangeInclusive;
use std::sync::Arc;

use gpu_kernels::Rank;

pub(crate) use self::guess::Guess;
use self::guess::product;
pub use self::number::BinNumber;
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
    /// `high`: for f64 these are the edges of `numpy.linspace`. Edges of integers are computed exactly. An edge that is not an integer
    /// is rounded up; this changes no element's bin.
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
        if !(high.number(low) - low.number(low)).is_finite() {
            return Err(refused("the range is wider than the greatest f64; give the edges"));
        }
        if !(1..=MOST).contains(&bins) {
            return Err(refused(format!("{bins} bins were asked for; ask for 1 to 2^31")));
        }
        let mut edges = memory::with_room(bins + 1)?;
        edges.extend((0..=bins).map(|i| T::edge([low, high], i, bins)));
        Ok(Self { guess: product([low, high], bins), edges: Arc::new(edges) })
    }

    /// Returns the bins between neighbouring `edges`, which ascend. Between equal edges is an empty bin. The edges of [`even`](Self::even)
    /// bins are recognized, and their elements counted as fast.
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
        Ok(Self { guess: Guess::of_edges(edges), edges: Arc::new(memory::copied(edges)?) })
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

    /// Returns `false`: there is at least one bin.
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

    /// Returns the place of an element by a search of the edges: its bin, or one of three places behind the bins.
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

#[cfg(test)]
mod tests {
    use gpu_kernels::f16;

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
            (Bins::even(-1e308..=1e308, 3), "wider"),
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
        // Few floats lie between two edges, or a position is not a float.
        assert!(!guesses(Bins::even(1e6..=1e6 + 1.0, 256).unwrap()));
        assert!(!guesses(Bins::even(f32::MIN..=f32::MAX, 4).unwrap()));
        assert!(!guesses(Bins::even(0.0..=1e-44, 4).unwrap()));
        // Edges say by themselves that they are even.
        let even = Bins::even(-3.0..=1.0_f32, 30).unwrap();
        assert_eq!(Bins::from_edges(even.edges()).unwrap().guess(), even.guess());
        let mut edges = even.edges().to_vec();
        edges[7] = edges[7].next_up();
        assert!(guesses(even) && !guesses(Bins::from_edges(&edges).unwrap()));
        assert!(!guesses(Bins::from_edges(&[1.0, 1.0]).unwrap()));
    }
}
