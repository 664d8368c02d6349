//! Folds arrays of all ranks element by element.
//!
//! Each rank folds its share of the positions. The other ranks send it their elements there. A communicator's own
//! reduction is not used, because its order would depend on the topology.

use bytemuck::CheckedBitPattern;
use gpu_kernels::{Element, Op};

use super::agree::call;
use super::cut::Cut;
use super::exchange::garbled;
use super::{Communicator, World, WorldElements, WorldInPlace, WorldOutputs, bytes};
use crate::arrays::{AsElements, AsSlice};
use crate::cpu::empty_results;
use crate::error::Error;
use crate::memory;
use crate::verb::{AllReduce, Backend, ReduceScatter};

/// Why no element of an array may be missing.
const BY_POSITION: &str = "the arrays of all ranks are folded position by position: replace what is missing";

impl<C, X, O> Backend<AllReduce<O, &mut X>> for World<C>
where
    C: Communicator,
    X: AsSlice<Item: Element + CheckedBitPattern> + ?Sized,
    O: Op<X::Item, Out = X::Item>,
{
    type Results = ();

    fn run(&self, AllReduce { op, x }: AllReduce<O, &mut X>) -> Result<(), Error> {
        self.all_reduce_on_host(op, x)
    }
}

impl<C, S, O> Backend<ReduceScatter<O, &S>> for World<C>
where
    C: Communicator,
    S: AsElements<Element: CheckedBitPattern> + ?Sized,
    O: Op<S::Element>,
{
    type Results = Vec<O::Out>;

    fn run(&self, ReduceScatter { op, x }: ReduceScatter<O, &S>) -> Result<Vec<O::Out>, Error> {
        self.reduce_scatter_on_host(op, x)
    }
}

impl<C: Communicator> World<C> {
    /// Does [`all_reduce`](Self::all_reduce) in host memory.
    pub(crate) fn all_reduce_on_host<X, O>(&self, op: O, mut x: X) -> Result<X::Replaced, Error>
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
            let mut all = memory::with_room(x.len())?;
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

    /// Tells the other ranks that this one folds in host memory. Ranks that could fold on their devices then fold in
    /// host memory too.
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
        let to: Vec<&[u8]> = memory::collected((0..self.size()).map(to))?;
        let sizes: Vec<usize> = memory::collected((0..self.size()).map(size))?;
        let mut others = memory::filled(Vec::new(), self.size())?;
        for (rank, sent) in self.exchange(&to, &sizes)?.iter().enumerate() {
            bytes::elements::<T>(rank, sent, &mut others[rank])?;
        }
        let arrays = others.iter().enumerate();
        let arrays = arrays.map(|(rank, other)| if is_own(rank) { own } else { &other[..] });
        let arrays: Vec<&[T]> = memory::collected(arrays)?;
        let mut outs = empty_results::<T, O>(own.len())?;
        self.cpu.fold_across(op, &arrays, &mut outs)?;
        Ok(outs)
    }
}

/// Describes a call over arrays of one length, for comparison between ranks.
fn across_call<T, O>(verb: &str, len: usize) -> String {
    call::<T, O>(verb, &format!("arrays of {len} elements"))
}
