//! A scan of one tile on one thread: first the totals of its quads and the prefixes of its runs, then its outputs. All
//! loops over quads have a constant length, and no quad depends on another, so the compiler folds many side by side in
//! vector registers. A scan of f32 is about twice as fast as a loop (docs/tuning/cpu.md).

use gpu_kernels::scan::tree::{ROW_RUNS, TILE_ROWS, quad_len, row_len, run_quads, steps, tile_len};
use gpu_kernels::{Element, Op};

use super::slices::Slices;
use crate::cpu::processor::{self, Job, Processor};
use crate::cpu::unwritten::Slot;
use crate::error::Error;
use crate::memory;

/// Most elements of a row.
const MOST_ROW: usize = ROW_RUNS * 16;

/// Most quads of a row.
const MOST_QUADS: usize = ROW_RUNS * 4;

/// The longest step of the prefixes of a row.
const LONGEST_STEP: usize = ROW_RUNS / 2;

/// The runs of a row, after as many identities as the longest step, so that each can be combined with the one a step
/// before it.
type Runs<A> = [A; LONGEST_STEP + ROW_RUNS];

/// Buffers for the intermediate values of a tile.
pub(super) struct Room<A> {
    /// Totals of the quads, row after row.
    quads: Vec<[A; MOST_QUADS]>,
    /// Inclusive prefixes of each run within its row, after a step and before it.
    runs: [Vec<Runs<A>>; 2],
    /// Prefix of each row within the tile.
    rows: [A; TILE_ROWS],
    /// Prefix of each quad of a row.
    starts: Vec<A>,
    /// Accumulators of a row's outputs.
    accs: Vec<A>,
}

impl<A: Copy> Room<A> {
    /// Makes room for scans of up to `len` elements.
    ///
    /// # Errors
    /// [`Error::TooManyResults`] if there is not enough memory.
    pub(super) fn new<T>(identity: A, len: usize) -> Result<Self, Error> {
        let rows = len.div_ceil(row_len::<T>()).min(TILE_ROWS);
        let runs = || memory::filled([identity; LONGEST_STEP + ROW_RUNS], rows);
        Ok(Self {
            quads: memory::filled([identity; MOST_QUADS], rows)?,
            runs: [runs()?, runs()?],
            rows: [identity; TILE_ROWS],
            starts: memory::filled(identity, MOST_QUADS)?,
            accs: memory::filled(identity, MOST_ROW)?,
        })
    }
}

/// A tile to fold, whose first element has index `first`. Intermediate values stay in `room`. For a partial tile the result is
/// not its total, but no tile follows it.
pub(super) struct Fold<'a, T: Element, O: Op<T>> {
    pub(super) op: O,
    pub(super) x: &'a [T],
    pub(super) first: u64,
    pub(super) room: &'a mut Room<O::Acc>,
}

impl<T: Element, O: Op<T>> Job for Fold<'_, T, O> {
    type Done = O::Acc;

    #[inline(always)]
    fn run(self, _: impl Processor) -> O::Acc {
        const { assert!(quad_len::<T>() <= 4 && MOST_QUADS * quad_len::<T>() <= MOST_ROW) }
        // `if const`, here and below, so that only the element's own branch is compiled.
        if const { quad_len::<T>() == 4 } {
            fold::<T, O, 4>(self)
        } else if const { quad_len::<T>() == 2 } {
            fold::<T, O, 2>(self)
        } else {
            fold::<T, O, 1>(self)
        }
    }
}

/// Folds a tile with quads of `Q` elements.
#[inline(always)]
fn fold<T: Element, O: Op<T>, const Q: usize>(Fold { op, x, first, room }: Fold<'_, T, O>) -> O::Acc {
    let Room { quads, runs: [runs, others], rows, .. } = room;
    let there = x.len().div_ceil(row_len::<T>());
    let elements = x.chunks(row_len::<T>()).zip((first..).step_by(row_len::<T>()));
    for (((row, first), (quads, runs)), at) in elements.zip(quads.iter_mut().zip(runs.iter_mut())).zip(0..) {
        // The same elements of the next tile.
        processor::prefetch_after(x, at * row_len::<T>()..(at + 1) * row_len::<T>());
        fold_quads::<T, O, Q>(op, row, first, quads);
        if const { run_quads::<T>() == 4 } {
            fold_runs::<T, O, 4>(quads, runs);
        } else if const { run_quads::<T>() == 2 } {
            fold_runs::<T, O, 2>(quads, runs);
        } else {
            fold_runs::<T, O, 1>(quads, runs);
        }
    }
    // Each step handles all rows, because steps within one row would wait for each other's writes.
    let (mut of, mut to) = (runs, others);
    for step in steps() {
        for (of, to) in of.iter().zip(to.iter_mut()).take(there) {
            for run in 0..ROW_RUNS {
                to[LONGEST_STEP + run] = O::combine(of[LONGEST_STEP + run - step], of[LONGEST_STEP + run]);
            }
        }
        (of, to) = (to, of);
    }
    let mut before = O::IDENTITY;
    for (row, runs) in rows.iter_mut().zip(of).take(there) {
        *row = before;
        before = O::combine(before, runs[LONGEST_STEP + ROW_RUNS - 1]);
    }
    before
}

/// Computes the totals of a row's quads. A quad without elements has the identity.
#[inline(always)]
fn fold_quads<T: Element, O: Op<T>, const Q: usize>(
    op: O,
    row: &[T],
    first: u64,
    totals: &mut [O::Acc; MOST_QUADS],
) {
    let (quads, _) = row.as_chunks::<Q>();
    if quads.len() == ROW_RUNS * run_quads::<T>() {
        let quads = &quads[..ROW_RUNS * run_quads::<T>()];
        for (quad, total) in totals[..ROW_RUNS * run_quads::<T>()].iter_mut().enumerate() {
            *total = quad_total::<T, O>(op, &quads[quad], first + (quad * Q) as u64);
        }
        return;
    }
    totals.fill(O::IDENTITY);
    for ((quad, first), total) in row.chunks(Q).zip((first..).step_by(Q)).zip(totals) {
        *total = quad_total::<T, O>(op, quad, first);
    }
}

#[inline(always)]
fn quad_total<T: Element, O: Op<T>>(op: O, quad: &[T], first: u64) -> O::Acc {
    let mut acc = O::IDENTITY;
    for (k, &x) in quad.iter().enumerate() {
        acc = op.append(acc, x, first + k as u64);
    }
    acc
}

/// Computes the totals of a row's runs, of `N` quads each.
#[inline(always)]
fn fold_runs<T: Element, O: Op<T>, const N: usize>(quads: &[O::Acc; MOST_QUADS], runs: &mut Runs<O::Acc>) {
    let (quads, _) = quads.as_chunks::<N>();
    for run in 0..ROW_RUNS {
        let mut total = quads[run][0];
        for &quad in &quads[run][1..] {
            total = O::combine(total, quad);
        }
        runs[LONGEST_STEP + run] = total;
    }
}

/// The outputs of a tile with prefix `prefix`, to be written after [`Fold`].
pub(super) struct Write<'a, P: Slices, O: Op<P::Element, Out = P::Out>> {
    pub(super) op: O,
    pub(super) is_inclusive: bool,
    pub(super) slices: P,
    pub(super) first: u64,
    pub(super) before: u64,
    pub(super) prefix: O::Acc,
    pub(super) room: &'a mut Room<O::Acc>,
}

impl<P: Slices, O: Op<P::Element, Out = P::Out>> Job for Write<'_, P, O> {
    type Done = ();

    #[inline(always)]
    fn run(self, _: impl Processor) {
        if self.is_inclusive { write::<P, O, true>(self) } else { write::<P, O, false>(self) }
    }
}

/// Writes the outputs of a tile.
#[inline(always)]
fn write<P: Slices, O: Op<P::Element, Out = P::Out>, const INCLUSIVE: bool>(
    Write { op, mut slices, mut first, before, prefix, room, .. }: Write<'_, P, O>,
) {
    // After an odd number of steps the prefixes are in the second buffer.
    const { assert!(steps().len() % 2 == 1) }
    let Room { quads, runs: [_, runs], rows, starts, accs } = room;
    for ((quads, runs), &row) in quads.iter().zip(runs).zip(rows.iter()) {
        if slices.len() == 0 {
            return;
        }
        let at = slices.len().min(row_len::<P::Element>());
        let (mut there, rest) = slices.split_at(at);
        if const { run_quads::<P::Element>() == 4 } {
            start_quads::<P::Element, O, 4>(prefix, row, quads, runs, starts);
        } else if const { run_quads::<P::Element>() == 2 } {
            start_quads::<P::Element, O, 2>(prefix, row, quads, runs, starts);
        } else {
            start_quads::<P::Element, O, 1>(prefix, row, quads, runs, starts);
        }
        if const { quad_len::<P::Element>() == 4 } {
            append_quads::<P::Element, O, 4, INCLUSIVE>(op, there.elements(), first, starts, accs);
        } else if const { quad_len::<P::Element>() == 2 } {
            append_quads::<P::Element, O, 2, INCLUSIVE>(op, there.elements(), first, starts, accs);
        } else {
            append_quads::<P::Element, O, 1, INCLUSIVE>(op, there.elements(), first, starts, accs);
        }
        processor::prefetch_after(
            there.outs(),
            tile_len::<P::Element>() - row_len::<P::Element>()..tile_len::<P::Element>(),
        );
        finish::<P::Element, O, P::Slot, INCLUSIVE>(accs, there.outs(), first, before);
        first += row_len::<P::Element>() as u64;
        slices = rest;
    }
}

/// Computes the prefix of each quad of a row, whose runs have `N` quads each.
#[inline(always)]
fn start_quads<T: Element, O: Op<T>, const N: usize>(
    tile: O::Acc,
    row: O::Acc,
    quads: &[O::Acc; MOST_QUADS],
    runs: &Runs<O::Acc>,
    starts: &mut [O::Acc],
) {
    let (quads, _) = quads.as_chunks::<N>();
    let (starts, _) = starts[..N * ROW_RUNS].as_chunks_mut::<N>();
    let starts = &mut starts[..ROW_RUNS];
    for run in 0..ROW_RUNS {
        let start = O::combine(tile, O::combine(row, runs[LONGEST_STEP - 1 + run]));
        let mut run_starts = [start; N];
        let mut within = quads[run][0];
        for quad in 1..N {
            run_starts[quad] = O::combine(start, within);
            within = O::combine(within, quads[run][quad]);
        }
        starts[run] = run_starts;
    }
}

/// Computes the accumulators of a row's outputs from the prefixes of its quads.
#[inline(always)]
fn append_quads<T: Element, O: Op<T>, const Q: usize, const INCLUSIVE: bool>(
    op: O,
    row: &[T],
    first: u64,
    starts: &[O::Acc],
    accs: &mut [O::Acc],
) {
    let count = ROW_RUNS * run_quads::<T>();
    let (quads, _) = row.as_chunks::<Q>();
    let (accs_of_quads, _) = accs.as_chunks_mut::<Q>();
    if quads.len() == count {
        let (quads, accs_of_quads, starts) = (&quads[..count], &mut accs_of_quads[..count], &starts[..count]);
        for quad in 0..count {
            let mut acc = starts[quad];
            let mut there = [acc; Q];
            for k in 0..Q {
                let with = op.append(acc, quads[quad][k], first + (quad * Q + k) as u64);
                there[k] = if INCLUSIVE { with } else { acc };
                acc = with;
            }
            accs_of_quads[quad] = there;
        }
        return;
    }
    for (((quad, first), &start), accs_of_quads) in
        row.chunks(Q).zip((first..).step_by(Q)).zip(starts).zip(accs_of_quads)
    {
        let mut acc = start;
        for ((&x, index), slot) in quad.iter().zip(first..).zip(accs_of_quads) {
            let with = op.append(acc, x, index);
            *slot = if INCLUSIVE { with } else { acc };
            acc = with;
        }
    }
}

/// Computes results of accumulators. A separate loop, so that it is vectorised.
#[inline(always)]
fn finish<T: Element, O: Op<T>, P: Slot<O::Out>, const INCLUSIVE: bool>(
    accs: &[O::Acc],
    outs: &mut [P],
    first: u64,
    before: u64,
) {
    let before = before.wrapping_add(first).wrapping_add(u64::from(INCLUSIVE));
    for (at, (out, &acc)) in outs.iter_mut().zip(accs).enumerate() {
        out.put(O::finish(acc, before.wrapping_add(at as u64)));
    }
}
