//! One tile on one thread. Vectorised by layout: neighbouring lanes lie side by side in memory, so that the
//! compiler folds many at once without ever changing the order within a lane.

use gpu_kernels::tree::{RUN, lanes};
use gpu_kernels::{Element, Op};

/// Rows folded in one sweep over the lanes. Each sweep loads and stores every lane's accumulator once, so
/// more rows cost less; but rows lie a multiple of 4 KiB apart, and more than 4 of them with the
/// accumulators contend for the same set of an 8-way cache.
const ROWS: usize = 4;

/// A thread's accumulators, one per lane, kept from tile to tile.
pub(super) struct Lanes<A> {
    accs: Vec<A>,
}

impl<A: Copy> Lanes<A> {
    pub(super) fn new() -> Self {
        Self { accs: Vec::new() }
    }

    /// Folds one tile whose first element has index `base`.
    pub(super) fn fold_tile<T: Element, O: Op<T, Acc = A>>(&mut self, tile: &[T], base: u64) -> A {
        if O::COMMUTATIVE {
            self.fold_rows::<T, O>(tile, base);
            return fold_pairs::<T, O>(&mut self.accs);
        }
        let bands = tile.chunks(RUN * lanes::<T>()).zip((base..).step_by(RUN * lanes::<T>()));
        bands.fold(O::IDENTITY, |left, (band, base)| {
            let runs = band.chunks(RUN).zip((base..).step_by(RUN));
            self.accs.clear();
            self.accs.extend(runs.map(|(run, base)| {
                run.iter().zip(base..).fold(O::IDENTITY, |left, (&x, i)| O::combine(left, O::lift(x, i)))
            }));
            O::combine(left, fold_pairs::<T, O>(&mut self.accs))
        })
    }

    /// Leaves in `accs` one accumulator for each lane that has an element: its elements left to right.
    fn fold_rows<T: Element, O: Op<T, Acc = A>>(&mut self, tile: &[T], base: u64) {
        let lanes = lanes::<T>();
        self.accs.clear();
        self.accs.resize(lanes.min(tile.len()), O::IDENTITY);

        let blocks = tile.chunks_exact(ROWS * lanes);
        let remainder = blocks.remainder();
        let remainder_base = base + (tile.len() - remainder.len()) as u64;
        for (block, base) in blocks.zip((base..).step_by(ROWS * lanes)) {
            // Slices of one length, so that the loop has no bounds checks and becomes vector code.
            let accs = &mut self.accs[..lanes];
            let (a, rows) = block.split_at(lanes);
            let (b, rows) = rows.split_at(lanes);
            let (c, d) = rows.split_at(lanes);
            let (a, b, c, d) = (&a[..lanes], &b[..lanes], &c[..lanes], &d[..lanes]);
            for j in 0..lanes {
                let i = base + j as u64;
                let step = lanes as u64;
                let acc = O::combine(accs[j], O::lift(a[j], i));
                let acc = O::combine(acc, O::lift(b[j], i + step));
                let acc = O::combine(acc, O::lift(c[j], i + 2 * step));
                accs[j] = O::combine(acc, O::lift(d[j], i + 3 * step));
            }
        }
        for (row, base) in remainder.chunks(lanes).zip((remainder_base..).step_by(lanes)) {
            for ((acc, &x), i) in self.accs.iter_mut().zip(row).zip(base..) {
                *acc = O::combine(*acc, O::lift(x, i));
            }
        }
    }
}

/// Folds in pairs of neighbours until one is left; an odd one out moves up as it is. Overwrites `accs`.
pub(super) fn fold_pairs<T: Element, O: Op<T>>(accs: &mut [O::Acc]) -> O::Acc {
    let mut len = accs.len();
    while len > 1 {
        for pair in 0..len / 2 {
            accs[pair] = O::combine(accs[2 * pair], accs[2 * pair + 1]);
        }
        if len % 2 == 1 {
            accs[len / 2] = accs[len - 1];
        }
        len = len.div_ceil(2);
    }
    accs.first().copied().unwrap_or(O::IDENTITY)
}
