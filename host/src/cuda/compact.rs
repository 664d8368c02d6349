//! Compactions: selected elements, moved together on the device in their order.

use std::sync::Arc;

use gpu_kernels::{Accumulator, Criterion, DevicePredicate, Element, RankedNumber, Ranks, TotalOrder};

use crate::cuda::executor::Executor;
use crate::cuda::launch::{Compacted, Input, Memory, Region, Selector};
use crate::cuda::select::turned;
use crate::cuda::select::word::word;
use crate::cuda::{Cuda, DeviceArray, DeviceElements, DeviceSlice, DeviceValues, KeyType, Stream};
use crate::error::{Error, check_lengths};
use crate::verb::{Backend, Compact, CompactByFlags, Partition, PartitionByFlags, Unique, WriteTo};

impl<D, P> Backend<Compact<P, D>> for Cuda
where
    D: DeviceElements<Element: RankedNumber>,
    P: DevicePredicate<D::Element>,
{
    type Results = DeviceArray<D::Element>;

    fn run(&self, Compact { predicate, x }: Compact<P, D>) -> Result<Self::Results, Error> {
        self.compacted(selector::<D::Element>(predicate.criterion()), &x.device_slice())
    }
}

impl<F, D> Backend<CompactByFlags<F, D>> for Cuda
where
    F: DeviceElements<Element = bool>,
    D: DeviceElements,
{
    type Results = DeviceArray<D::Element>;

    fn run(&self, CompactByFlags { flags, x }: CompactByFlags<F, D>) -> Result<Self::Results, Error> {
        let (flags, x) = (&flags.device_slice(), &x.device_slice());
        check_lengths(flags.len(), x.len())?;
        self.compacted(Selector::Flags(flags.input()?.region()), x)
    }
}

impl<D: DeviceElements<Element: KeyType>> Backend<Unique<D>> for Cuda {
    type Results = DeviceArray<D::Element>;

    fn run(&self, Unique { x }: Unique<D>) -> Result<Self::Results, Error> {
        self.compacted(Selector::Changes, &x.device_slice())
    }
}

impl<D, P> Backend<Partition<P, D>> for Cuda
where
    D: DeviceElements<Element: RankedNumber>,
    P: DevicePredicate<D::Element>,
{
    type Results = (DeviceArray<D::Element>, usize);

    fn run(&self, Partition { predicate, x }: Partition<P, D>) -> Result<Self::Results, Error> {
        self.partitioned(selector::<D::Element>(predicate.criterion()), &x.device_slice())
    }
}

impl<F, D> Backend<PartitionByFlags<F, D>> for Cuda
where
    F: DeviceElements<Element = bool>,
    D: DeviceElements,
{
    type Results = (DeviceArray<D::Element>, usize);

    fn run(&self, PartitionByFlags { flags, x }: PartitionByFlags<F, D>) -> Result<Self::Results, Error> {
        let (flags, x) = (&flags.device_slice(), &x.device_slice());
        check_lengths(flags.len(), x.len())?;
        self.partitioned(Selector::Flags(flags.input()?.region()), x)
    }
}

impl<D, P> Backend<WriteTo<Compact<P, D>, (&mut DeviceValues<D::Element>, &mut DeviceValues<u64>)>> for Stream
where
    D: DeviceElements<Element: RankedNumber + Accumulator>,
    P: DevicePredicate<D::Element>,
{
    type Results = ();

    fn run(
        &self,
        WriteTo { request, out }: WriteTo<
            Compact<P, D>,
            (&mut DeviceValues<D::Element>, &mut DeviceValues<u64>),
        >,
    ) -> Result<(), Error> {
        let (x, (out, count)) = (&request.x.device_slice(), out);
        for (needed, room) in [(x.len(), out.len()), (1, count.len())] {
            if room < needed {
                return Err(Error::Room { needed, room });
            }
        }
        let (input, select) = (x.input()?, selector::<D::Element>(request.predicate.criterion()));
        let (to, count) = (out.cell(), count.cell());
        self.write_values([to, count], || {
            let to = Some(to.region());
            self.executor().enqueue_compact(self.cuda(), select, input, to, None, count.region())
        })
    }
}

impl Cuda {
    fn compacted<T: Element>(
        &self,
        select: Selector<'_>,
        x: &DeviceSlice<'_, T>,
    ) -> Result<DeviceArray<T>, Error> {
        let (memory, count) = self.lease(|executor| executor.compact(self, select, x.input()?, false))?;
        Ok(DeviceArray::of(self, memory, count))
    }

    fn partitioned<T: Element>(
        &self,
        select: Selector<'_>,
        x: &DeviceSlice<'_, T>,
    ) -> Result<(DeviceArray<T>, usize), Error> {
        let (memory, count) = self.lease(|executor| executor.compact(self, select, x.input()?, true))?;
        Ok((DeviceArray::of(self, memory, x.len()), count))
    }
}

impl Executor {
    /// Returns memory for all elements with the selected ones, followed by the others if `keeps_all`, and the number
    /// selected, for which it waits.
    fn compact<T: Element>(
        &self,
        cuda: &Cuda,
        select: Selector<'_>,
        x: Input<'_, T>,
        keeps_all: bool,
    ) -> Result<(Arc<Memory>, usize), Error> {
        let queue = self.queue();
        queue.context().usable()?;
        let memory = self.allocate(usize::try_from(x.len()).unwrap_or(usize::MAX), size_of::<T>())?;
        let counts = Memory::zeroed(queue, 16)?;
        let (total, count) = (counts.region(0, 8)?, counts.region(8, 8)?);
        let mut of_all = None;
        if keeps_all {
            self.enqueue_compact(cuda, select, x, None, None, total)?;
            of_all = Some(total);
        }
        self.enqueue_compact(cuda, select, x, Some(memory.whole()), of_all, count)?;
        let count = count.download::<u64>(queue, 1)?;
        // There are at most as many as elements.
        Ok((memory, count.first().map_or(0, |&count| count as usize)))
    }

    /// Enqueues a launch that writes the number of selected elements to `count`, and the elements to `out`, if given.
    fn enqueue_compact<T: Element>(
        &self,
        cuda: &Cuda,
        select: Selector<'_>,
        x: Input<'_, T>,
        out: Option<Region<'_>>,
        total: Option<Region<'_>>,
        count: Region<'_>,
    ) -> Result<(), Error> {
        let (queue, len) = (self.queue(), x.len());
        queue.context().usable()?;
        queue.make_room()?;
        if len == 0 {
            return Ok(queue.fill(count, 0)?);
        }
        let states = self.room(Compacted::states_bytes(len, size_of::<T>())?)?;
        let (input, states) = (x.items(), states.whole());
        queue.compact(cuda.kernels(), select, Compacted { input, len, out, total, count, states })
    }
}

/// Encodes what is known of a predicate for the kernels. Integers' ranks are given by their bits, and those from the least on are counted
/// with wrap-around.
fn selector<T: RankedNumber>(criterion: Criterion<T::Rank>) -> Selector<'static> {
    let Ranks { least, most, outside } = match criterion {
        Criterion::Ranks(ranks) => ranks,
        Criterion::Formula(formula) => return Selector::Formula(formula),
    };
    let span = word(&gpu_kernels::Rank::distance_from(most, least));
    let least = if T::IS_FLOAT {
        // Kernels rank floats by the total order: counted with wrap-around, the same elements are from there on.
        word(&least).wrapping_add(turned::<T>())
    } else {
        word(&<T as TotalOrder>::from_rank(least))
    };
    Selector::Ranks { is_float: T::IS_FLOAT, least, span, outside }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gpu_kernels::{Above, NonZero};

    #[test]
    fn ranks_go_to_the_device_in_the_first_bytes() {
        let Selector::Ranks { is_float, least, span, outside } =
            selector::<i16>(Above { threshold: 5_i16 }.criterion())
        else {
            panic!("no ranks")
        };
        assert_eq!((is_float, outside), (false, false));
        assert_eq!(least.to_ne_bytes()[..2], 6_i16.to_ne_bytes());
        assert_eq!(span.to_ne_bytes()[..2], (i16::MAX as u16 - 6).to_ne_bytes());
        let Selector::Ranks { is_float, least, span, outside } =
            selector::<f32>(DevicePredicate::<f32>::criterion(NonZero))
        else {
            panic!("no ranks")
        };
        assert_eq!((is_float, outside), (true, true));
        assert_eq!(least.to_ne_bytes()[..4], (-0.0_f32).rank().to_ne_bytes());
        assert_eq!(span.to_ne_bytes()[..4], 1_u32.to_ne_bytes());
    }
}
