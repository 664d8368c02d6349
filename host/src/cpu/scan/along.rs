//! Scans along axes of a view. A line is the elements that one scan goes through. They may be apart, and so may their outputs.

use std::ops::Range;

use gpu_kernels::pack::axes::Axis;
use gpu_kernels::scan::Kind;
use gpu_kernels::{Element, Op};

use super::one_after_the_other;
use super::side_by_side::{self, Block, Together};
use super::slices::Apart;
use crate::cpu::unwritten::{Places, Slot, Unwritten};
use crate::cpu::{Cpu, in_order, large, processor, share};
use crate::error::Error;
use crate::float_environment;
use crate::input::{Along, Rows};
use crate::layout::{Layout, Parted, position};
use crate::memory;
use crate::verb::{Backend, Scan};
use crate::view::View;

/// Elements of a line that is a slice, from which it is scanned by itself (docs/tuning/cpu.md).
const LONG: usize = 256;

impl<T: Element, O: Op<T, Acc = A>, A> Backend<Scan<O, Along<'_, View<&[T]>>, A>> for Cpu {
    type Results = Vec<O::Out>;

    fn run(&self, Scan { op, input, scan }: Scan<O, Along<'_, View<&[T]>>, A>) -> Result<Vec<O::Out>, Error> {
        let view = &input.view;
        if view.is_empty() {
            view.check(input.axes)?;
            return self.scan_slice(op, &[], scan);
        }
        let from = view.parted(input.axes)?;
        if from.count < 2 {
            let mut buffer = Vec::new();
            return self.scan_slice(op, in_order(view, &mut buffer)?, scan);
        }
        let to = Layout::new(view.len(), view.shape())?.parted(input.axes)?;
        let are_rows = |side: &Parted| {
            side.kept == [(side.count, side.len.cast_signed())] && side.reduced == [(side.len, 1)]
        };
        if from.len >= LONG && are_rows(&from) && are_rows(&to) {
            let (x, shape) = (&view.slice()[view.offset()..][..view.len()], [from.count, from.len]);
            return self.run(Scan { op, input: Rows { x, shape, plan: None }, scan });
        }
        self.scan_lines(op, (view.slice(), view.offset()), &from, &to, scan)
    }
}

impl Cpu {
    /// Scans each of several lines. They are `from` in `x`, whose first element is at an offset, and their outputs `to` in the results.
    fn scan_lines<T: Element, O: Op<T>>(
        &self,
        op: O,
        (x, first): (&[T], usize),
        from: &Parted,
        to: &Parted,
        scan: crate::scan::Scan<O::Acc>,
    ) -> Result<Vec<O::Out>, Error> {
        scan.check_first::<T, O>()?;
        let (count, len) = (from.count, from.len);
        let n = count.saturating_mul(len);
        let apart = Distances::new([&from.reduced, &to.reduced], len)?;
        let mut outs = Unwritten::<O::Out>::new(n)?;
        let lines = Lines { x, first, from, to, apart: &apart, outs: Places::new(outs.slots()) };
        let at_once = side_by_side::at_once::<T, O>(count);
        let blocks = (0..count).step_by(at_once).map(|first| first..count.min(first + at_once));
        let helpers = self.threads_for(n.saturating_mul(size_of::<T>().max(size_of::<O::Out>()))) - 1;
        share(self.pool.as_deref(), helpers, blocks, |numbers| {
            float_environment::check()?;
            match at_once {
                1 => lines.scan(op, numbers.start, scan)?,
                side_by_side::FEW => lines.scan_at_once::<O, { side_by_side::FEW }>(op, numbers, scan),
                side_by_side::SOME => lines.scan_at_once::<O, { side_by_side::SOME }>(op, numbers, scan),
                _ => lines.scan_at_once::<O, { side_by_side::MOST }>(op, numbers, scan),
            }
            Ok::<_, Error>(())
        })?;
        // SAFETY: the blocks above are all lines, and each line wrote the output of each of its elements.
        Ok(unsafe { outs.written() })
    }
}

/// The lines of an array, and the places of their outputs.
struct Lines<'a, T, S> {
    pub(super) x: &'a [T],
    pub(super) first: usize,
    pub(super) from: &'a Parted,
    pub(super) to: &'a Parted,
    pub(super) apart: &'a Distances,
    pub(super) outs: Places<'a, S>,
}

impl<T: Element, S: Send> Lines<'_, T, S> {
    /// Returns where up to `W` lines, and their outputs, begin.
    #[inline(always)]
    fn starts<const W: usize>(&self, numbers: &Range<usize>) -> [[usize; W]; 2] {
        [(self.first, self.from), (0, self.to)].map(|(first, side)| {
            let &(length, stride) = side.kept.last().unwrap_or(&(1, 0));
            let mut next = position(first, &side.kept, numbers.start);
            let mut starts = [next; W];
            for (start, line) in starts.iter_mut().zip(numbers.clone()) {
                *start = next;
                // Divisions for each line would take as long as the scan of some elements.
                next = next.wrapping_add_signed(stride);
                if (line + 1).is_multiple_of(length) {
                    next = position(first, &side.kept, line + 1);
                }
            }
            starts
        })
    }

    /// Scans up to `W` lines side by side.
    pub(super) fn scan_at_once<O: Op<T>, const W: usize>(
        &self,
        op: O,
        numbers: Range<usize>,
        scan: crate::scan::Scan<O::Acc>,
    ) where
        S: Slot<O::Out>,
    {
        let [from, to] = self.starts::<W>(&numbers);
        let (init, before) = scan.init(O::IDENTITY);
        let (lines, is_inclusive) = (numbers.len(), scan.kind() == Kind::Inclusive);
        let are_neighbours = [from, to]
            .map(|starts| lines == W && starts.iter().zip(starts[0]..).all(|(&start, next)| start == next));
        let Self { x, apart, outs, .. } = self;
        let lines = Block { x, from, to, lines, are_neighbours, apart, outs };
        processor::widest(Together { op, is_inclusive, init, before, lines });
    }

    /// Scans a copy of a line.
    fn scan<O: Op<T>>(&self, op: O, line: usize, scan: crate::scan::Scan<O::Acc>) -> Result<(), Error>
    where
        S: Slot<O::Out>,
    {
        let (len, [[from], [to]]) = (self.apart.len(), self.starts::<1>(&(line..line + 1)));
        let x = (0..len).map(|i| self.x[from.wrapping_add(self.apart.of(i)[0])]);
        let x = memory::collected(x)?;
        let mut outs = Unwritten::<O::Out>::new(len)?;
        let both = std::iter::once(Apart::new(&x[..], outs.slots()));
        large::scanning::<O::Acc, _>(|| one_after_the_other(op, both, len, scan))??;
        // SAFETY: the scan above wrote an output for each element.
        let outs = unsafe { outs.written() };
        for (i, out) in outs.into_iter().enumerate() {
            // SAFETY: the place belongs to this element alone, because row-major places differ, and a scan has each line once.
            unsafe { self.outs.put(to.wrapping_add(self.apart.of(i)[1]), out) };
        }
        Ok(())
    }
}

/// The distances of each element of a line, and of its output, from the first one.
pub(super) enum Distances {
    /// Both are along one axis.
    Even { strides: [isize; 2], len: usize },
    /// Both of each element.
    Each(Vec<[usize; 2]>),
}

impl Distances {
    /// Returns the distances of `len` elements, and of their outputs, along some axes each.
    pub(super) fn new([from, to]: [&[Axis]; 2], len: usize) -> Result<Self, Error> {
        let stride = |axes: &[Axis]| match *axes {
            [] => Some(0),
            [(_, stride)] => Some(stride),
            _ => None,
        };
        if let (Some(from), Some(to)) = (stride(from), stride(to)) {
            return Ok(Self::Even { strides: [from, to], len });
        }
        memory::collected((0..len).map(|i| [from, to].map(|axes| position(0, axes, i)))).map(Self::Each)
    }

    /// Returns the number of elements.
    #[inline(always)]
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Even { len, .. } => *len,
            Self::Each(distances) => distances.len(),
        }
    }

    /// Returns the distances of element `i` and of its output.
    #[inline(always)]
    pub(super) fn of(&self, i: usize) -> [usize; 2] {
        match self {
            // In two's complement, as addresses are.
            Self::Even { strides, .. } => {
                strides.map(|stride| stride.wrapping_mul(i.cast_signed()).cast_unsigned())
            }
            Self::Each(distances) => distances[i],
        }
    }
}
