//! Folds arrays of all ranks element by element.
//!
//! Each rank folds its share of the positions, whose elements the others send. A communicator's own reduction is not used,
//! because its order would depend on the topology.

use bytemuck::CheckedBitPattern;
use gpu_kernels::{Element, Op};

use super::agree::call;
use super::cut::Cut;
use super::exchange::garbled;
use super::{
    Communicator, World, WorldAllReduce, WorldElements, WorldInPlace, WorldOutputs, WorldReduceScatter,
    bytes, memory,
};
use crate::Error;
use crate::cpu::empty_results;

/// Why no element of an array may be missing.
const BY_POSITION: &str = "the arrays of all ranks are folded position by position: replace what is missing";

impl<C: Communicator> World<C> {
    /// Folds the arrays of all ranks element by element: every rank's `x[i]` becomes the reduction of the `x[i]` of all
    /// ranks. All arrays have the same length. The results replace `x`, or are a new array on its device
    /// ([`WorldInPlace`]).
    ///
    /// Arrays on devices need an operator with kernels. They pass through host memory, unless the communicator is `Nccl`
    /// (feature `cuda`): it moves them from device to device, and the devices fold.
    ///
    /// The elements at each position are folded in pairs of neighbouring ranks, then the results in pairs, and so on; an
    /// unpaired one moves up unchanged. The index of an element is its rank. The bits thus depend on the ranks' values
    /// and their order alone, not on the array's length, the communicator or the topology.
    ///
    /// The results have the elements' type. [`SumIn`](crate::SumIn) adds integers in their own type; for operators with
    /// results of another type use [`reduce_scatter`](Self::reduce_scatter).
    ///
    /// # Errors
    /// [`Error::Rank`] and [`Error::WorldClosed`] as [`World`] says, also if the arrays' lengths differ;
    /// [`Error::FloatEnvironment`] if a thread that folds does not round to nearest or flushes subnormal numbers;
    /// [`Error::Nccl`] if NCCL fails, or another rank is late, and then [`Error::WorldClosed`]. After
    /// an error `x` is unchanged, unless it is on a device that fails.
    ///
    /// ```
    /// use std::thread;
    /// use warpfold::{Sum, World};
    ///
    /// let gradients = [[1.0f32, 10.0], [2.0, 20.0], [4.0, 40.0]];
    /// let sums = thread::scope(|scope| {
    ///     let ranks = World::threads(3).into_iter().zip(gradients);
    ///     let add = |(world, mut x): (World<_>, [f32; 2])| {
    ///         scope.spawn(move || world.all_reduce(Sum, &mut x).map(|()| x))
    ///     };
    ///     let ranks: Vec<_> = ranks.map(add).collect();
    ///     ranks.into_iter().map(|rank| rank.join().unwrap()).collect::<Result<Vec<_>, _>>()
    /// })?;
    /// assert_eq!(sums, [[7.0, 70.0]; 3]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn all_reduce<X: WorldAllReduce<O>, O>(&self, op: O, x: X) -> Result<X::Replaced, Error> {
        x.all_reduce_in(self, op)
    }

    /// Does [`all_reduce`](Self::all_reduce) in host memory.
    pub(crate) fn all_reduce_on_host<X, O>(&self, op: O, x: X) -> Result<X::Replaced, Error>
    where
        X: WorldInPlace<Element: CheckedBitPattern>,
        O: Op<X::Element, Out = X::Element>,
    {
        let own = self.known(x.in_host_memory())?;
        self.agree_on_host::<X::Element, O>("all_reduce", own.len())?;
        let all = self.together(|| {
            let x = &own[..];
            let share = self.fold_share(op, x)?;
            let cut = Cut::evenly(x.len() as u64, self.size());
            let mut all = memory::room(x.len())?;
            for (rank, sent) in self.all_gather(bytes::of(&share))?.iter().enumerate() {
                if sent.len() != cut.len(rank) * size_of::<X::Element>() {
                    return Err(garbled(rank));
                }
                bytes::elements(rank, sent, &mut all)?;
            }
            Ok(all)
        })?;
        drop(own);
        x.replace(&all)
    }

    /// Does [`all_reduce`](Self::all_reduce), but each rank gets only its share of the results: rank `r` of `p` gets
    /// those at the positions from `r * len / p` to `(r + 1) * len / p`, rounded down. The results may have any type.
    ///
    /// # Errors
    /// As [`all_reduce`](Self::all_reduce); [`Error::Missing`] if an element of `x` is missing;
    /// [`Error::TooManyResults`] if there is not enough memory for the outputs.
    ///
    /// ```
    /// use std::thread;
    /// use warpfold::{Max, World};
    ///
    /// let arrays = [[3, 1, 4], [1, 5, 9]];
    /// let shares = thread::scope(|scope| {
    ///     let ranks = World::threads(2).into_iter().zip(&arrays);
    ///     let ranks: Vec<_> = ranks.map(|(world, x)| scope.spawn(move || world.reduce_scatter(Max, x))).collect();
    ///     ranks.into_iter().map(|rank| rank.join().unwrap()).collect::<Result<Vec<_>, _>>()
    /// })?;
    /// assert_eq!(shares, [vec![Some(3)], vec![Some(5), Some(9)]]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn reduce_scatter<X: WorldReduceScatter<O>, O>(&self, op: O, x: X) -> Result<X::Shares, Error> {
        x.reduce_scatter_in(self, op)
    }

    /// Does [`reduce_scatter`](Self::reduce_scatter) in host memory.
    pub(crate) fn reduce_scatter_on_host<T, X, O>(&self, op: O, x: X) -> Result<X::Outs, Error>
    where
        T: Element + CheckedBitPattern,
        X: WorldElements<Element = T> + WorldOutputs<<O as Op<T>>::Out>,
        O: Op<T>,
    {
        let own = self.known(x.in_host_memory())?;
        let own = self.known(own.whole(BY_POSITION))?;
        self.agree_on_host::<T, O>("reduce_scatter", own.len())?;
        let share = self.together(|| self.fold_share(op, own))?;
        x.outputs(share)
    }

    /// Tells the other ranks that this one folds in host memory. Those that could fold on their devices then do so too.
    fn agree_on_host<T, O>(&self, verb: &str, len: usize) -> Result<(), Error> {
        let call = across_call::<T, O>(verb, len);
        if self.agree(&call, Ok(0))?.total() > 0 {
            // They copy their arrays, and agree again.
            self.agree(&call, Ok(0))?;
        }
        Ok(())
    }

    /// Tells the other ranks that this one is `ready` to fold on its device, or its error. Returns `None` if one of them
    /// folds in host memory.
    #[cfg(feature = "cuda")]
    pub(crate) fn agree_on_devices<T, O, R>(
        &self,
        verb: &str,
        len: usize,
        ready: Result<R, Error>,
    ) -> Result<Option<R>, Error> {
        let (ready, said) = match ready {
            Ok(ready) => (Some(ready), Ok(1)),
            Err(error) => (None, Err(error)),
        };
        let cut = self.agree(&across_call::<T, O>(verb, len), said)?;
        Ok(ready.filter(|_| (0..self.size()).all(|rank| cut.len(rank) == 1)))
    }

    /// Collects the elements of all ranks at this rank's share of the positions, and folds them.
    fn fold_share<T: Element + CheckedBitPattern, O: Op<T>>(
        &self,
        op: O,
        x: &[T],
    ) -> Result<Vec<O::Out>, Error> {
        let cut = Cut::evenly(x.len() as u64, self.size());
        let share = |rank| {
            let part = cut.part(rank);
            &x[part.start as usize..part.end as usize]
        };
        let own = share(self.rank());
        let is_own = |rank| rank == self.rank();
        let to = |rank| if is_own(rank) { &[] } else { bytes::of(share(rank)) };
        let size = |rank| if is_own(rank) { 0 } else { size_of_val(own) };
        let to: Vec<&[u8]> = memory::collected(self.size(), (0..).map(to))?;
        let sizes: Vec<usize> = memory::collected(self.size(), (0..).map(size))?;
        let mut others = memory::filled(Vec::new(), self.size())?;
        for (rank, sent) in self.exchange(&to, &sizes)?.iter().enumerate() {
            bytes::elements::<T>(rank, sent, &mut others[rank])?;
        }
        let arrays = others.iter().enumerate();
        let arrays = arrays.map(|(rank, other)| if is_own(rank) { own } else { &other[..] });
        let arrays: Vec<&[T]> = memory::collected(self.size(), arrays)?;
        let mut outs = empty_results::<T, O>(own.len())?;
        self.cpu.fold_across(op, &arrays, &mut outs)?;
        Ok(outs)
    }
}

/// Describes a call over arrays of one length, for comparison between ranks.
fn across_call<T, O>(verb: &str, len: usize) -> String {
    call::<T, O>(verb, &format!("arrays of {len} elements"))
}
