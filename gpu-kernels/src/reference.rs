//! The canonical tree as slow, obvious code. Every backend is tested against it, bit for bit.

extern crate alloc;
use alloc::vec::Vec;

use crate::op::{Element, Op};
use crate::tree::{RUN, lanes, tile_len};

/// Folds `x` along the canonical tree and finishes the result.
#[must_use]
pub fn reduce<T: Element, O: Op<T> + Default>(x: &[T]) -> O::Out {
    reduce_by(O::default(), x)
}

/// Folds `x` with `op` along the canonical tree and finishes the result.
#[must_use]
pub fn reduce_by<T: Element, O: Op<T>>(op: O, x: &[T]) -> O::Out {
    O::finish(fold::<T, O>(op, x), x.len() as u64)
}

/// Folds `x` with `op` along the canonical tree; empty input gives [`Op::IDENTITY`].
#[must_use]
pub fn fold<T: Element, O: Op<T>>(op: O, x: &[T]) -> O::Acc {
    let accs: Vec<_> = x.iter().enumerate().map(|(i, &x)| op.lift(x, i as u64)).collect();
    let tile_len = usize::try_from(tile_len::<T>(x.len() as u64)).unwrap_or(usize::MAX);
    pairs::<T, O>(&accs.chunks(tile_len).map(tile::<T, O>).collect::<Vec<_>>())
}

/// Folds one tile: lanes left to right, then in pairs of neighbours.
fn tile<T: Element, O: Op<T>>(tile: &[O::Acc]) -> O::Acc {
    let lanes = lanes::<T>();
    if O::COMMUTATIVE {
        let lane = |j| run::<T, O>(tile.iter().skip(j).step_by(lanes));
        pairs::<T, O>(&(0..lanes).map(lane).collect::<Vec<_>>())
    } else {
        let band = |band: &[O::Acc]| pairs::<T, O>(&band.chunks(RUN).map(run::<T, O>).collect::<Vec<_>>());
        run::<T, O>(&tile.chunks(RUN * lanes).map(band).collect::<Vec<_>>())
    }
}

/// Folds left to right.
fn run<'a, T: Element, O: Op<T>>(accs: impl IntoIterator<Item = &'a O::Acc>) -> O::Acc {
    accs.into_iter().fold(O::IDENTITY, |left, &right| O::combine(left, right))
}

/// Folds in pairs of neighbours, until one is left.
fn pairs<T: Element, O: Op<T>>(accs: &[O::Acc]) -> O::Acc {
    if accs.len() <= 1 {
        return run::<T, O>(accs);
    }
    pairs::<T, O>(&accs.chunks(2).map(run::<T, O>).collect::<Vec<_>>())
}
