//! Reductions of groups, whose elements may be anywhere: the device folds them by atomics where any order gives the same bits, or else
//! sorts them by group and folds them as segments.

mod atomics;
pub(crate) mod grouped;
pub(crate) mod partition;
pub(crate) mod plan;

use gpu_kernels::Element;

use crate::cuda::executor::Executor;
use crate::cuda::input::{DeviceElements, Parts, Work, parts};
use crate::cuda::launch::Input;
use crate::cuda::{Cuda, DeviceArray, DeviceResults, DeviceSlice};
use crate::error::{Error, check_lengths};
use crate::index_type::IndexType;
use crate::input::{Groups, Segments};
use crate::kernel::RowsKernel;
use crate::kernel::entry::Entry;

/// Most groups: their ids fit 4 bytes while they are sorted.
const MOST_GROUPS: u64 = 1 << 32;

/// A stream waits until the elements are folded or sorted, to report ids that belong to no group, but not for the results. So
/// groups cannot be reduced while a graph is recorded ([`Error::Capturing`]), but for another library's
/// ([`Cuda::record_raw`](crate::Cuda::record_raw)), where nobody asks for such ids. If ids or lengths are refused or a kernel
/// does not load, results are unchanged; after an error of the driver between two launches their contents are not
/// defined.
impl<I: DeviceElements<Element: IndexType>, D: DeviceElements, O: RowsKernel<D::Element>> Parts<O>
    for Groups<I, D>
{
    type Element = D::Element;

    fn count(&self) -> Result<usize, Error> {
        check(self.ids.device_slice().len(), self.x.device_slice().len(), self.count).map(|()| self.count)
    }

    fn enqueue(&self, work: Work<'_>, op: O, out: &DeviceResults<D::Element, O>) -> Result<(), Error> {
        let (x, queue) = (self.x.device_slice(), work.executor.queue());
        if x.is_empty() && (!queue.is_recording() || queue.is_lent()) {
            return work.write(out.cell(), 0, || Ok(()));
        }
        refuse_recording(work.executor)?;
        let ids = self.ids.device_slice().input()?;
        let grouped = work.grouped::<_, _, O>(op, (ids, x.input()?), self.count as u64)?;
        // The launches have done with ids that belong to no group before anybody could tell.
        if !queue.is_recording() {
            refuse_bad(grouped.first_bad(work.executor)?, work.executor, ids, self.count)?;
        }
        work.of_groups(op, &grouped, out)
    }

    fn kernels() -> Vec<Entry> {
        grouped::entries::<D::Element, O>()
    }
}
parts!([I: DeviceElements<Element: IndexType>, D: DeviceElements] D::Element, Groups<I, D>);

impl<I: DeviceElements<Element: IndexType>, D: DeviceElements> Groups<I, D> {
    /// Sorts the elements by group to segments, and waits.
    pub(crate) fn segments(&self, cuda: &Cuda, executor: &Executor) -> Result<Sorted<D::Element>, Error> {
        let (x, groups) = (self.x.device_slice(), self.count);
        check(self.ids.device_slice().len(), x.len(), groups)?;
        if x.is_empty() {
            let offsets = DeviceArray::zeroed(cuda, executor, groups.saturating_add(1))?;
            return Ok(Sorted { x: DeviceArray::upload(cuda, executor, &[])?, offsets, first: 0 });
        }
        refuse_recording(executor)?;
        let ids = self.ids.device_slice().input()?;
        let sorted = executor.enqueue_partition(cuda, ids, x.input()?, groups as u64)?;
        refuse_bad(sorted.first_bad(executor)?, executor, ids, groups)?;
        // The wait has ended all work on this memory, so any stream may read it.
        let (memory, first) = sorted.into_offsets();
        let offsets = DeviceArray::of(cuda, memory.clone(), first.saturating_add(groups).saturating_add(1));
        Ok(Sorted { x: DeviceArray::of(cuda, memory, x.len()), offsets, first })
    }
}

/// Elements group after group, in their order within each group.
#[derive(Debug)]
pub(crate) struct Sorted<T> {
    pub(crate) x: DeviceArray<T>,
    /// The starts of the groups and the end of the last one, behind other memory.
    pub(crate) offsets: DeviceArray<u64>,
    /// Where they begin.
    pub(crate) first: usize,
}

impl<T: Element> Sorted<T> {
    /// Returns the groups as segments.
    pub(crate) fn segments(&self) -> Result<Segments<&DeviceArray<T>, DeviceSlice<'_, u64>>, Error> {
        Ok(Segments { x: &self.x, offsets: self.offsets.slice(self.first..)? })
    }
}

/// Fails while a graph of ours is recorded.
fn refuse_recording(executor: &Executor) -> Result<(), Error> {
    match executor.queue().is_recording() && !executor.queue().is_lent() {
        true => Err(Error::Capturing { during: "a fold of groups, which waits for what is wrong with ids" }),
        false => Ok(()),
    }
}

/// Fails unless there is one id for each element, and at most [`MOST_GROUPS`] groups.
fn check(ids: usize, elements: usize, groups: usize) -> Result<(), Error> {
    check_lengths(ids, elements)?;
    if groups as u64 > MOST_GROUPS {
        return Err(Error::TooManyResults { results: groups });
    }
    Ok(())
}

/// Fails if there is an id that belongs to no group, at `first_bad`. Reads it back for the message.
fn refuse_bad<I: IndexType>(
    first_bad: Option<u64>,
    executor: &Executor,
    ids: Input<'_, I>,
    groups: usize,
) -> Result<(), Error> {
    let Some(at) = first_bad else { return Ok(()) };
    let read = ids.within(at, 1)?.region().download::<I>(executor.queue(), 1)?;
    let id = read.first().ok_or(Error::NoResult)?;
    Err(Error::Group { at: at as usize, group: id.value(), groups })
}
