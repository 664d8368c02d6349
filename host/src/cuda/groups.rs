//! Reductions of groups whose elements stand anywhere: sorted by group on the device, they are segments.

use std::sync::Arc;

use super::lane::Lane;
use super::launch::{Given, Input, Offsets, SegmentsRoom};
use super::lens::{Checked, Lens};
use super::results::of_none;
use super::{Cuda, DeviceResults, DeviceSlice, Stream};
use crate::error::{Error, check_lengths};
use crate::{Element, IndexType, RowsKernel};

/// The most groups: their ids fit 4 bytes while they are sorted.
const MOST_GROUPS: u64 = 1 << 32;

impl Cuda {
    /// Folds the elements of each group, in the order in which they stand, and waits for the results: element `i` is in group
    /// `ids[i]`, of as many as `groups` says, at most 2^32. Gives a result for each group, also of those without elements.
    /// Each has the bits of [`reduce`](Self::reduce) of that group's elements alone; an index counts these alone.
    ///
    /// The elements are sorted by group first, a stable radix sort, which takes device memory: once the elements, and if
    /// there are more than 256 groups twice and twice the ids, of 2 bytes each for up to 65,536 groups and 4 for more; at most
    /// a byte for each element; and 8 bytes for each group. Up to a sixteenth of the device's memory is kept for the next
    /// call, until an allocation fails without it.
    ///
    /// # Errors
    /// [`Error::Lengths`] if there is not one id for each element; [`Error::Group`] if an id is not in `0..groups`: the first
    /// one; [`Error::TooManyResults`]; and those of [`reduce`](Self::reduce).
    ///
    /// ```no_run
    /// use warpfold::{Cuda, Sum};
    ///
    /// let cuda = Cuda::open(0)?;
    /// let (ids, x) = (cuda.upload(&[2u32, 0, 2, 0])?, cuda.upload(&[1i32, 2, 3, 4])?);
    /// let sums = cuda.reduce_groups::<i32, Sum, u32>(&ids.as_slice(), &x.as_slice(), 3)?;
    /// assert_eq!(sums, [6, 0, 4]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn reduce_groups<T: Element, O: RowsKernel<T> + Default, I: IndexType>(
        &self,
        ids: &DeviceSlice<'_, I>,
        x: &DeviceSlice<'_, T>,
        groups: usize,
    ) -> Result<Vec<O::Out>, Error> {
        self.reduce_groups_by(O::default(), ids, x, groups)
    }

    /// [`reduce_groups`](Self::reduce_groups) with an operator that is a value, such as one with parameters.
    ///
    /// # Errors
    /// As [`reduce_groups`](Self::reduce_groups).
    pub fn reduce_groups_by<T: Element, O: RowsKernel<T>, I: IndexType>(
        &self,
        op: O,
        ids: &DeviceSlice<'_, I>,
        x: &DeviceSlice<'_, T>,
        groups: usize,
    ) -> Result<Vec<O::Out>, Error> {
        check(ids.len(), x.len(), groups)?;
        if x.is_empty() {
            return of_none::<T, O>(groups);
        }
        let (of_ids, of_x) = (ids.input()?, x.input()?);
        self.lease(|lane| {
            let sorted = lane.enqueue_partition(self, of_ids, of_x, groups as u64)?;
            // Before it is known whether the ids are right: the device does not wait for the host in between.
            let results =
                lane.fold_segments(op, self, sorted.elements::<T>(x.len())?, sorted.offsets()?, groups);
            match sorted.first_bad(lane)? {
                None => results,
                Some(at) => Err(bad_group(lane, of_ids, at, groups)),
            }
        })
    }
}

impl Stream {
    /// Folds the elements of each group, of as many as `out` has, as [`Cuda::reduce_groups`] does, to `out`, in stream order. It
    /// waits until the elements are sorted, to tell of ids that are no group's, but not for the results.
    ///
    /// # Errors
    /// [`Error::Capturing`] while a graph is recorded; [`Error::OtherDevice`]; otherwise as [`Cuda::reduce_groups`]. Where ids or
    /// lengths are refused or a kernel does not load, `out` is as it was; after an error of the driver between two launches what
    /// it holds is not defined.
    ///
    /// ```no_run
    /// use warpfold::{Cuda, Sum};
    ///
    /// let cuda = Cuda::open(0)?;
    /// let stream = cuda.stream()?;
    /// let (ids, x) = (cuda.upload(&[2u32, 0, 2, 0])?, cuda.upload(&[1i32, 2, 3, 4])?);
    /// let mut sums = cuda.results::<i32, Sum>(3)?;
    /// stream.reduce_groups_into(&ids.as_slice(), &x.as_slice(), &mut sums)?;
    /// assert_eq!(sums.get()?, [6, 0, 4]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn reduce_groups_into<T: Element, O: RowsKernel<T> + Default, I: IndexType>(
        &self,
        ids: &DeviceSlice<'_, I>,
        x: &DeviceSlice<'_, T>,
        out: &mut DeviceResults<T, O>,
    ) -> Result<(), Error> {
        self.reduce_groups_into_by(O::default(), ids, x, out)
    }

    /// [`reduce_groups_into`](Self::reduce_groups_into) with an operator that is a value, such as one with parameters.
    ///
    /// # Errors
    /// As [`reduce_groups_into`](Self::reduce_groups_into).
    pub fn reduce_groups_into_by<T: Element, O: RowsKernel<T>, I: IndexType>(
        &self,
        op: O,
        ids: &DeviceSlice<'_, I>,
        x: &DeviceSlice<'_, T>,
        out: &mut DeviceResults<T, O>,
    ) -> Result<(), Error> {
        let (lane, cell, groups) = (self.lane(), out.cell(), out.len());
        lane.queue().context().usable()?;
        check(ids.len(), x.len(), groups)?;
        if lane.queue().is_recording() {
            return Err(Error::Capturing {
                during: "a reduction of groups, which waits for what is wrong with ids",
            });
        }
        if x.is_empty() {
            return self.write(cell, 0, || Ok(()));
        }
        let (of_ids, of_x) = (ids.input()?, x.input()?);
        let sorted = lane.enqueue_partition(self.cuda(), of_ids, of_x, groups as u64)?;
        if let Some(at) = sorted.first_bad(lane)? {
            return Err(bad_group(lane, of_ids, at, groups));
        }
        let (elements, offsets) = (sorted.elements::<T>(x.len())?, sorted.offsets()?);
        let room = SegmentsRoom::new::<T, O>(groups as u64 + 1, elements.len());
        let memory = cell.room(lane, room.bytes())?;
        let given = Given::copied(&memory, room)?;
        let checked = Arc::new(Checked::new(memory, room, given, elements.len()));
        self.write(cell, Lens::Between(checked.clone()), || {
            let offsets = Offsets::on_device(offsets, groups as u64 + 1);
            lane.enqueue_fold_segments(op, self.cuda(), elements, offsets, checked.work()?, cell.region())
        })
    }
}

/// Fails unless there is one id for each element, and not too many groups.
fn check(ids: usize, elements: usize, groups: usize) -> Result<(), Error> {
    check_lengths(ids, elements)?;
    if groups as u64 > MOST_GROUPS {
        return Err(Error::TooManyResults { results: groups });
    }
    Ok(())
}

/// The error of an id that is not of a group: it is read back for the message.
fn bad_group<I: IndexType>(lane: &Lane, ids: Input<'_, I>, at: u64, groups: usize) -> Error {
    let read = || Ok(ids.within(at, 1)?.region().download::<I>(lane.queue(), 1)?);
    match read().map(|ids| ids.first().copied()) {
        Ok(Some(id)) => Error::Group { at: at as usize, group: id.value(), groups },
        Ok(None) => Error::NoResult,
        Err(error) => error,
    }
}
