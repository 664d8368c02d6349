//! Parts of arrays in device memory. For operations that a device does not do, they are copied to the host, and
//! the results back.

use bytemuck::{CheckedBitPattern, NoUninit};
use gpu_kernels::{Accumulator, DevicePredicate, Element, RankedNumber, Storable};

use crate::arrays::Elements;
use crate::cpu::Cpu;
use crate::cuda::{DeviceArray, DeviceElements as _, DeviceSlice, DeviceValues};
use crate::error::Error;
use crate::world::{WorldElements, WorldInPlace, WorldOutputs, WorldSelect};

/// Implements what a World asks of a kind of elements in device memory.
macro_rules! parts {
    ($($x:ty),*) => { $(
        impl<T: Element + CheckedBitPattern<Bits: NoUninit>> WorldElements for $x {
            type Element = T;
            type Array<R: Element> = DeviceArray<R>;

            fn count(&self) -> Result<usize, Error> {
                Ok(self.len())
            }
            fn in_host_memory(&self) -> Result<Elements<'_, T>, Error> {
                Ok(self.to_vec()?.into())
            }
            fn beside<R: Element>(&self, results: Vec<R>) -> Result<DeviceArray<R>, Error> {
                self.cuda().upload(&results)
            }
            fn on_device(&self) -> Option<DeviceSlice<'_, T>> {
                Some(self.device_slice())
            }
            fn flagged_on_device<F>(&self, flags: &F) -> Option<Result<DeviceArray<T>, Error>>
            where
                F: WorldElements<Element = bool>,
            {
                match self.cuda().compact_by_flags(flags.on_device()?, *self) {
                    // No kernel moves elements of this size.
                    Err(Error::Plan { .. }) => None,
                    kept => Some(kept),
                }
            }
        }

        impl<T, Out: Storable> WorldOutputs<Out> for $x
        where
            T: Element + CheckedBitPattern<Bits: NoUninit>,
        {
            type Outs = DeviceArray<Out::Stored>;

            fn outputs(&self, outs: Vec<Out>) -> Result<Self::Outs, Error> {
                self.beside(crate::memory::collected(outs.into_iter().map(Storable::store))?)
            }
        }

        impl<T, P: DevicePredicate<T>> WorldSelect<P> for $x
        where
            T: RankedNumber + CheckedBitPattern<Bits: NoUninit>,
        {
            fn selected(&self, _: &Cpu, predicate: P) -> Result<DeviceArray<T>, Error> {
                self.cuda().compact(predicate, *self)
            }
            fn partitioned(&self, _: &Cpu, predicate: P) -> Result<(Vec<T>, usize), Error> {
                let (x, selected) = self.cuda().partition(predicate, *self)?;
                Ok((x.to_vec()?, selected))
            }
        }

        impl<T: Element + CheckedBitPattern<Bits: NoUninit>> WorldInPlace for $x {
            type Element = T;
            type Replaced = DeviceArray<T>;

            fn count(&mut self) -> usize {
                self.len()
            }
            fn in_host_memory(&mut self) -> Result<Elements<'_, T>, Error> {
                Ok(self.to_vec()?.into())
            }
            fn replace(self, by: &[T]) -> Result<DeviceArray<T>, Error> {
                self.cuda().upload(by)
            }
        }
    )* };
}
parts!(&DeviceArray<T>, DeviceSlice<'_, T>, &DeviceSlice<'_, T>);

impl<T: Accumulator> WorldInPlace for &mut DeviceValues<T> {
    type Element = T;
    type Replaced = ();

    fn count(&mut self) -> usize {
        self.len()
    }
    fn in_host_memory(&mut self) -> Result<Elements<'_, T>, Error> {
        Ok(self.to_vec()?.into())
    }
    fn replace(self, by: &[T]) -> Result<(), Error> {
        self.copy_from_slice(by)
    }
}
