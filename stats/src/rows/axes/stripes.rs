//! Rows of a slab that is read in portions: whole tiles of some neighbouring rows. This changes no bit: see [`Cpu::fold_tiles`].

use std::num::NonZeroUsize;

use warpfold::{Cpu, tree};

use super::lines::Strided;
use super::slabs::PORTION;
use crate::failure::Failure;
use crate::memory::{with_room, zeroed};
use crate::numbers::Array;
use crate::numbers::numeric::Numeric;
use crate::rows::each::Found;
use crate::statistics::fold::Tiles;
use crate::statistics::threads::fill;

/// Rectangles of a slab in which neighbouring rows alternate: element `i` of every row, then element `i + 1` of every row.
pub(super) struct Stripes {
    /// Rows of the slab, and elements of each.
    rows: usize,
    len: usize,
    /// Elements of a tile.
    tile: usize,
    /// Rows and tiles of a rectangle.
    width: usize,
    tiles: usize,
}

impl Stripes {
    pub(super) fn new<T: Numeric>(rows: usize, len: usize) -> Self {
        // If a tile is longer than memory, it is the whole row.
        let tile = usize::try_from(tree::tile_len::<T>(len as u64)).unwrap_or(usize::MAX).min(len);
        let portion = PORTION / size_of::<T>();
        let width = (portion / tile).clamp(1, rows);
        let tiles = (portion / tile / width).max(1);
        Self { rows, len, tile, width, tiles }
    }

    /// Folds the rows of the slab whose elements begin at `start`.
    pub(super) fn fold<T: Numeric>(
        &self,
        cpu: &Cpu,
        threads: NonZeroUsize,
        x: &Array<'_, T>,
        start: usize,
    ) -> Result<Vec<Found<T>>, Failure> {
        let n = self.len as u64;
        let mut found = with_room(self.rows, "there are so many rows")?;
        let (mut read, mut gathered) = (Vec::new(), Vec::new());
        for first in (0..self.rows).step_by(self.width) {
            let width = self.width.min(self.rows - first);
            let mut rows = (0..width).map(|_| Tiles::<T>::of(n)).collect::<Result<Vec<_>, _>>()?;
            for tile in (0..self.len.div_ceil(self.tile)).step_by(self.tiles) {
                let elements = tile * self.tile..self.len.min((tile + self.tiles) * self.tile);
                let tiles = tile as u64..(tile + elements.len().div_ceil(self.tile)) as u64;
                let wanted = elements.len() * width;
                if read.len() < wanted {
                    read = zeroed(wanted, "a portion of the file is read at a time")?;
                    gathered = zeroed(wanted, "a portion of the file is read at a time")?;
                }
                let (read, gathered) = (&mut read[..wanted], &mut gathered[..wanted]);
                if width == self.rows {
                    fill(threads, x, read, start + elements.start * width)?;
                } else {
                    let mut lines = read.chunks_mut(width).zip(elements.clone());
                    lines.try_for_each(|(line, at)| x.fill(line, start + at * self.rows + first))?;
                }
                let reduced = [(elements.len(), width)];
                let lines = Strided { x: read, kept: vec![(width, 1)], reduced: &reduced };
                lines.gather(gathered, width, elements.len());
                let lines = rows.iter_mut().zip(gathered.chunks(elements.len()));
                lines.into_iter().try_for_each(|(row, x)| row.fold(cpu, x, &tiles, n))?;
            }
            for row in rows {
                found.push(Found { statistics: row.finish(n)?, quantiles: Vec::new(), skipped: 0 });
            }
        }
        Ok(found)
    }
}
