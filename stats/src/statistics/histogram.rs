//! A histogram of bins of equal width, counted on the CPU.

use std::cmp::Ordering;

use warpfold::{Bins, Cpu};

use crate::failure::Failure;
use crate::numbers::numeric::Numeric;
use crate::numbers::value::Value;

/// The numbers of elements in each bin, and in none.
pub(crate) struct Histogram {
    /// One more than there are bins. None if no element is a finite number.
    pub(crate) edges: Vec<Value>,
    pub(crate) counts: Vec<u64>,
    /// Elements that are negative infinity.
    pub(crate) below: u64,
    /// Elements that are infinity.
    pub(crate) above: u64,
    pub(crate) nan: u64,
}

/// Counts the elements of `x` in `bins` bins from the least finite element to the greatest; in one if these are equal. `extremes` are
/// the least and the greatest element.
pub(crate) fn count<T: Numeric>(
    cpu: &Cpu,
    x: &[T],
    bins: usize,
    extremes: Option<[T; 2]>,
) -> Result<Histogram, Failure> {
    let ends = match extremes {
        Some(ends) if ends.iter().all(|&end| is_finite(end)) => Some(ends),
        _ => finite_ends(x),
    };
    // Without a finite number all are outside of any bin.
    let bins = match ends {
        Some([low, high]) if low < high => Bins::even(low..=high, bins)?,
        Some(ends) => Bins::from_edges(&ends)?,
        None => Bins::from_edges(&[T::ZERO; 2])?,
    };
    let warpfold::Histogram { counts, below, above, nan } = cpu.histogram(&bins, x)?;
    let (edges, counts) = match ends {
        Some(_) => (bins.edges().iter().map(|&edge| edge.into()).collect(), counts),
        None => (Vec::new(), Vec::new()),
    };
    Ok(Histogram { edges, counts, below, above, nan })
}

fn is_finite<T: Numeric>(x: T) -> bool {
    let value: Value = x.into();
    value.is_finite()
}

fn finite_ends<T: Numeric>(x: &[T]) -> Option<[T; 2]> {
    let finite = || x.iter().copied().filter(|&x| is_finite(x));
    let order = |a: &T, b: &T| a.partial_cmp(b).unwrap_or(Ordering::Equal);
    Some([finite().min_by(order)?, finite().max_by(order)?])
}
