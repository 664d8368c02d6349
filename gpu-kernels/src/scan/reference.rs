//! The tree of a scan as slow, obvious code. Every backend is tested against it, bit for bit.

extern crate alloc;
use alloc::vec;
use alloc::vec::Vec;

use super::Kind;
use super::tree::{GROUP_STRETCHES, ROW_RUNS, STRETCH_TILES, TILE_ROWS, quad_len, run_quads, steps};
use crate::op::{Element, Op};

/// Scans `x` with `op`. `init` is an initial accumulator that stands for `before` elements on the left.
#[must_use]
pub fn scan_by<T: Element, O: Op<T>>(
    op: O,
    x: &[T],
    kind: Kind,
    (init, before): (O::Acc, u64),
) -> Vec<O::Out> {
    let mut accs = x.iter().zip(0..).map(|(&x, index)| op.lift(x, index));
    let quads: Vec<Vec<O::Acc>> =
        x.chunks(quad_len::<T>()).map(|quad| accs.by_ref().take(quad.len()).collect()).collect();
    let starts = starts::<T, O>(&quads.iter().map(|quad| fold::<T, O>(quad)).collect::<Vec<_>>(), init);
    let mut outs = Vec::new();
    for (quad, mut acc) in quads.iter().zip(starts) {
        for &x in quad {
            let with = O::combine(acc, x);
            let len = before + kind.len_at(outs.len() as u64);
            outs.push(O::finish(if kind == Kind::Inclusive { with } else { acc }, len));
            acc = with;
        }
    }
    outs
}

/// Scans `x` without an initial value.
#[must_use]
pub fn scan<T: Element, O: Op<T> + Default>(x: &[T], kind: Kind) -> Vec<O::Out> {
    scan_by(O::default(), x, kind, (O::IDENTITY, 0))
}

/// Returns the prefix of each quad, given the quads' totals.
fn starts<T: Element, O: Op<T>>(quads: &[O::Acc], init: O::Acc) -> Vec<O::Acc> {
    let in_run = in_parts(quads, run_quads::<T>(), left_to_right::<T, O>);
    let runs = totals(quads, run_quads::<T>(), fold::<T, O>);
    let in_row = in_parts(&runs, ROW_RUNS, by_steps::<T, O>);
    let rows = totals(&runs, ROW_RUNS, last_by_steps::<T, O>);
    let in_tile = in_parts(&rows, TILE_ROWS, left_to_right::<T, O>);
    let tiles = totals(&rows, TILE_ROWS, fold::<T, O>);
    let in_stretch = in_parts(&tiles, STRETCH_TILES, left_to_right::<T, O>);
    let stretches = totals(&tiles, STRETCH_TILES, fold::<T, O>);
    let in_group = in_parts(&stretches, GROUP_STRETCHES, by_steps::<T, O>);
    let groups = totals(&stretches, GROUP_STRETCHES, last_by_steps::<T, O>);
    let mut before = vec![init];
    for &group in &groups {
        before.push(O::combine(before[before.len() - 1], group));
    }
    let start = |quad| {
        let run = quad / run_quads::<T>();
        let row = run / ROW_RUNS;
        let tile = row / TILE_ROWS;
        let stretch = tile / STRETCH_TILES;
        let to_tile =
            O::combine(before[stretch / GROUP_STRETCHES], O::combine(in_group[stretch], in_stretch[tile]));
        let to_run = O::combine(to_tile, O::combine(in_tile[row], in_row[run]));
        O::combine(to_run, in_run[quad])
    };
    (0..quads.len()).map(start).collect()
}

/// Returns the prefixes in each part of `len`, one part after the other.
fn in_parts<A: Copy>(of: &[A], len: usize, prefixes: impl Fn(&[A]) -> Vec<A>) -> Vec<A> {
    of.chunks(len).flat_map(prefixes).collect()
}

/// Returns the total of each part of `len`.
fn totals<A: Copy>(of: &[A], len: usize, total: impl Fn(&[A]) -> A) -> Vec<A> {
    of.chunks(len).map(total).collect()
}

/// Folds left to right.
fn fold<T: Element, O: Op<T>>(of: &[O::Acc]) -> O::Acc {
    of.iter().fold(O::IDENTITY, |left, &right| O::combine(left, right))
}

/// Returns exclusive prefixes, folded left to right.
fn left_to_right<T: Element, O: Op<T>>(of: &[O::Acc]) -> Vec<O::Acc> {
    (0..of.len()).map(|i| fold::<T, O>(&of[..i])).collect()
}

/// Returns the inclusive prefixes of up to 32 values, by [`steps`].
fn inclusive_by_steps<T: Element, O: Op<T>>(of: &[O::Acc]) -> Vec<O::Acc> {
    let mut of = of.to_vec();
    for step in steps() {
        of = (0..of.len()).map(|i| if i >= step { O::combine(of[i - step], of[i]) } else { of[i] }).collect();
    }
    of
}

/// Returns the exclusive prefixes of up to 32 values, by [`steps`]: each is the inclusive one before.
fn by_steps<T: Element, O: Op<T>>(of: &[O::Acc]) -> Vec<O::Acc> {
    let inclusive = inclusive_by_steps::<T, O>(of);
    (0..of.len()).map(|i| if i == 0 { O::IDENTITY } else { inclusive[i - 1] }).collect()
}

/// Returns the last inclusive prefix, by [`steps`].
fn last_by_steps<T: Element, O: Op<T>>(of: &[O::Acc]) -> O::Acc {
    inclusive_by_steps::<T, O>(of).last().copied().unwrap_or(O::IDENTITY)
}
