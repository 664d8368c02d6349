//! Our reductions over two arrays: the two halves of each slice. They wait for their result at every call, so
//! they have no graph; there are no peers.

use std::collections::HashMap;

use warpfold::{AccurateDot, Cpu, DeviceSlice, Dot, Stream, ZipKernel, zip};

use super::{bits::Bits, contender::Contender};
use crate::{Outcome, datum::Datum, figures::record::OURS};

/// A measured operator over two arrays.
pub(super) trait Pairing<T: Datum>: ZipKernel<T, Out: Bits> + Default {
    /// The name on the command line and in the table.
    const NAME: &'static str;
}

macro_rules! pairings {
    ($($op:ident $name:literal),*: $elements:tt) => { $(pairings! { @ $op $name $elements })* };
    (@ $op:ident $name:literal ($($element:ident)*)) => { $(
        impl Pairing<$element> for $op {
            const NAME: &'static str = $name;
        }
    )* };
}
pairings!(Dot "dot", AccurateDot "accurate_dot": (f32 f64));

/// Our reduction over the halves of slices of a device buffer.
pub(super) struct Pairs<'a, T: Datum, O: Pairing<T>> {
    stream: &'a Stream,
    data: &'a [T],
    n: usize,
    slices: &'a [[DeviceSlice<'a, T>; 2]],
    landed: Option<O::Out>,
    known: HashMap<usize, Vec<u8>>,
}

impl<'a, T: Datum, O: Pairing<T>> Pairs<'a, T, O> {
    /// Over `slices`, whose halves have `n` elements each and are contiguous in `data` too.
    pub(super) fn new(
        stream: &'a Stream,
        data: &'a [T],
        n: usize,
        slices: &'a [[DeviceSlice<'a, T>; 2]],
    ) -> Self {
        Self { stream, data, n, slices, landed: None, known: HashMap::new() }
    }
}

impl<T: Datum, O: Pairing<T>> Contender for Pairs<'_, T, O> {
    fn name(&self) -> &str {
        OURS
    }

    fn enqueue(&mut self, slot: usize) -> Outcome<()> {
        self.to_host(slot)
    }

    fn to_host(&mut self, slot: usize) -> Outcome<()> {
        let [x, y] = self.slices.get(slot).ok_or("there is no such slice")?;
        self.landed = Some(self.stream.reduce(O::default(), zip(x, y))?);
        Ok(())
    }

    fn capture(&mut self, _slots: &[usize]) -> Outcome<()> {
        Err("a reduction of two arrays waits for its result, which a graph cannot".into())
    }

    fn replay(&mut self) -> Outcome<()> {
        Err("nothing was captured".into())
    }

    fn check_on_device(&mut self, slot: usize) -> Outcome<()> {
        self.check_on_host(slot)
    }

    fn check_on_host(&mut self, slot: usize) -> Outcome<()> {
        let ours = self.landed.as_ref().ok_or("nothing was reduced to the host")?.bits();
        if !self.known.contains_key(&slot) {
            let begin = 2 * slot * self.n;
            let both = self.data.get(begin..begin + 2 * self.n).ok_or("there is no such slice")?;
            let (x, y) = both.split_at(self.n);
            self.known.insert(slot, Cpu::new().reduce(O::default(), zip(x, y))?.bits());
        }
        if self.known.get(&slot) == Some(&ours) {
            return Ok(());
        }
        Err("the bits differ from the CPU backend's".into())
    }
}
