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

/// Calls `f` for each batch of a slice. The last one is filled up with `padding`.
#[inline(always)]
pub(super) fn each_of_slice<T: Copy>(x: &[T], padding: T, mut f: impl FnMut([[T; ROW]; ROWS])) {
    let mut batches = x.chunks_exact(ROW * ROWS);
    for elements in &mut batches {
        let mut batch = [[padding; ROW]; ROWS];
        batch.as_flattened_mut().copy_from_slice(elements);
        f(batch);
    }
    let rest = batches.remainder();
    if !rest.is_empty() {
        let mut batch = [[padding; ROW]; ROWS];
        batch.as_flattened_mut()[..rest.len()].copy_from_slice(rest);
        f(batch);
    }
}
