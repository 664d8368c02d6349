//! Medians and other quantiles, by selection.

use gpu_kernels::{Count, IsNan};

use crate::cpu::Cpu;
use crate::error::Error;
use crate::interpolate::{Interpolation, between};
use crate::sort_key::SortKey;
use crate::{float_environment, memory};

impl Cpu {
    /// Returns quantiles of a slice.
    pub(super) fn quantiles_of<T: SortKey>(
        &self,
        x: &[T],
        qs: &[f64],
        how: Interpolation,
    ) -> Result<Vec<T::Quantile>, Error> {
        float_environment::check()?;
        let wanted = Positions::new(x.len(), qs, how)?;
        // `if const`, so that counting is compiled only for floats.
        if const { T::NAN.is_some() }
            && let Some(nan) = T::NAN
            && self.reduce_slice(Count { predicate: IsNan }, x)? > 0
        {
            return memory::filled(nan, qs.len());
        }
        let ranks = self.ranks_at_positions(x, wanted.positions())?;
        wanted.between(&memory::collected(ranks.into_iter().map(T::from_rank))?)
    }
}

/// Requested quantiles, and the positions of their neighbours.
pub(crate) struct Positions {
    /// The position of each quantile's lower neighbour, and the fraction of the way to the next position.
    wanted: Vec<(usize, f64)>,
    positions: Vec<usize>,
}

impl Positions {
    /// Finds the positions of quantiles of `n` elements. Fails if `n` is 0 or a quantile is not from 0 to 1, or without memory.
    pub(crate) fn new(n: usize, qs: &[f64], how: Interpolation) -> Result<Self, Error> {
        if n == 0 {
            return Err(Error::NoElements);
        }
        if let Some(&q) = qs.iter().find(|q| !(0.0..=1.0).contains(*q)) {
            return Err(Error::Quantile { q });
        }
        let wanted = memory::collected(qs.iter().map(|&q| how.position(n, q)))?;
        let mut positions = memory::collected(wanted.iter().flat_map(ends))?;
        positions.sort_unstable();
        positions.dedup();
        Ok(Self { wanted, positions })
    }

    /// Returns the positions, in ascending order.
    pub(crate) fn positions(&self) -> &[usize] {
        &self.positions
    }

    /// Returns the values of the quantiles, from the elements at the positions.
    pub(crate) fn between<T: SortKey>(&self, found: &[T]) -> Result<Vec<T::Quantile>, Error> {
        let mut outs = memory::filled(T::from_f64(0.0), self.wanted.len())?;
        self.write_between(found, &mut outs);
        Ok(outs)
    }

    /// Writes the values of the quantiles, from the elements at the positions.
    pub(crate) fn write_between<T: SortKey>(&self, found: &[T], outs: &mut [T::Quantile]) {
        let at = |position| found[self.positions.partition_point(|&found| found < position)].to_f64();
        for (wanted, out) in self.wanted.iter().zip(outs) {
            let [lower, higher] = ends(wanted).map(at);
            *out = T::from_f64(between(lower, higher, wanted.1));
        }
    }
}

/// Returns the positions of a quantile's two neighbours, or of the element that it equals, twice.
fn ends(&(position, t): &(usize, f64)) -> [usize; 2] {
    [position, position + usize::from(t > 0.0)]
}
