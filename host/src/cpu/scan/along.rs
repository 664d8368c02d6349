//! Scans along axes of a view. A line is the elements that one scan goes through. They may be apart, and so may their outputs.

use std::ops::Range;

use gpu_kernels::pack::axes::Axis;
use gpu_kernels::{Element, Op};

use super::one_after_the_other;
use super::slices::Apart;
use crate::cpu::unwritten::{Places, Unwritten};
use crate::cpu::{Cpu, TASK_BYTES, in_order, large, share};
use crate::error::Error;
use crate::float_environment;
use crate::input::Along;
use crate::layout::{Layout, Parted, position};
use crate::memory::with_room;
use crate::verb::{Backend, Scan};
use crate::view::View;

/// Most neighbouring lines that are copied at once, so that a cache line of elements, and one of outputs, is used whole.
const LINES: usize = 16;

impl<T: Element, O: Op<T, Acc = A>, A> Backend<Scan<O, Along<'_, View<&[T]>>, A>> for Cpu {
    type Results = Vec<O::Out>;

    fn run(&self, Scan { op, input, scan }: Scan<O, Along<'_, View<&[T]>>, A>) -> Result<Vec<O::Out>, Error> {
        self.scan_along(op, &input, scan)
    }
}

impl Cpu {
    /// Scans along some axes: see [`crate::along`].
    fn scan_along<T: Element, O: Op<T>>(
        &self,
        op: O,
        Along { view, axes, .. }: &Along<'_, View<&[T]>>,
        scan: crate::scan::Scan<O::Acc>,
    ) -> Result<Vec<O::Out>, Error> {
        let from = view.parted(axes)?;
        let (count, len) = (from.count, from.len);
        if count < 2 || len == 0 {
            let mut buffer = Vec::new();
            return self.scan_slice(op, in_order(view, &mut buffer)?, scan);
        }
        scan.check_first::<T, O>()?;
        let to = Layout::new(view.len(), view.shape())?.parted(axes)?;
        let mut outs = Unwritten::<O::Out>::new(view.len())?;
        let lines = Lines { x: view.slice(), first: view.offset(), from, to, outs: outs.places() };
        let at_once = (TASK_BYTES / size_of::<T>() / len).clamp(1, LINES);
        let blocks = (0..count).step_by(at_once).map(|first| first..count.min(first + at_once));
        let helpers =
            self.threads_for(view.len().saturating_mul(size_of::<T>().max(size_of::<O::Out>()))) - 1;
        share(self.pool.as_deref(), helpers, blocks, |numbers| {
            float_environment::check()?;
            lines.scan(op, numbers, scan)
        })?;
        // SAFETY: the blocks above are all lines, and each line wrote the output of each of its elements.
        Ok(unsafe { outs.written() })
    }
}

/// The lines of a view, and the places of their outputs, which are in row-major order.
struct Lines<'a, T, Out> {
    x: &'a [T],
    first: usize,
    from: Parted,
    to: Parted,
    outs: Places<'a, Out>,
}

impl<T: Element, Out: Send> Lines<'_, T, Out> {
    /// Scans up to [`LINES`] lines.
    fn scan<O: Op<T, Out = Out>>(
        &self,
        op: O,
        numbers: Range<usize>,
        scan: crate::scan::Scan<O::Acc>,
    ) -> Result<(), Error> {
        let (len, lines) = (self.from.len, numbers.len());
        let starts = |first, kept: &[Axis]| {
            let mut starts = [0; LINES];
            starts
                .iter_mut()
                .zip(numbers.clone())
                .for_each(|(start, line)| *start = position(first, kept, line));
            starts
        };
        let (from, to) = (starts(self.first, &self.from.kept), starts(0, &self.to.kept));
        let mut x = with_room(lines * len)?;
        x.resize(lines * len, self.x[from[0]]);
        each(&self.from.reduced, len, |i, apart| {
            for (line, start) in from[..lines].iter().enumerate() {
                x[line * len + i] = self.x[start.wrapping_add(apart)];
            }
        });
        let mut outs = Unwritten::<Out>::new(lines * len)?;
        let both = x.chunks(len).zip(outs.slots().chunks_mut(len)).map(|(x, outs)| Apart::new(x, outs));
        large::scanning::<O::Acc, _>(|| one_after_the_other(op, both, len, scan))??;
        // SAFETY: the scans above wrote an output for each element of each line.
        let outs = unsafe { outs.written() };
        let mut outs = outs.into_iter();
        for &start in &to[..lines] {
            each(&self.to.reduced, len, |_, apart| {
                if let Some(out) = outs.next() {
                    // SAFETY: the place belongs to this element alone, because row-major places differ, and a block has each line once.
                    unsafe { self.outs.put(start.wrapping_add(apart), out) };
                }
            });
        }
        Ok(())
    }
}

/// Calls `f` with the index and the distance from the first of each of `len` elements along `axes`.
#[inline(always)]
fn each(axes: &[Axis], len: usize, mut f: impl FnMut(usize, usize)) {
    let (&(run, stride), outer) = axes.split_last().unwrap_or((&(1, 0), &[]));
    for first in (0..len).step_by(run) {
        let mut apart = position(0, outer, first / run);
        for i in first..first + run {
            f(i, apart);
            apart = apart.wrapping_add_signed(stride);
        }
    }
}
