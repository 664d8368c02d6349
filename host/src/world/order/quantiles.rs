//! Medians and other quantiles of the elements of all ranks, by selection.

use gpu_kernels::IsNan;

use super::candidates::{BITS, Candidates};
use crate::cpu::Quantiles;
use crate::world::agree::digest;
use crate::world::{Communicator, World, WorldElements, memory};
use crate::{Error, Interpolate, Interpolation};

impl<C: Communicator> World<C> {
    /// Returns the middle of the sorted elements of all ranks, or the midpoint of the two middle ones:
    /// [`Cpu::median`](crate::Cpu::median) of the whole. Every rank gets it.
    ///
    /// # Errors
    /// As [`quantiles`](Self::quantiles).
    ///
    /// ```
    /// use std::thread;
    /// use warpfold::World;
    ///
    /// let parts = [vec![5.0f32, 1.0], vec![2.0]];
    /// let medians = thread::scope(|scope| {
    ///     let ranks = World::threads(2).into_iter().zip(&parts);
    ///     let ranks: Vec<_> = ranks.map(|(world, part)| scope.spawn(move || world.median(part))).collect();
    ///     ranks.into_iter().map(|rank| rank.join().unwrap()).collect::<Result<Vec<_>, _>>()
    /// })?;
    /// assert_eq!(medians, [2.0; 2]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn median<X: WorldElements<Element: Interpolate>>(
        &self,
        part: X,
    ) -> Result<<X::Element as Interpolate>::Out, Error> {
        let x = self.known(part.in_host_memory())?;
        self.quantiles_of("median", &x, &[0.5], Interpolation::Linear)?.pop().ok_or(Error::NoElements)
    }

    /// Returns quantiles of the elements of all ranks: [`Cpu::quantiles`](crate::Cpu::quantiles) of the whole. Every
    /// rank gets them. All ranks must ask for the same quantiles. Works by counting; only the last few candidates are
    /// sent.
    ///
    /// # Errors
    /// [`Error::NoElements`] if all parts are empty; [`Error::Quantile`] if a quantile is not from 0 to 1;
    /// [`Error::Rank`] and [`Error::WorldClosed`] as [`World`] says; [`Error::FloatEnvironment`] as
    /// [`Cpu::quantiles`](crate::Cpu::quantiles).
    ///
    /// ```
    /// use std::thread;
    /// use warpfold::{Interpolation, World};
    ///
    /// let parts = [[40, 10], [30, 20]];
    /// let quartiles = thread::scope(|scope| {
    ///     let ranks = World::threads(2).into_iter().zip(&parts);
    ///     let ranks: Vec<_> = ranks
    ///         .map(|(world, x)| scope.spawn(move || world.quantiles(x, &[0.25, 0.75], Interpolation::Linear)))
    ///         .collect();
    ///     ranks.into_iter().map(|rank| rank.join().unwrap()).collect::<Result<Vec<_>, _>>()
    /// })?;
    /// assert_eq!(quartiles, [[17.5, 32.5]; 2]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn quantiles<X: WorldElements<Element: Interpolate>>(
        &self,
        part: X,
        qs: &[f64],
        how: Interpolation,
    ) -> Result<Vec<<X::Element as Interpolate>::Out>, Error> {
        self.quantiles_of("quantiles", &self.known(part.in_host_memory())?, qs, how)
    }

    fn quantiles_of<T: Interpolate>(
        &self,
        verb: &str,
        part: &[T],
        qs: &[f64],
        how: Interpolation,
    ) -> Result<Vec<T::Out>, Error> {
        let bits = self.known(memory::collected(qs.len(), qs.iter().map(|q| q.to_bits())))?;
        let asked = format!("{} with the digest {:x}, {how:?}", qs.len(), digest(&bits));
        let call = format!("{verb}({asked}) of {}", std::any::type_name::<T>());
        // Checked for one element, so that only wrong quantiles are an error here.
        let own = Quantiles::new(1, qs, how).map(|_| part.len() as u64);
        let cut = self.agree(&call, own)?;
        let wanted = Quantiles::new(usize::try_from(cut.total()).unwrap_or(usize::MAX), qs, how)?;
        self.together(|| {
            if let Some(nan) = T::NAN {
                let own = self.cpu.count(IsNan, part)?;
                if self.gather::<u64>(&[own], |_| 1)?.iter().flatten().any(|&nans| nans > 0) {
                    return memory::filled(nan, qs.len());
                }
            }
            let positions = wanted.positions();
            let positions: Vec<u64> =
                memory::collected(positions.len(), positions.iter().map(|&position| position as u64))?;
            let candidates = Candidates::new(&self.cpu, part);
            let found = self.ranks_at::<T::Rank>(&positions, cut.total(), BITS, candidates)?;
            let found: Vec<T> =
                memory::collected(found.len(), found.iter().map(|&(rank, _)| T::from_rank(rank)))?;
            wanted.between(&found)
        })
    }
}
