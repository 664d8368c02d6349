//! Lines that are scanned side by side, one element of each after the other: neighbours in memory, or short ones.
//!
//! The totals of quads, runs, rows and tiles, and their prefixes, are those of [the scan's tree](gpu_kernels::scan::tree), of all lines at
//! once, so that the compiler keeps them in vector registers.

use gpu_kernels::scan::tree::{GROUP_STRETCHES, ROW_RUNS, quad_len, row_len, run_len, tile_len};
use gpu_kernels::{Element, Op};

use super::along::Distances;
use super::prefixes::{Prefixes, Steps};
use super::slices::Slices;
use crate::cpu::processor::{Job, Processor};
use crate::cpu::unwritten::{Places, Slot};

/// Bytes of the longest accumulator, and of the longest element or output, of lines that are scanned side by side: one of each line is on
/// the stack.
pub(super) const WIDEST: usize = 16;
const WIDEST_ELEMENT: usize = 64;

/// Lines side by side: a few; as many as fill a cache line; and as many as make up for the pages that every element of a line is on
/// (docs/tuning/cpu.md).
pub(super) const FEW: usize = 4;
pub(super) const SOME: usize = 16;
pub(super) const MOST: usize = 64;

/// Bytes of the longest accumulator, element or output of [`MOST`] lines.
const LONG: usize = 8;

/// Returns how many of `count` lines are scanned side by side: one if accumulators, elements or outputs are too long.
pub(super) fn at_once<T: Element, O: Op<T>>(count: usize) -> usize {
    let outer = if size_of::<T>() > size_of::<O::Out>() { size_of::<T>() } else { size_of::<O::Out>() };
    if size_of::<O::Acc>() > WIDEST || outer > WIDEST_ELEMENT {
        1
    } else if count < SOME {
        FEW
    } else if count < MOST || size_of::<O::Acc>().max(outer) > LONG {
        SOME
    } else {
        MOST
    }
}

/// `W` lines as one: each accumulator is an array of theirs.
#[derive(Clone, Copy)]
struct SideBySide<O, const W: usize>(O);

impl<T: Element, O: Op<T>, const W: usize> Op<T> for SideBySide<O, W> {
    type Acc = [O::Acc; W];
    type Out = ();
    const IDENTITY: [O::Acc; W] = [O::IDENTITY; W];

    #[inline(always)]
    fn lift(self, x: T, index: u64) -> [O::Acc; W] {
        [self.0.lift(x, index); W]
    }
    #[inline(always)]
    fn combine(left: [O::Acc; W], right: [O::Acc; W]) -> [O::Acc; W] {
        std::array::from_fn(|line| O::combine(left[line], right[line]))
    }
    fn finish(_: [O::Acc; W], _: u64) {}
}

/// `W` lines of one length.
pub(super) trait Lines<const W: usize> {
    /// The type of elements.
    type Element: Element;
    /// The type of the memory for an output.
    type Slot;
    /// Returns the number of elements of a line.
    fn len(&self) -> usize;
    /// Returns element `i` of each line.
    fn load(&self, i: usize) -> [Self::Element; W];
    /// Writes output `i` of each line. Element `i` is not loaded again.
    fn put<R>(&mut self, i: usize, outs: [R; W])
    where
        Self::Slot: Slot<R>;
}

/// One line, which is a slice.
pub(super) struct Line<P>(pub(super) P);

impl<P: Slices> Lines<1> for Line<P> {
    type Element = P::Element;
    type Slot = P::Slot;

    #[inline(always)]
    fn len(&self) -> usize {
        self.0.len()
    }
    #[inline(always)]
    fn load(&self, i: usize) -> [P::Element; 1] {
        [self.0.elements()[i]]
    }
    #[inline(always)]
    fn put<R>(&mut self, i: usize, [out]: [R; 1])
    where
        P::Slot: Slot<R>,
    {
        self.0.outs()[i].put(out);
    }
}

/// Up to `W` lines. Line `l` begins at `from[l]`, and its outputs at `to[l]`.
pub(super) struct Block<'a, T, S, const W: usize> {
    pub(super) x: &'a [T],
    pub(super) from: [usize; W],
    pub(super) to: [usize; W],
    pub(super) lines: usize,
    /// Whether the elements of `W` lines are neighbours, and whether their outputs are.
    pub(super) are_neighbours: [bool; 2],
    pub(super) apart: &'a Distances,
    pub(super) outs: &'a Places<'a, S>,
}

impl<T: Element, S: Send, const W: usize> Lines<W> for Block<'_, T, S, W> {
    type Element = T;
    type Slot = S;

    #[inline(always)]
    fn len(&self) -> usize {
        self.apart.len()
    }
    #[inline(always)]
    fn load(&self, i: usize) -> [T; W] {
        let [apart, _] = self.apart.of(i);
        let first = self.from[0].wrapping_add(apart);
        if self.are_neighbours[0]
            && let Some(&neighbours) = self.x.get(first..).and_then(|x| x.first_chunk())
        {
            return neighbours;
        }
        std::array::from_fn(|line| self.x[self.from[line].wrapping_add(apart)])
    }
    #[inline(always)]
    fn put<R>(&mut self, i: usize, outs: [R; W])
    where
        S: Slot<R>,
    {
        let [_, apart] = self.apart.of(i);
        if self.are_neighbours[1] {
            // SAFETY: the places are neighbours, and each belongs to this element of one line, because row-major places differ.
            return unsafe { self.outs.put_all(self.to[0].wrapping_add(apart), outs) };
        }
        for (out, to) in outs.into_iter().zip(self.to).take(self.lines) {
            // SAFETY: the place belongs to this element alone, because row-major places differ, and a scan has each line once.
            unsafe { self.outs.put(to.wrapping_add(apart), out) };
        }
    }
}

/// The scan of some lines. `before` counts what the initial value stands for.
pub(super) struct Together<O: Op<L::Element>, L: Lines<W>, const W: usize> {
    pub(super) op: O,
    pub(super) is_inclusive: bool,
    pub(super) init: O::Acc,
    pub(super) before: u64,
    pub(super) lines: L,
}

impl<T, O, L, const W: usize> Job for Together<O, L, W>
where
    T: Element,
    O: Op<T>,
    L: Lines<W, Element = T, Slot: Slot<O::Out>>,
{
    type Done = ();

    #[inline(always)]
    fn run(mut self, _: impl Processor) {
        let (len, mut acc) = (self.lines.len(), [self.init; W]);
        if const { O::ASSOCIATIVE } {
            for i in 0..len {
                acc = self.step(acc, self.lines.load(i), i);
            }
            return;
        }
        // `Steps` begins anew after so many totals: with each row here.
        const { assert!(ROW_RUNS == GROUP_STRETCHES) }
        let combine = <SideBySide<O, W> as Op<T>>::combine;
        let none = [O::IDENTITY; W];
        let (mut tiles, mut runs) = (None, None);
        let (mut tile, mut row, mut run) = (acc, none, none);
        for first in (0..len).step_by(run_len::<T>()) {
            if first > 0 && first.is_multiple_of(row_len::<T>()) {
                (row, run) = (combine(row, run), none);
            }
            if first > 0 && first.is_multiple_of(tile_len::<T>()) {
                let tiles = tiles.get_or_insert_with(|| Prefixes::new(none, [self.init; W]));
                tiles.push::<T, SideBySide<O, W>>(row);
                (tile, row) = (tiles.next::<T, SideBySide<O, W>>(), none);
            }
            let (start, end) = (combine(tile, combine(row, run)), len.min(first + run_len::<T>()));
            let mut within = none;
            for quad in (first..end).step_by(quad_len::<T>()) {
                let mut total = none;
                acc = combine(start, within);
                for i in quad..end.min(quad + quad_len::<T>()) {
                    let x = self.lines.load(i);
                    acc = self.step(acc, x, i);
                    total = self.append(total, x, i);
                }
                within = combine(within, total);
            }
            if end < len {
                run = runs.get_or_insert_with(|| Steps::new(none)).push::<T, SideBySide<O, W>>(within);
            }
        }
    }
}

impl<T, O, L, const W: usize> Together<O, L, W>
where
    T: Element,
    O: Op<T>,
    L: Lines<W, Element = T, Slot: Slot<O::Out>>,
{
    #[inline(always)]
    fn append(&self, acc: [O::Acc; W], x: [T; W], i: usize) -> [O::Acc; W] {
        std::array::from_fn(|line| self.op.append(acc[line], x[line], i as u64))
    }

    /// Writes output `i` of each line. Returns the accumulators after element `i`, which is `x`.
    #[inline(always)]
    fn step(&mut self, acc: [O::Acc; W], x: [T; W], i: usize) -> [O::Acc; W] {
        let with = self.append(acc, x, i);
        let (accs, n) = if self.is_inclusive { (with, i as u64 + 1) } else { (acc, i as u64) };
        self.lines.put(i, accs.map(|acc| O::finish(acc, self.before.wrapping_add(n))));
        with
    }
}
