//! Operations over arrays in host memory, on the CPU.

use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::slice;

use bytemuck::Pod;
use warpfold::kernels::Storable;
use warpfold::{Bins, Cpu, Scan, groups, rows, zip};

use crate::dispatch::{Number, OfOperator, OfPairs, OfType, Operator, PairOperator, count};
use crate::failure::Failure;
use crate::outcome::{Outcome, Present};
use crate::requests::{Argsort, Dots, Groups, Histogram, Median, Reduce, Rows, Scans, Sort};

/// An array to read.
#[derive(Clone, Copy)]
pub(crate) struct Array {
    x: *const c_void,
    len: u64,
}

impl Array {
    /// Returns `len` elements at `x`.
    ///
    /// # Safety
    /// While this lives, if `x` is aligned for the type and not null, it has `len` elements of the type that
    /// they are read as, and nobody writes them.
    pub(crate) unsafe fn new(x: *const c_void, len: u64) -> Self {
        Self { x, len }
    }

    /// Returns the elements.
    pub(crate) fn elements<T: Number>(&self) -> Result<&[T], Failure> {
        if self.len == 0 {
            return Ok(&[]);
        }
        let (x, len) = checked(self.x, self.len, size_of::<T>(), align_of::<T>())?;
        // SAFETY: not null, aligned and not too long (`checked`); the elements exist (`new`).
        Ok(unsafe { slice::from_raw_parts(x.cast(), len) })
    }
}

/// An array to write.
pub(crate) struct Room {
    out: *mut c_void,
    len: u64,
}

impl Room {
    /// Returns `len` values to write at `out`.
    ///
    /// # Safety
    /// While this lives, if `out` is aligned for the type and not null, it is writable for `len` values of the
    /// type that they are written as, and nobody else uses that memory.
    pub(crate) unsafe fn new(out: *mut c_void, len: u64) -> Self {
        Self { out, len }
    }

    /// Returns the memory of the values.
    fn values<V: Pod>(&mut self) -> Result<&mut [MaybeUninit<V>], Failure> {
        if self.len == 0 {
            return Ok(&mut []);
        }
        let (_, len) = checked(self.out, self.len, size_of::<V>(), align_of::<V>())?;
        // SAFETY: not null, aligned and not too long (`checked`); writable and used by nobody else (`new`).
        Ok(unsafe { slice::from_raw_parts_mut(self.out.cast(), len) })
    }
}

/// Returns the address and length, if an array of elements with this size and alignment can be there.
fn checked(x: *const c_void, len: u64, size: usize, align: usize) -> Result<(*const c_void, usize), Failure> {
    if x.is_null() || !x.addr().is_multiple_of(align) {
        return Err(Failure::invalid("an array is null, or not aligned for its elements"));
    }
    match usize::try_from(len) {
        Ok(len) if len <= isize::MAX as usize / size => Ok((x, len)),
        _ => Err(Failure::invalid("an array has more bytes than there are addresses")),
    }
}

/// Writes results in the form that `warpfold.h` defines.
fn store<R: Storable>(results: Vec<R>, out: &mut [MaybeUninit<R::Stored>]) {
    for (result, out) in results.into_iter().zip(out) {
        out.write(result.store());
    }
}

impl OfOperator<()> for Reduce<Array> {
    type Answer = Outcome;

    fn call<T: Number, O: Operator<T>>(self, (): ()) -> Result<Outcome, Failure> {
        Ok(Cpu::new().reduce(O::default(), self.x.elements::<T>()?)?.present())
    }
}

impl OfPairs<()> for Dots<Array> {
    type Answer = Outcome;

    fn call<T: Number, O: PairOperator<T>>(self, (): ()) -> Result<Outcome, Failure> {
        let (x, y) = (self.x.elements::<T>()?, self.y.elements::<T>()?);
        Ok(Cpu::new().reduce(O::default(), zip(x, y))?.present())
    }
}

impl OfType<()> for Median<Array> {
    type Answer = Outcome;

    fn call<T: Number>(self, (): ()) -> Result<Outcome, Failure> {
        Ok(Cpu::new().median(self.x.elements::<T>()?)?.present())
    }
}

impl OfOperator<Room> for Rows<Array> {
    type Answer = ();

    fn call<T: Number, O: Operator<T>>(self, mut out: Room) -> Result<(), Failure> {
        let out = out.values()?;
        let shape = [count(self.shape[0])?, count(self.shape[1])?];
        store(Cpu::new().reduce(O::default(), rows(self.x.elements::<T>()?, shape))?, out);
        Ok(())
    }
}

impl OfOperator<Room> for Groups<Array> {
    type Answer = ();

    fn call<T: Number, O: Operator<T>>(self, mut out: Room) -> Result<(), Failure> {
        let out = out.values()?;
        let parts = groups(self.ids.elements::<u32>()?, self.x.elements::<T>()?, count(self.groups)?);
        store(Cpu::new().reduce(O::default(), parts)?, out);
        Ok(())
    }
}

impl OfOperator<Room> for Scans<Array> {
    type Answer = ();

    fn call<T: Number, O: Operator<T>>(self, mut out: Room) -> Result<(), Failure> {
        let out = out.values()?;
        let scan = if self.is_exclusive { Scan::exclusive() } else { Scan::inclusive() };
        store(Cpu::new().scan(O::default(), self.x.elements::<T>()?, scan)?, out);
        Ok(())
    }
}

impl OfType<Room> for Sort<Array> {
    type Answer = ();

    fn call<T: Number>(self, mut out: Room) -> Result<(), Failure> {
        let (x, out) = (self.x.elements::<T>()?, out.values::<T>()?);
        for (&x, out) in x.iter().zip(&mut *out) {
            out.write(x);
        }
        // SAFETY: all values were written above: both lengths are the caller's `len`.
        let x = unsafe { slice::from_raw_parts_mut(out.as_mut_ptr().cast::<T>(), x.len()) };
        Ok(Cpu::new().sort(x, self.order)?)
    }
}

impl OfType<Room> for Argsort<Array> {
    type Answer = ();

    fn call<T: Number>(self, mut out: Room) -> Result<(), Failure> {
        let out = out.values::<u64>()?;
        for (index, out) in Cpu::new().argsort(self.x.elements::<T>()?, self.order)?.into_iter().zip(out) {
            out.write(index as u64);
        }
        Ok(())
    }
}

impl OfType<Room> for Histogram<Array> {
    type Answer = [u64; 3];

    fn call<T: Number>(self, mut out: Room) -> Result<[u64; 3], Failure> {
        let out = out.values::<u64>()?;
        let bins = Bins::from_edges(self.edges.elements::<T>()?)?;
        let found = Cpu::new().histogram(&bins, self.x.elements::<T>()?)?;
        store(found.counts, out);
        Ok([found.below, found.above, found.nan])
    }
}
