//! What the clock times: ours, or a peer's reduction.

use std::{cell::RefCell, collections::HashMap};

use warpfold::{DeviceArray, DeviceScalar, Element, Error, Op, Stream};

use super::{
    answer::{Contest, agrees, value},
    bits::Bits,
    peer::{RESULT, Reduction},
};
use crate::{Outcome, datum::Datum, figures::record::OURS};

/// A reduction over slices of one device buffer. Slice `slot` of `n` elements begins at element `slot * n`.
pub(super) trait Contender {
    /// The name in tables and records.
    fn name(&self) -> &str;
    /// Enqueues the reduction of a slice; its result stays on the device.
    fn enqueue(&mut self, stream: &Stream, slot: usize) -> Outcome<()>;
    /// Reduces a slice and waits until its result is on the host.
    fn to_host(&mut self, stream: &Stream, slot: usize) -> Outcome<()>;
    /// Fails unless the result on the device is the result of the slice that was enqueued last.
    fn check_on_device(&mut self, stream: &Stream, slot: usize) -> Outcome<()>;
    /// Fails unless the result on the host is the result of the slice that was reduced to the host last.
    fn check_on_host(&mut self, slot: usize) -> Outcome<()>;
}

/// The right results, from the CPU backend, each computed once.
pub(super) struct Answers<'a, R> {
    right: Box<dyn Fn(usize) -> Outcome<R> + 'a>,
    known: RefCell<HashMap<usize, R>>,
}

impl<'a, R> Answers<'a, R> {
    /// `right` computes the result for a slice.
    pub(super) fn new(right: impl Fn(usize) -> Outcome<R> + 'a) -> Self {
        Self { right: Box::new(right), known: RefCell::default() }
    }

    /// Passes the right result for a slice to `judge`.
    pub(super) fn of<J>(&self, slot: usize, judge: impl FnOnce(&R) -> J) -> Outcome<J> {
        let answer = self.known.borrow_mut().remove(&slot);
        let answer = answer.map_or_else(|| (self.right)(slot), Ok)?;
        Ok(judge(self.known.borrow_mut().entry(slot).or_insert(answer)))
    }
}

/// Enqueues the reduction of a slice.
pub(super) type Enqueue<'a, S> = Box<dyn Fn(&Stream, usize, &mut S) -> Result<(), Error> + 'a>;

/// Reduces a slice to the host.
pub(super) type ToHost<'a, R> = Box<dyn Fn(&Stream, usize) -> Result<R, Error> + 'a>;

/// Our reduction, of one array or of two.
pub(super) struct Ours<'a, X: Element, O: Op<X>> {
    pub(super) scalar: DeviceScalar<X, O>,
    pub(super) enqueue: Enqueue<'a, DeviceScalar<X, O>>,
    pub(super) to_host: ToHost<'a, O::Out>,
    pub(super) answers: &'a Answers<'a, O::Out>,
    /// The last result on the host.
    pub(super) landed: Option<O::Out>,
}

impl<X: Element, O: Op<X, Out: Bits>> Ours<'_, X, O> {
    fn check(&self, slot: usize, ours: &O::Out) -> Outcome<()> {
        if self.answers.of(slot, |right| right.bits() == ours.bits())? {
            return Ok(());
        }
        Err("the bits differ from the CPU backend's".into())
    }
}

impl<X: Element, O: Op<X, Out: Bits>> Contender for Ours<'_, X, O> {
    fn name(&self) -> &str {
        OURS
    }

    fn enqueue(&mut self, stream: &Stream, slot: usize) -> Outcome<()> {
        Ok((self.enqueue)(stream, slot, &mut self.scalar)?)
    }

    fn to_host(&mut self, stream: &Stream, slot: usize) -> Outcome<()> {
        self.landed = Some((self.to_host)(stream, slot)?);
        Ok(())
    }

    fn check_on_device(&mut self, _: &Stream, slot: usize) -> Outcome<()> {
        self.check(slot, &self.scalar.get()?)
    }

    fn check_on_host(&mut self, slot: usize) -> Outcome<()> {
        self.check(slot, self.landed.as_ref().ok_or("nothing was reduced to the host")?)
    }
}

/// A peer's reduction.
pub(super) struct Theirs<'a, T: Datum, O: Contest<T>> {
    pub(super) reduction: Reduction<'a>,
    pub(super) memory: Memory<'a, T>,
    pub(super) n: usize,
    pub(super) answers: &'a Answers<'a, O::Out>,
    pub(super) landed: [u8; RESULT],
}

/// Device memory that peers share: they work one after another, on one stream.
#[derive(Clone, Copy)]
pub(super) struct Memory<'a, T: Datum> {
    pub(super) input: &'a DeviceArray<T>,
    /// Room for [`RESULT`] bytes.
    pub(super) output: &'a DeviceArray<u8>,
    /// As much as any of them needs.
    pub(super) scratch: &'a DeviceArray<u8>,
}

impl<T: Datum, O: Contest<T>> Theirs<'_, T, O> {
    /// The address of a slice.
    fn input(&self, slot: usize) -> Outcome<u64> {
        Ok(self.memory.input.slice(slot * self.n..(slot + 1) * self.n)?.as_device_ptr())
    }

    fn check(&self, slot: usize, theirs: &[u8; RESULT]) -> Outcome<()> {
        if self.answers.of(slot, |ours| agrees::<T, O>(ours, theirs))? {
            return Ok(());
        }
        Err(format!("its answer for slice {slot} is wrong: {:?}", value::<T>(theirs)).into())
    }

    fn fetch(&mut self, stream: &Stream) -> Outcome<[u8; RESULT]> {
        // SAFETY: the output has that many bytes.
        unsafe { self.reduction.fetch(self.memory.output.as_device_ptr(), stream.as_raw()) }
    }
}

impl<T: Datum, O: Contest<T>> Contender for Theirs<'_, T, O> {
    fn name(&self) -> &str {
        &self.reduction.name
    }

    fn enqueue(&mut self, stream: &Stream, slot: usize) -> Outcome<()> {
        let (input, Memory { output, scratch, .. }) = (self.input(slot)?, self.memory);
        let scratch = (scratch.as_device_ptr(), scratch.len());
        // SAFETY: `input` has the slice's elements; output and scratch are large enough by their makers. All are borrowed, and the
        // contest waits for the stream before it drops its contenders.
        unsafe {
            self.reduction.enqueue(scratch, input, output.as_device_ptr(), self.n as u64, stream.as_raw())
        }
    }

    fn to_host(&mut self, stream: &Stream, slot: usize) -> Outcome<()> {
        let input = self.input(slot)?;
        // SAFETY: as above.
        let own = unsafe { self.reduction.land(input, self.n as u64, stream.as_raw()) };
        self.landed = match own {
            Some(landed) => landed?,
            None => {
                self.enqueue(stream, slot)?;
                self.fetch(stream)?
            }
        };
        Ok(())
    }

    fn check_on_device(&mut self, stream: &Stream, slot: usize) -> Outcome<()> {
        let theirs = self.fetch(stream)?;
        self.check(slot, &theirs)
    }

    fn check_on_host(&mut self, slot: usize) -> Outcome<()> {
        self.check(slot, &self.landed)
    }
}
