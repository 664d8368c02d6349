//! Reductions of groups, whose elements may be anywhere: the device sorts them by group, and folds them as segments.

pub(crate) mod partition;
pub(crate) mod plan;

use crate::cuda::DeviceResults;
use crate::cuda::executor::Executor;
use crate::cuda::input::{DeviceElements, Parts, Work, parts};
use crate::cuda::launch::Input;
use crate::error::{Error, check_lengths};
use crate::index_type::IndexType;
use crate::input::{Groups, Segments};
use crate::kernel::RowsKernel;
use crate::kernel::entry::Entry;

/// Most groups: their ids fit 4 bytes while they are sorted.
const MOST_GROUPS: u64 = 1 << 32;

/// A stream waits until the elements are sorted, to report ids that belong to no group, but not for the results. So
/// groups cannot be reduced while a graph is recorded ([`Error::Capturing`]). If ids or lengths are refused or a kernel
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
        let (ids, x, groups) = (self.ids.device_slice(), self.x.device_slice(), self.count);
        let (cuda, executor, cell) = (work.cuda, work.executor, out.cell());
        if executor.queue().is_recording() {
            return Err(Error::Capturing {
                during: "a reduction of groups, which waits for what is wrong with ids",
            });
        }
        if x.is_empty() {
            return work.write(cell, 0, || Ok(()));
        }
        let (of_ids, of_x) = (ids.input()?, x.input()?);
        let sorted = executor.enqueue_partition(cuda, of_ids, of_x, groups as u64)?;
        if let Some(at) = sorted.first_bad(executor)? {
            return Err(bad_group(executor, of_ids, at, groups));
        }
        work.between::<D::Element, O>(op, sorted.elements(x.len())?, sorted.offsets()?, out)
    }

    fn kernels() -> Vec<Entry> {
        <Segments<D, I> as Parts<O>>::kernels()
    }
}
parts!([I: DeviceElements<Element: IndexType>, D: DeviceElements] D::Element, Groups<I, D>);

/// Fails unless there is one id for each element, and at most [`MOST_GROUPS`] groups.
fn check(ids: usize, elements: usize, groups: usize) -> Result<(), Error> {
    check_lengths(ids, elements)?;
    if groups as u64 > MOST_GROUPS {
        return Err(Error::TooManyResults { results: groups });
    }
    Ok(())
}

/// Returns the error for the id at `at`, which belongs to no group. Reads it back for the message.
fn bad_group<I: IndexType>(executor: &Executor, ids: Input<'_, I>, at: u64, groups: usize) -> Error {
    let read = || Ok(ids.within(at, 1)?.region().download::<I>(executor.queue(), 1)?);
    match read().map(|ids| ids.first().copied()) {
        Ok(Some(id)) => Error::Group { at: at as usize, group: id.value(), groups },
        Ok(None) => Error::NoResult,
        Err(error) => error,
    }
}
