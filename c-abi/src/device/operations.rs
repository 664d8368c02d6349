//! The operations, generic over operator and type. Each waits for its results.

use warpfold::kernels::Storable;
use warpfold::{Bins, DeviceArray, Scan, Stream, groups, rows, zip};

use super::array::Array;
use crate::dispatch::{Number, OfOperator, OfPairs, OfType, Operator, PairOperator, count};
use crate::failure::Failure;
use crate::outcome::{Outcome, Present};
use crate::requests::{Argsort, Dots, Groups, Histogram, Median, Reduce, Rows, Scans, Sort};

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

impl OfOperator<&Stream> for Reduce<Input> {
    type Answer = Outcome;

    fn call<T: Number, O: Operator<T>>(self, stream: &Stream) -> Result<Outcome, Failure> {
        Ok(stream.reduce(O::default(), &self.x.array::<T>(stream)?)?.present())
    }
}

impl OfPairs<&Stream> for Dots<Input> {
    type Answer = Outcome;

    fn call<T: Number, O: PairOperator<T>>(self, stream: &Stream) -> Result<Outcome, Failure> {
        let (x, y) = (self.x.array::<T>(stream)?, self.y.array::<T>(stream)?);
        Ok(stream.reduce(O::default(), zip(&x, &y))?.present())
    }
}

impl OfType<&Stream> for Median<Input> {
    type Answer = Outcome;

    fn call<T: Number>(self, stream: &Stream) -> Result<Outcome, Failure> {
        let x = self.x.array::<T>(stream)?;
        // The selection runs on a stream of its own.
        stream.synchronize()?;
        Ok(stream.cuda().median(&x)?.present())
    }
}

impl OfOperator<&Stream> for Rows<Input> {
    type Answer = Array;

    fn call<T: Number, O: Operator<T>>(self, stream: &Stream) -> Result<Array, Failure> {
        let (x, shape) = (self.x.array::<T>(stream)?, [count(self.shape[0])?, count(self.shape[1])?]);
        Ok(Array::of(stream.reduce(O::default(), rows(&x, shape))?.finished()?))
    }
}

impl OfOperator<&Stream> for Groups<Input> {
    type Answer = Array;

    fn call<T: Number, O: Operator<T>>(self, stream: &Stream) -> Result<Array, Failure> {
        let (ids, x) = (self.ids.array::<u32>(stream)?, self.x.array::<T>(stream)?);
        let parts = groups(&ids, &x, count(self.groups)?);
        Ok(Array::of(stream.reduce(O::default(), parts)?.finished()?))
    }
}

impl OfOperator<&Stream> for Scans<Input> {
    type Answer = Array;

    fn call<T: Number, O: Operator<T>>(self, stream: &Stream) -> Result<Array, Failure> {
        let x = self.x.array::<T>(stream)?;
        let scan = if self.is_exclusive { Scan::exclusive() } else { Scan::inclusive() };
        let mut out = stream.cuda().values::<<O::Out as Storable>::Stored>(x.len())?;
        stream.scan_into(O::default(), &x, &mut out, scan)?;
        stream.synchronize()?;
        Ok(Array::of(out))
    }
}

impl OfType<&Stream> for Sort<Input> {
    type Answer = Array;

    fn call<T: Number>(self, stream: &Stream) -> Result<Array, Failure> {
        let x = self.x.array::<T>(stream)?;
        let mut out = stream.cuda().values::<T>(x.len())?;
        stream.sort_into(&x, &mut out, self.order)?;
        stream.synchronize()?;
        Ok(Array::of(out))
    }
}

impl OfType<&Stream> for Argsort<Input> {
    type Answer = Array;

    fn call<T: Number>(self, stream: &Stream) -> Result<Array, Failure> {
        let x = self.x.array::<T>(stream)?;
        let mut out = stream.cuda().values::<u64>(x.len())?;
        stream.argsort_into(&x, &mut out, self.order)?;
        stream.synchronize()?;
        Ok(Array::of(out))
    }
}

impl OfType<&Stream> for Histogram<Input> {
    type Answer = (Array, [u64; 3]);

    fn call<T: Number>(self, stream: &Stream) -> Result<(Array, [u64; 3]), Failure> {
        let (x, cuda) = (self.x.array::<T>(stream)?, stream.cuda());
        let bins = cuda.bins(&Bins::from_edges(self.edges.elements::<T>()?)?)?;
        let (mut counts, mut outside) = (cuda.values::<u64>(bins.len())?, cuda.values::<u64>(3)?);
        stream.histogram_into(&bins, &x, (&mut counts, &mut outside))?;
        stream.synchronize()?;
        let outside = outside.to_vec()?.try_into().map_err(|_| Failure::Panicked)?;
        Ok((Array::of(counts), outside))
    }
}
