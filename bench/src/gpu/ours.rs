//! Our reduction as a contender, of one array or of two.

use warpfold::{DeviceScalar, Element, Error, Graph, Op, Stream};

use super::{
    bits::Bits,
    contender::{Answers, Contender},
};
use crate::Outcome;

/// Enqueues the reduction of a slice.
pub(super) type Enqueue<'a, S> = Box<dyn Fn(&Stream, usize, &mut S) -> Result<(), Error> + 'a>;

/// Reduces a slice to the host.
pub(super) type ToHost<'a, R> = Box<dyn Fn(&Stream, usize) -> Result<R, Error> + 'a>;

/// Our reduction over slices of a device buffer.
pub(super) struct Ours<'a, X: Element, O: Op<X>> {
    pub(super) name: String,
    pub(super) stream: &'a Stream,
    pub(super) scalar: DeviceScalar<X, O>,
    pub(super) enqueue: Enqueue<'a, DeviceScalar<X, O>>,
    pub(super) to_host: ToHost<'a, O::Out>,
    pub(super) answers: &'a Answers<'a, O::Out>,
    /// What was captured.
    pub(super) graph: Option<Graph>,
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
        &self.name
    }

    fn enqueue(&mut self, slot: usize) -> Outcome<()> {
        Ok((self.enqueue)(self.stream, slot, &mut self.scalar)?)
    }

    fn to_host(&mut self, slot: usize) -> Outcome<()> {
        self.landed = Some((self.to_host)(self.stream, slot)?);
        Ok(())
    }

    fn capture(&mut self, slots: &[usize]) -> Outcome<()> {
        let (enqueue, scalar) = (&self.enqueue, &mut self.scalar);
        let calls = |stream: &Stream| slots.iter().try_for_each(|&slot| enqueue(stream, slot, scalar));
        self.graph = Some(self.stream.capture(calls)?);
        Ok(())
    }

    fn replay(&mut self) -> Outcome<()> {
        Ok(self.graph.as_mut().ok_or("nothing was captured")?.launch(self.stream)?)
    }

    fn check_on_device(&mut self, slot: usize) -> Outcome<()> {
        let ours = self.scalar.get()?;
        self.check(slot, &ours)
    }

    fn check_on_host(&mut self, slot: usize) -> Outcome<()> {
        let ours = self.landed.as_ref().ok_or("nothing was reduced to the host")?;
        self.check(slot, ours)
    }
}
