//! A peer's reduction as a contender.

use super::{
    answer::{Contest, agrees, value},
    contender::{Answers, Contender},
    driver::{Driver, Graph, Handle},
    peer::{Landing, RESULT, Reduction},
};
use crate::{Outcome, datum::Datum};

/// A peer's reduction over slices of a device buffer.
pub(super) struct Theirs<'a, T: Datum, O: Contest<T>> {
    name: String,
    driver: &'a Driver,
    graph: Option<Graph<'a>>,
    reduction: Reduction<'a>,
    landing: Landing<'a>,
    memory: Memory,
    n: u64,
    stream: Handle,
    landed: [u8; RESULT],
    answers: &'a Answers<'a, O::Out>,
}

/// Device addresses for a peer.
#[derive(Clone, Copy)]
pub(super) struct Memory {
    /// The slices, contiguous.
    pub input: u64,
    /// Room for [`RESULT`] bytes.
    pub output: u64,
    /// Scratch, and its length in bytes.
    pub scratch: (u64, usize),
}

impl<'a, T: Datum, O: Contest<T>> Theirs<'a, T, O> {
    /// `reduction`, named `name`, over slices of `n` elements.
    ///
    /// # Safety
    /// `memory` has as many slices as will be requested and as much scratch as the reduction needs for `n`
    /// elements, and stays while this does; so does `stream`, which is of the context that the peer opened.
    /// Nobody else writes any of it meanwhile.
    pub(super) unsafe fn new(
        name: String,
        driver: &'a Driver,
        (reduction, landing): (Reduction<'a>, Landing<'a>),
        memory: Memory,
        n: u64,
        stream: Handle,
        answers: &'a Answers<'a, O::Out>,
    ) -> Self {
        Self {
            name,
            driver,
            graph: None,
            reduction,
            landing,
            memory,
            n,
            stream,
            landed: [0; RESULT],
            answers,
        }
    }

    /// The address of a slice.
    fn input(&self, slot: usize) -> u64 {
        self.memory.input + slot as u64 * self.n * size_of::<T>() as u64
    }

    fn check(&self, slot: usize, theirs: &[u8; RESULT]) -> Outcome<()> {
        if self.answers.of(slot, |ours| agrees::<T, O>(ours, theirs))? {
            return Ok(());
        }
        Err(format!("its answer for slice {slot} is wrong: {:?}", value::<T>(theirs)).into())
    }
}

impl<T: Datum, O: Contest<T>> Contender for Theirs<'_, T, O> {
    fn name(&self) -> &str {
        &self.name
    }

    fn enqueue(&mut self, slot: usize) -> Outcome<()> {
        let Memory { output, scratch, .. } = self.memory;
        let input = self.input(slot);
        // SAFETY: the maker vouches for the memory and the stream.
        unsafe { self.reduction.enqueue(scratch, input, output, self.n, self.stream) }
    }

    fn to_host(&mut self, slot: usize) -> Outcome<()> {
        let (input, stream) = (self.input(slot), self.stream);
        // SAFETY: the maker vouches for the memory and the stream.
        let own = unsafe { self.landing.reduce(&self.reduction, input, self.n, stream) };
        self.landed = match own {
            Some(landed) => landed?,
            None => {
                self.enqueue(slot)?;
                // SAFETY: as above.
                unsafe { self.landing.fetch(self.memory.output, stream) }?
            }
        };
        Ok(())
    }

    fn capture(&mut self, slots: &[usize]) -> Outcome<()> {
        let (driver, stream) = (self.driver, self.stream);
        let enqueue = &mut || slots.iter().try_for_each(|&slot| self.enqueue(slot));
        // SAFETY: the maker vouches for the stream, and for memory that outlives `self`, which keeps the graph.
        self.graph = Some(unsafe { driver.capture(stream, enqueue) }?);
        Ok(())
    }

    fn replay(&mut self) -> Outcome<()> {
        let graph = self.graph.as_ref().ok_or("nothing was captured")?;
        // SAFETY: as for `capture`.
        unsafe { graph.launch(self.stream) }
    }

    fn check_on_device(&mut self, slot: usize) -> Outcome<()> {
        // SAFETY: the maker vouches for the memory and the stream.
        let theirs = unsafe { self.landing.fetch(self.memory.output, self.stream) }?;
        self.check(slot, &theirs)
    }

    fn check_on_host(&mut self, slot: usize) -> Outcome<()> {
        self.check(slot, &self.landed)
    }
}
