//! Element counts of device results.

use std::sync::Arc;

use gpu_kernels::scan::segments::Counters as ScanCounters;
use gpu_kernels::segments::Counters;

use crate::cuda::launch::{Given, Memory, Queue, Region, Room, ScanSegmentsRoom, SegmentsRoom, SegmentsWork};
use crate::error::Error;

/// The element counts of several results.
#[derive(Clone, Debug)]
pub(crate) enum Lens {
    /// The same count for all results. If it is 0, there are no accumulators.
    Same(u64),
    /// `len` for all results but the last, which has `last`.
    Chunks { len: u64, last: u64 },
    /// The differences of offsets that launches computed: their memory, and where in it they are.
    Summed(Arc<Memory>, Room),
    /// Segments whose offsets a launch checks.
    Between(Arc<Checked>),
    /// Outputs of a scan of segments, valid if its launch finds the offsets correct.
    Scanned(Arc<Offered>),
}

/// Segments between offsets that the device has checked, or will check.
#[derive(Debug)]
pub(crate) struct Checked {
    /// Memory that the launches over the segments share.
    memory: Arc<Memory>,
    room: SegmentsRoom,
    /// The offsets as given, for error messages.
    given: Given,
    /// Number of elements that the offsets refer to.
    len: u64,
}

impl Checked {
    /// Describes the memory of launches over segments between offsets into `len` elements.
    pub(crate) fn new(memory: Arc<Memory>, room: SegmentsRoom, given: Given, len: u64) -> Self {
        Self { memory, room, given, len }
    }

    /// Returns the regions of that memory.
    pub(crate) fn work(&self) -> Result<SegmentsWork<'_>, Error> {
        self.room.within(self.memory.whole())
    }

    /// Fails if the launches, which have ended, found the offsets wrong.
    ///
    /// # Errors
    /// [`Error::Offset`].
    pub(crate) fn check(&self, queue: &Queue) -> Result<(), Error> {
        let counters: Vec<Counters> = self.work()?.counters.download(queue, 1)?;
        check(counters.iter().any(|counters| counters.wrong > 0), &self.given, queue, self.len)
    }
}

/// Segments to scan, between offsets that the device checks.
#[derive(Debug)]
pub(crate) struct Offered {
    /// Memory that the launches over the segments share.
    memory: Arc<Memory>,
    room: ScanSegmentsRoom,
    /// The offsets as given, for error messages.
    given: Given,
    /// Number of elements that the offsets refer to.
    len: u64,
}

impl Offered {
    /// Describes the memory of launches over segments between offsets into `len` elements.
    pub(crate) fn new(memory: Arc<Memory>, room: ScanSegmentsRoom, given: Given, len: u64) -> Self {
        Self { memory, room, given, len }
    }

    /// Returns the division of that memory, and the memory.
    pub(crate) fn work(&self) -> (ScanSegmentsRoom, Region<'_>) {
        (self.room, self.memory.whole())
    }

    /// Fails if the launches, which have ended, found the offsets wrong.
    ///
    /// # Errors
    /// [`Error::Offset`].
    pub(crate) fn check(&self, queue: &Queue) -> Result<(), Error> {
        let counters: Vec<ScanCounters> = self.room.counters(self.memory.whole())?.download(queue, 1)?;
        check(counters.iter().any(|counters| counters.wrong > 0), &self.given, queue, self.len)
    }
}

/// Finds the first wrong offset into `len` elements and returns its error, if `is_wrong`.
fn check(is_wrong: bool, given: &Given, queue: &Queue, len: u64) -> Result<(), Error> {
    if !is_wrong {
        return Ok(());
    }
    let len = usize::try_from(len).unwrap_or(usize::MAX);
    given.check(queue, len)?;
    Err(Error::Offset {
        at: 0,
        offset: 0,
        why: "some of the offsets were wrong while they were used, and have changed since",
        len,
    })
}

impl Lens {
    /// The element count that marks a cell of values as written.
    pub(crate) const WRITTEN: u64 = 1;

    /// Returns the element count of each result if they share one, and otherwise the offsets in device memory.
    pub(crate) fn for_launch(&self) -> Result<(u64, Option<Region<'_>>), Error> {
        match self {
            Self::Same(len) | Self::Chunks { len, .. } => Ok((*len, None)),
            Self::Summed(memory, offsets) => Ok((0, Some(offsets.of(memory.whole())?))),
            Self::Between(checked) => Ok((0, Some(checked.work()?.offsets))),
            Self::Scanned(_) => Ok((Self::WRITTEN, None)),
        }
    }

    /// Returns the element count of the last result if it differs from the others.
    pub(crate) fn last(&self) -> Option<u64> {
        if let &Self::Chunks { len, last } = self { Some(last).filter(|&last| last != len) } else { None }
    }

    /// Returns whether all results are of empty inputs, so that nothing was written.
    pub(crate) fn is_nothing(&self) -> bool {
        match self {
            Self::Same(len) | Self::Chunks { len, .. } => *len == 0,
            Self::Summed(..) => false,
            Self::Between(checked) => checked.len == 0,
            Self::Scanned(offered) => offered.len == 0,
        }
    }

    /// Fails if the results are of segments whose offsets the launches, which have ended, found wrong.
    ///
    /// # Errors
    /// [`Error::Offset`].
    pub(crate) fn check(&self, queue: &Queue) -> Result<(), Error> {
        match self {
            Self::Same(_) | Self::Chunks { .. } | Self::Summed(..) => Ok(()),
            Self::Between(checked) => checked.check(queue),
            Self::Scanned(offered) => offered.check(queue),
        }
    }

    /// Returns the memory that launches over segments used.
    pub(crate) fn memory(&self) -> Option<&Arc<Memory>> {
        match self {
            Self::Same(_) | Self::Chunks { .. } => None,
            Self::Summed(memory, _) => Some(memory),
            Self::Between(checked) => Some(&checked.memory),
            Self::Scanned(offered) => Some(&offered.memory),
        }
    }
}

impl Default for Lens {
    fn default() -> Self {
        Self::Same(0)
    }
}

impl From<u64> for Lens {
    fn from(len: u64) -> Self {
        Self::Same(len)
    }
}
