//! Medians and other quantiles of the elements of all ranks, by selection.

use gpu_kernels::IsNan;

use super::candidates::{BITS, Candidates};
use crate::cpu::Positions;
use crate::error::Error;
use crate::interpolate::Interpolation;
use crate::memory;
use crate::sort_key::SortKey;
use crate::verb::{self, Backend};
use crate::world::agree::digest;
use crate::world::{Communicator, World, WorldElements};

impl<C: Communicator, X: WorldElements<Element: SortKey>> Backend<verb::Median<X>> for World<C> {
    type Results = <X::Element as SortKey>::Quantile;

    fn run(&self, verb::Median { x }: verb::Median<X>) -> Result<Self::Results, Error> {
        let x = self.known(x.in_host_memory())?;
        self.quantiles_of("median", &x, &[0.5], Interpolation::Linear)?.pop().ok_or(Error::NoElements)
    }
}

impl<C: Communicator, X: WorldElements<Element: SortKey>> Backend<verb::Quantiles<'_, X>> for World<C> {
    type Results = Vec<<X::Element as SortKey>::Quantile>;

    fn run(&self, verb::Quantiles { x, qs, how }: verb::Quantiles<'_, X>) -> Result<Self::Results, Error> {
        self.quantiles_of("quantiles", &self.known(x.in_host_memory())?, qs, how)
    }
}

impl<C: Communicator> World<C> {
    fn quantiles_of<T: SortKey>(
        &self,
        verb: &str,
        part: &[T],
        qs: &[f64],
        how: Interpolation,
    ) -> Result<Vec<T::Quantile>, Error> {
        let bits = self.known(memory::collected(qs.iter().map(|q| q.to_bits())))?;
        let asked = format!("{} with the digest {:x}, {how:?}", qs.len(), digest(&bits));
        let call = format!("{verb}({asked}) of {}", std::any::type_name::<T>());
        // Checked for one element, so that only wrong quantiles are an error here.
        let own = Positions::new(1, qs, how).map(|_| part.len() as u64);
        let cut = self.agree(&call, own)?;
        let wanted = Positions::new(usize::try_from(cut.total()).unwrap_or(usize::MAX), qs, how)?;
        self.together(|| {
            if let Some(nan) = T::NAN {
                let own = self.cpu.count(IsNan, part)?;
                if self.gather::<u64>(&[own], |_| 1)?.iter().flatten().any(|&nans| nans > 0) {
                    return memory::filled(nan, qs.len());
                }
            }
            let positions = wanted.positions();
            let positions: Vec<u64> = memory::collected(positions.iter().map(|&position| position as u64))?;
            let candidates = Candidates::new(&self.cpu, part);
            let found = self.ranks_at::<T::Rank>(&positions, cut.total(), BITS, candidates)?;
            let found: Vec<T> = memory::collected(found.iter().map(|&(rank, _)| T::from_rank(rank)))?;
            wanted.between(&found)
        })
    }
}
