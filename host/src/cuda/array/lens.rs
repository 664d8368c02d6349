//! Element counts of device results.

use std::sync::Arc;

use gpu_kernels::scan::segments::Counters as ScanCounters;
use gpu_kernels::segments::Counters;

use crate::cuda::lane::Lane;
use crate::cuda::launch::{Given, Memory, Region, ScanSegmentsRoom, SegmentsRoom, SegmentsWork};
use crate::error::Error;

/// The element counts of several results.
#[derive(Clone, Debug)]
pub(in crate::cuda) enum Lens {
    /// All of as many; of none there are no accumulators.
    Same(u64),
    /// All of `len`, but the last, which is of `last`.
    Chunks { len: u64, last: u64 },
    /// Segments, as a launch has checked them.
    Between(Arc<Checked>),
    /// Outputs of a scan of segments, if a launch has found the offsets to be right.
    Scanned(Arc<Offered>),
}

/// Segments between offsets that the device has checked, or will have.
#[derive(Debug)]
pub(in crate::cuda) struct Checked {
    /// What the launches over them hand over to each other.
    memory: Arc<Memory>,
    room: SegmentsRoom,
    /// The offsets that were given, to say what is wrong with them.
    given: Given,
    /// Elements that they are into.
    len: u64,
}

impl Checked {
    /// Room for the launches over segments between offsets into `len` elements.
    pub(in crate::cuda) fn new(memory: Arc<Memory>, room: SegmentsRoom, given: Given, len: u64) -> Self {
        Self { memory, room, given, len }
    }

    /// The room.
    pub(in crate::cuda) fn work(&self) -> Result<SegmentsWork<'_>, Error> {
        self.room.within(self.memory.whole())
    }

    /// Fails if the offsets are wrong, as the launches have found when they have ended.
    ///
    /// # Errors
    /// [`Error::Offset`].
    pub(in crate::cuda) fn check(&self, lane: &Lane) -> Result<(), Error> {
        let counters: Vec<Counters> = self.work()?.counters.download(lane.queue(), 1)?;
        tell(counters.iter().any(|counters| counters.wrong > 0), &self.given, lane, self.len)
    }
}

/// Segments that are scanned, between offsets that the device checks.
#[derive(Debug)]
pub(in crate::cuda) struct Offered {
    /// What the launches over them hand over to each other.
    memory: Arc<Memory>,
    room: ScanSegmentsRoom,
    /// The offsets that were given, to say what is wrong with them.
    given: Given,
    /// Elements that they are into.
    len: u64,
}

impl Offered {
    /// Room for the launches over segments between offsets into `len` elements.
    pub(in crate::cuda) fn new(memory: Arc<Memory>, room: ScanSegmentsRoom, given: Given, len: u64) -> Self {
        Self { memory, room, given, len }
    }

    /// The room, and where it is.
    pub(in crate::cuda) fn work(&self) -> (ScanSegmentsRoom, Region<'_>) {
        (self.room, self.memory.whole())
    }

    /// Fails if the offsets are wrong, as the launches have found when they have ended.
    ///
    /// # Errors
    /// [`Error::Offset`].
    pub(in crate::cuda) fn check(&self, lane: &Lane) -> Result<(), Error> {
        let counters: Vec<ScanCounters> =
            self.room.counters(self.memory.whole())?.download(lane.queue(), 1)?;
        tell(counters.iter().any(|counters| counters.wrong > 0), &self.given, lane, self.len)
    }
}

/// Says what is wrong with offsets into `len` elements, if a launch has found that something is.
fn tell(is_wrong: bool, given: &Given, lane: &Lane, len: u64) -> Result<(), Error> {
    if !is_wrong {
        return Ok(());
    }
    let len = usize::try_from(len).unwrap_or(usize::MAX);
    given.check(lane.queue(), len)?;
    Err(Error::Offset {
        at: 0,
        offset: 0,
        why: "some of the offsets were wrong while they were used, and have changed since",
        len,
    })
}

impl Lens {
    /// What stands for the number of elements where there are values.
    pub(in crate::cuda) const WRITTEN: u64 = 1;

    /// The number of elements that each result is of, if there is one, and otherwise the offsets in device memory.
    pub(in crate::cuda) fn for_launch(&self) -> Result<(u64, Option<Region<'_>>), Error> {
        match self {
            Self::Same(len) | Self::Chunks { len, .. } => Ok((*len, None)),
            Self::Between(checked) => Ok((0, Some(checked.work()?.offsets))),
            Self::Scanned(_) => Ok((Self::WRITTEN, None)),
        }
    }

    /// The number of elements that the last result is of, if it is another one.
    pub(in crate::cuda) fn last(&self) -> Option<u64> {
        if let &Self::Chunks { len, last } = self { Some(last).filter(|&last| last != len) } else { None }
    }

    /// Whether no result is of any element, and so none was written.
    pub(in crate::cuda) fn is_nothing(&self) -> bool {
        match self {
            Self::Same(len) | Self::Chunks { len, .. } => *len == 0,
            Self::Between(checked) => checked.len == 0,
            Self::Scanned(offered) => offered.len == 0,
        }
    }

    /// Fails if they are of segments whose offsets are wrong, as the launches have found when they have ended.
    ///
    /// # Errors
    /// [`Error::Offset`].
    pub(in crate::cuda) fn check(&self, lane: &Lane) -> Result<(), Error> {
        match self {
            Self::Same(_) | Self::Chunks { .. } => Ok(()),
            Self::Between(checked) => checked.check(lane),
            Self::Scanned(offered) => offered.check(lane),
        }
    }

    /// The memory that the launches over segments had.
    pub(in crate::cuda) fn memory(&self) -> Option<&Arc<Memory>> {
        match self {
            Self::Same(_) | Self::Chunks { .. } => None,
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
