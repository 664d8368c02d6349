//! The operations, generic over operator and type. Each waits for its results.

use warpfold::{DeviceArray, Order, Scan, Storable, Stream, groups, rows};

use super::array::Array;
use crate::dispatch::{Number, OfOperator, OfType, Operator};
use crate::failure::Failure;
use crate::outcome::{Outcome, Present};

/// An array to read.
#[derive(Clone, Copy)]
pub(crate) struct Input {
    x: u64,
    len: u64,
}

impl Input {
    /// Returns `len` elements at `x`.
    ///
    /// # Safety
    /// While this lives, the device can read `len` elements there, of the type that they are read as, and
    /// nobody writes them.
    pub(crate) unsafe fn new(x: u64, len: u64) -> Self {
        Self { x, len }
    }

    fn array<T: Number>(&self, stream: &Stream) -> Result<DeviceArray<T>, Failure> {
        let len = count(self.len)?;
        // SAFETY: readable and unwritten (`new`) until the operation, which waits, is done.
        Ok(unsafe { stream.cuda().borrow_raw::<T>(self.x, len) }?)
    }
}

/// Converts a caller's count.
fn count(number: u64) -> Result<usize, Failure> {
    usize::try_from(number).map_err(|_| Failure::invalid("an array has more bytes than there are addresses"))
}

/// `warpfold_reduce`.
pub(super) struct Reduce<'a> {
    pub(super) stream: &'a Stream,
    pub(super) x: Input,
}

impl OfOperator for Reduce<'_> {
    type Answer = Outcome;

    fn call<T: Number, O: Operator<T>>(self) -> Result<Outcome, Failure> {
        Ok(self.stream.reduce(O::default(), &self.x.array::<T>(self.stream)?)?.present())
    }
}

/// `warpfold_rows`.
pub(super) struct Rows<'a> {
    pub(super) stream: &'a Stream,
    pub(super) x: Input,
    pub(super) shape: [u64; 2],
}

impl OfOperator for Rows<'_> {
    type Answer = Array;

    fn call<T: Number, O: Operator<T>>(self) -> Result<Array, Failure> {
        let (x, shape) = (self.x.array::<T>(self.stream)?, [count(self.shape[0])?, count(self.shape[1])?]);
        Ok(Array::of(self.stream.reduce(O::default(), rows(&x, shape))?.finished()?))
    }
}

/// `warpfold_groups`.
pub(super) struct Groups<'a> {
    pub(super) stream: &'a Stream,
    pub(super) x: Input,
    pub(super) ids: Input,
    pub(super) groups: u64,
}

impl OfOperator for Groups<'_> {
    type Answer = Array;

    fn call<T: Number, O: Operator<T>>(self) -> Result<Array, Failure> {
        let (ids, x) = (self.ids.array::<u32>(self.stream)?, self.x.array::<T>(self.stream)?);
        let parts = groups(&ids, &x, count(self.groups)?);
        Ok(Array::of(self.stream.reduce(O::default(), parts)?.finished()?))
    }
}

/// `warpfold_scan`.
pub(super) struct Scans<'a> {
    pub(super) stream: &'a Stream,
    pub(super) x: Input,
    pub(super) is_exclusive: bool,
}

impl OfOperator for Scans<'_> {
    type Answer = Array;

    fn call<T: Number, O: Operator<T>>(self) -> Result<Array, Failure> {
        let x = self.x.array::<T>(self.stream)?;
        let scan = if self.is_exclusive { Scan::exclusive() } else { Scan::inclusive() };
        let mut out = self.stream.cuda().values::<<O::Out as Storable>::Stored>(x.len())?;
        self.stream.scan_into(O::default(), &x, &mut out, scan)?;
        self.stream.synchronize()?;
        Ok(Array::of(out))
    }
}

/// `warpfold_sort`.
pub(super) struct Sort<'a> {
    pub(super) stream: &'a Stream,
    pub(super) x: Input,
    pub(super) order: Order,
}

impl OfType for Sort<'_> {
    type Answer = Array;

    fn call<T: Number>(self) -> Result<Array, Failure> {
        let x = self.x.array::<T>(self.stream)?;
        let mut out = self.stream.cuda().values::<T>(x.len())?;
        self.stream.sort_into(&x, &mut out, self.order)?;
        self.stream.synchronize()?;
        Ok(Array::of(out))
    }
}

/// `warpfold_argsort`.
pub(super) struct Argsort<'a> {
    pub(super) stream: &'a Stream,
    pub(super) x: Input,
    pub(super) order: Order,
}

impl OfType for Argsort<'_> {
    type Answer = Array;

    fn call<T: Number>(self) -> Result<Array, Failure> {
        let x = self.x.array::<T>(self.stream)?;
        let mut out = self.stream.cuda().values::<u64>(x.len())?;
        self.stream.argsort_into(&x, &mut out, self.order)?;
        self.stream.synchronize()?;
        Ok(Array::of(out))
    }
}
