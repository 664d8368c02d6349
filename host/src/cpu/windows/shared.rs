//! Windows along the canonical tree, level by level: a subtree of one window is a subtree of others too, so each is folded once.
//!
//! A node of the tree is the fold of some elements, whose places are counted from the window's start. The nodes of one level that have the
//! same shape are an array: element `p` is the fold that begins at position `p`, whichever window it is for. Two such arrays, one shifted
//! against the other, give the next level. A window of `n` elements takes `log2(n)` levels, and one more combination for each bit of `n`,
//! where nodes of unequal shapes meet.

use gpu_kernels::tree::{lanes, tile_len};
use gpu_kernels::{Element, Op};

use crate::error::Error;
use crate::memory::with_room;

/// Folds of one shape, by their first position.
struct Nodes<A> {
    accs: Vec<A>,
    next: Vec<A>,
}

impl<A: Copy> Nodes<A> {
    fn new(room: usize) -> Result<Self, Error> {
        Ok(Self { accs: with_room(room)?, next: with_room(room)? })
    }

    /// Replaces each fold by that of itself and the one `apart` positions behind.
    #[inline(always)]
    fn double(&mut self, apart: usize, combine: impl Fn(A, A) -> A) {
        let pairs = self.accs.iter().zip(self.accs.get(apart..).unwrap_or_default());
        self.next.clear();
        self.next.extend(pairs.map(|(&left, &right)| combine(left, right)));
        std::mem::swap(&mut self.accs, &mut self.next);
    }

    /// Makes the folds of lanes: `rows` elements, `lanes` apart, from each of `count` positions.
    #[inline(always)]
    fn fold_lanes<T: Element, O: Op<T, Acc = A>>(
        &mut self,
        op: O,
        x: &[T],
        rows: usize,
        lanes: usize,
        count: usize,
    ) {
        self.accs.clear();
        self.accs.extend(x[..count].iter().map(|&x| op.lift(x, 0)));
        for row in 1..rows {
            for (acc, &x) in self.accs.iter_mut().zip(&x[row * lanes..]) {
                *acc = op.append(*acc, x, 0);
            }
        }
    }
}

/// The memory to fold windows in.
pub(super) struct Shared<A> {
    /// Lanes with an element of each row, those of whole rows alone, and tiles.
    long: Nodes<A>,
    short: Nodes<A>,
    tiles: Nodes<A>,
    /// Nodes of which a window has one: they have lanes of both lengths, or the window's end.
    mixed: Vec<A>,
}

impl<A: Copy> Shared<A> {
    /// Allocates room for windows of `positions` elements in all.
    pub(super) fn new(positions: usize) -> Result<Self, Error> {
        let nodes = || Nodes::new(positions);
        Ok(Self { long: nodes()?, short: nodes()?, tiles: nodes()?, mixed: with_room(positions)? })
    }

    /// Folds the windows of `len` elements that begin at the first `count` positions.
    #[inline(always)]
    pub(super) fn fold<T: Element, O: Op<T, Acc = A>>(
        &mut self,
        op: O,
        x: &[T],
        len: usize,
        count: usize,
    ) -> &[A] {
        let tile_len = if O::ASSOCIATIVE { usize::MAX } else { tile_len::<T>(len as u64) as usize };
        let (tiles, rest) = (len / tile_len, len % tile_len);
        if tiles == 0 {
            self.fold_tiles(op, x, len, count);
            return &self.mixed;
        }
        self.fold_tiles(op, x, tile_len, count + (tiles - 1) * tile_len);
        std::mem::swap(&mut self.tiles.accs, &mut self.mixed);
        self.mixed.clear();
        if rest > 0 {
            self.fold_tiles(op, &x[tiles * tile_len..], rest, count);
        }
        let mut width = 1;
        while width <= tiles {
            if tiles & width != 0 {
                let first = (tiles / width - 1) * width;
                join(&self.tiles.accs[first * tile_len..], &mut self.mixed, count, O::combine);
            }
            if 2 * width <= tiles {
                self.tiles.double(width * tile_len, O::combine);
            }
            width *= 2;
        }
        &self.mixed
    }

    /// Folds the tiles of up to `len` elements that begin at the first `count` positions, to `mixed`.
    #[inline(always)]
    fn fold_tiles<T: Element, O: Op<T, Acc = A>>(&mut self, op: O, x: &[T], len: usize, count: usize) {
        // An associative operator has the bits of any tree that keeps the order: all elements are lanes.
        let lanes = if O::ASSOCIATIVE { len.next_power_of_two() } else { lanes::<T>() };
        // The first `longer` lanes have an element of the last row.
        let (rows, longer) = (len / lanes, len % lanes);
        if longer > 0 {
            self.long.fold_lanes(op, x, rows + 1, lanes, count + longer - 1);
        }
        if rows > 0 {
            self.short.fold_lanes(op, x, rows, lanes, count + lanes - 1);
        }
        self.mixed.clear();
        let mut width = 1;
        while width < lanes && (rows > 0 || width <= longer) {
            // The node at lane `at` is the mixed one, if there is any yet.
            let at = longer / width * width;
            if longer & width != 0 {
                if self.mixed.is_empty() && rows > 0 {
                    self.mixed.extend(&self.short.accs[at..at + count]);
                }
                join(&self.long.accs[at - width..], &mut self.mixed, count, O::combine);
            } else if !self.mixed.is_empty() && rows > 0 {
                for (left, &right) in self.mixed.iter_mut().zip(&self.short.accs[at + width..]) {
                    *left = O::combine(*left, right);
                }
            }
            if longer >= 2 * width {
                self.long.double(width, O::combine);
            }
            if rows > 0 {
                self.short.double(width, O::combine);
            }
            width *= 2;
        }
        if longer == 0 {
            self.mixed.extend(&self.short.accs[..count]);
        }
    }
}

/// Combines each fold on the left with the one on the right of it. Without any on the right, copies `count` of the left.
#[inline(always)]
fn join<A: Copy>(left: &[A], right: &mut Vec<A>, count: usize, combine: impl Fn(A, A) -> A) {
    if right.is_empty() {
        right.extend(&left[..count]);
        return;
    }
    for (right, &left) in right.iter_mut().zip(left) {
        *right = combine(left, *right);
    }
}
