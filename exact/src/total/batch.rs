//! How a slice is cut into batches, and how a batch is gone through.

use crate::unrolled;

/// Elements that a CPU adds up at a time: rows that fill a few of its registers. With 8, long arrays take longer and short
/// ones less (docs/tuning/cpu.md).
pub(super) const ROW: usize = 16;
pub(super) const ROWS: usize = 16;

/// Calls `f` for each place of a batch. Batches as small as a GPU's run as straight-line code, which keeps them in registers.
#[inline(always)]
pub(super) fn each<const V: usize, const R: usize>(mut f: impl FnMut(usize, usize)) {
    if V * R <= 16 {
        unrolled!(i < if V * R <= 16 { R } else { 0 } => {
            unrolled!(j < if V * R <= 16 { V } else { 0 } => { f(i, j) });
        });
    } else {
        for i in 0..R {
            for j in 0..V {
                f(i, j);
            }
        }
    }
}

/// Returns a batch of these elements, filled up with `padding`.
#[inline(always)]
pub(super) fn filled<T: Copy>(x: &[T], padding: T) -> [[T; ROW]; ROWS] {
    let mut batch = [[padding; ROW]; ROWS];
    batch.as_flattened_mut()[..x.len()].copy_from_slice(x);
    batch
}

/// Splits a slice into whole batches and a rest.
#[inline(always)]
pub(super) fn of_slice<T>(x: &[T]) -> (core::slice::ChunksExact<'_, T>, &[T]) {
    let batches = x.chunks_exact(ROW * ROWS);
    let rest = batches.remainder();
    (batches, rest)
}
