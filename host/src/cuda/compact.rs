//! Compactions: selected elements, moved together on the device in their order.

use std::sync::Arc;

use gpu_kernels::{ByRank, RankedNumber, Ranks, TotalOrder};

use crate::cuda::executor::Executor;
use crate::cuda::launch::{Compacted, Input, Memory, Region, Selector};
use crate::cuda::select::turned;
use crate::cuda::select::word::word;
use crate::cuda::{Cuda, DeviceArray, DeviceElements, DeviceSlice, DeviceValues, KeyType, Stream};
use crate::error::{Error, check_lengths};
use crate::{Accumulator, Element};

impl Cuda {
    /// Returns the elements that satisfy a predicate, in their order: the result of
    /// [`Cpu::compact`](crate::Cpu::compact). Waits for their number. The returned array's memory has the size of all
    /// elements, because the number of selected ones is found on the way.
    ///
    /// A GPU takes predicates that compare numbers: [`Above`](crate::Above), [`Below`](crate::Below),
    /// [`Within`](crate::Within), [`NonZero`](crate::NonZero), [`IsNan`](crate::IsNan) and their [`Not`](crate::Not),
    /// or your own that implement [`ByRank`]. For others, write flags, and call
    /// [`compact_by_flags`](Self::compact_by_flags).
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], [`Error::Driver`], [`Error::Poisoned`]; [`Error::PtxTooNew`] and [`Error::Kernel`] from
    /// the first call of each type.
    ///
    /// ```no_run
    /// use warpfold::{Above, Cuda};
    ///
    /// let cuda = Cuda::open(0)?;
    /// let x = cuda.upload(&[3, -1, 4, -1, 5])?;
    /// assert_eq!(cuda.compact(Above { threshold: 0 }, &x)?.to_vec()?, [3, 4, 5]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn compact<T: RankedNumber, P: ByRank<T>>(
        &self,
        predicate: P,
        x: impl DeviceElements<Element = T>,
    ) -> Result<DeviceArray<T>, Error> {
        let x = &x.device_slice();
        self.compacted(selector::<T>(predicate.ranks()), x)
    }

    /// Returns the elements whose flag is `true`, in their order. Otherwise as [`compact`](Self::compact). Elements
    /// must have 1, 2, 4, 8 or 16 bytes, and be aligned to their size.
    ///
    /// # Errors
    /// [`Error::Lengths`] if there is not one flag for each element; [`Error::Plan`] if elements have another size;
    /// otherwise as `compact`.
    ///
    /// ```no_run
    /// use warpfold::Cuda;
    ///
    /// let cuda = Cuda::open(0)?;
    /// let (flags, x) = (cuda.upload(&[true, false, true])?, cuda.upload(&[3, -1, 4])?);
    /// assert_eq!(cuda.compact_by_flags(&flags, &x)?.to_vec()?, [3, 4]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn compact_by_flags<T: Element>(
        &self,
        flags: impl DeviceElements<Element = bool>,
        x: impl DeviceElements<Element = T>,
    ) -> Result<DeviceArray<T>, Error> {
        let (flags, x) = (&flags.device_slice(), &x.device_slice());
        check_lengths(flags.len(), x.len())?;
        let flags = flags.input()?;
        self.compacted(Selector::Flags(flags.region()), x)
    }

    /// Returns the first element of each run of equal neighbours: the result of [`Cpu::unique`](crate::Cpu::unique).
    /// Otherwise as [`compact`](Self::compact). Elements are compared bit by bit, so floats are excluded: see
    /// [`KeyType`].
    ///
    /// # Errors
    /// As [`compact`](Self::compact), and [`Error::Plan`] if elements are not aligned to their size.
    ///
    /// ```no_run
    /// use warpfold::Cuda;
    ///
    /// let cuda = Cuda::open(0)?;
    /// let x = cuda.upload(&[1u32, 1, 2, 2, 2, 1])?;
    /// assert_eq!(cuda.unique(&x)?.to_vec()?, [1, 2, 1]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn unique<K: KeyType>(&self, x: impl DeviceElements<Element = K>) -> Result<DeviceArray<K>, Error> {
        let x = &x.device_slice();
        self.compacted(Selector::Changes, x)
    }

    /// Returns all elements, first those that satisfy a predicate and then the others, both in their order, and the
    /// number of the former. Does on the device what [`Cpu::partition`](crate::Cpu::partition) does, and reads the
    /// elements twice.
    ///
    /// # Errors
    /// As [`compact`](Self::compact).
    ///
    /// ```no_run
    /// use warpfold::{Cuda, above};
    ///
    /// let cuda = Cuda::open(0)?;
    /// let x = cuda.upload(&[3, -1, 4])?;
    /// let (parted, count) = cuda.partition(above(0), &x)?;
    /// assert_eq!((parted.to_vec()?, count), (vec![3, 4, -1], 2));
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn partition<T: RankedNumber, P: ByRank<T>>(
        &self,
        predicate: P,
        x: impl DeviceElements<Element = T>,
    ) -> Result<(DeviceArray<T>, usize), Error> {
        let x = &x.device_slice();
        self.partitioned(selector::<T>(predicate.ranks()), x)
    }

    /// [`partition`](Self::partition) by flags.
    ///
    /// # Errors
    /// As [`compact_by_flags`](Self::compact_by_flags).
    ///
    /// ```no_run
    /// use warpfold::Cuda;
    ///
    /// let cuda = Cuda::open(0)?;
    /// let (flags, x) = (cuda.upload(&[true, false, true])?, cuda.upload(&[3, -1, 4])?);
    /// let (parted, count) = cuda.partition_by_flags(&flags, &x)?;
    /// assert_eq!((parted.to_vec()?, count), (vec![3, 4, -1], 2));
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn partition_by_flags<T: Element>(
        &self,
        flags: impl DeviceElements<Element = bool>,
        x: impl DeviceElements<Element = T>,
    ) -> Result<(DeviceArray<T>, usize), Error> {
        let (flags, x) = (&flags.device_slice(), &x.device_slice());
        check_lengths(flags.len(), x.len())?;
        let flags = flags.input()?;
        self.partitioned(Selector::Flags(flags.region()), x)
    }

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

impl Stream {
    /// Enqueues a compaction, and returns without waiting for it. The elements that satisfy a predicate go to the
    /// beginning of `out`, and their number goes to `count`. The rest of `out` is left as it is. A graph replays the
    /// compaction.
    ///
    /// # Errors
    /// [`Error::Room`] if `out` has less room than there are elements, all of which may be selected, or `count` has
    /// none; [`Error::OtherDevice`]; [`Error::PtxTooNew`] and [`Error::Kernel`] from the first call of each type;
    /// [`Error::OutOfMemory`], [`Error::Driver`].
    ///
    /// ```no_run
    /// use warpfold::{Cuda, NonZero};
    ///
    /// let cuda = Cuda::open(0)?;
    /// let stream = cuda.stream()?;
    /// let x = cuda.upload(&[0.5f32, 0.0, 2.0])?;
    /// let (mut out, mut count) = (cuda.values::<f32>(3)?, cuda.values::<u64>(1)?);
    /// stream.compact_into(NonZero, &x, &mut out, &mut count)?;
    /// let found = count.to_vec()?[0] as usize;
    /// assert_eq!(out.to_vec()?[..found], [0.5, 2.0]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn compact_into<T: RankedNumber + Accumulator, P: ByRank<T>>(
        &self,
        predicate: P,
        x: impl DeviceElements<Element = T>,
        out: &mut DeviceValues<T>,
        count: &mut DeviceValues<u64>,
    ) -> Result<(), Error> {
        let x = &x.device_slice();
        for (needed, room) in [(x.len(), out.len()), (1, count.len())] {
            if room < needed {
                return Err(Error::Room { needed, room });
            }
        }
        let (input, select) = (x.input()?, selector::<T>(predicate.ranks()));
        let (to, count) = (out.cell(), count.cell());
        self.write_values([to, count], || {
            let to = Some(to.region());
            self.executor().enqueue_compact(self.cuda(), select, input, to, None, count.region())
        })
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

/// Encodes ranks for the kernels. Integers are given by their bits, and those from the least on are counted with
/// wrap-around.
fn selector<T: RankedNumber>(ranks: Ranks<T::Rank>) -> Selector<'static> {
    let Ranks { least, most, outside } = ranks;
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
    use crate::{Above, NonZero};

    #[test]
    fn ranks_go_to_the_device_in_the_first_bytes() {
        let Selector::Ranks { is_float, least, span, outside } =
            selector::<i16>(Above { threshold: 5_i16 }.ranks())
        else {
            panic!("no ranks")
        };
        assert_eq!((is_float, outside), (false, false));
        assert_eq!(least.to_ne_bytes()[..2], 6_i16.to_ne_bytes());
        assert_eq!(span.to_ne_bytes()[..2], (i16::MAX as u16 - 6).to_ne_bytes());
        let Selector::Ranks { is_float, least, span, outside } =
            selector::<f32>(ByRank::<f32>::ranks(NonZero))
        else {
            panic!("no ranks")
        };
        assert_eq!((is_float, outside), (true, true));
        assert_eq!(least.to_ne_bytes()[..4], (-0.0_f32).rank().to_ne_bytes());
        assert_eq!(span.to_ne_bytes()[..4], 1_u32.to_ne_bytes());
    }
}
