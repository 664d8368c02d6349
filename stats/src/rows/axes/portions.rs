//! Rows of an array that is read in portions: whole slabs, or stripes of a slab, each with whole tiles of some rows. Neither changes
//! a bit: see [`Cpu::fold_tiles`].

use std::num::NonZeroUsize;
use std::ops::Range;

use warpfold::{Cpu, tree};

use super::lines::Strided;
use super::slabs::{PORTION, Slabs};
use crate::failure::Failure;
use crate::memory::{with_room, zeroed};
use crate::numbers::Array;
use crate::numbers::array::Ranges;
use crate::numbers::numeric::Numeric;
use crate::rows::each::{Asked, Found, ROW, TASK};
use crate::statistics::fold::Tiles;
use crate::statistics::threads::in_rooms;

/// Folds the rows of all slabs. A thread reads some slabs at a time.
pub(super) fn neighbours<T: Numeric>(
    slabs: &Slabs,
    cpu: &Cpu,
    threads: NonZeroUsize,
    x: &Array<'_, T>,
    asked: Asked<'_>,
) -> Result<Vec<Found<T>>, Failure> {
    let (len, count) = (slabs.len(), slabs.count);
    let together = (TASK / (len * size_of::<T>() + slabs.rows() * ROW)).max(1);
    let task = |number: usize, room: &mut Vec<T>| {
        let slab = |slab: usize| slab.min(count) * len;
        let x = x.range(slab(number * together)..slab((number + 1) * together), room)?;
        let lines = slabs.lines(x);
        let mut found = with_room(lines.count, "there are so many rows")?;
        lines.each(0..lines.count, &mut |x| {
            found.push(Found::of(cpu, x, asked)?);
            Ok(())
        })?;
        Ok(found)
    };
    let folded = in_rooms(threads.get(), count.div_ceil(together), &task, &mut |_| ())?;
    let mut found = with_room(count * slabs.rows(), "there are so many rows")?;
    folded.into_iter().for_each(|mut some| found.append(&mut some));
    Ok(found)
}

/// Folds the rows of a slab whose elements begin at `start`. In memory, neighbouring rows alternate: element `i` of
/// every row, then element `i + 1` of every row.
pub(super) fn striped<T: Numeric>(
    slabs: &Slabs,
    cpu: &Cpu,
    threads: NonZeroUsize,
    x: &Array<'_, T>,
    start: usize,
) -> Result<Vec<Found<T>>, Failure> {
    let stripes = Stripes::new::<T>(slabs, threads);
    let (n, per_band) = (stripes.len as u64, stripes.per_band());
    if stripes.bands() == 1 {
        let task = |number: usize, room: &mut Vec<T>| {
            let mut found = Vec::new();
            stripes.each(number, x, start, room, &mut |x, _| {
                found.push(Found::of(cpu, x, Asked { qs: &[], skip_nan: false })?);
                Ok(())
            })?;
            Ok(found)
        };
        let found: Vec<Vec<_>> = in_rooms(threads.get(), per_band, &task, &mut |_| ())?;
        return Ok(found.into_iter().flatten().collect());
    }
    let task = |number: usize, room: &mut Vec<T>| {
        let mut folded = Vec::new();
        stripes.each(number, x, start, room, &mut |x, tiles| {
            let mut row = Tiles::of(0)?;
            row.fold(cpu, x, tiles, n)?;
            folded.push(row);
            Ok(())
        })?;
        Ok(folded)
    };
    let mut folded = in_rooms(threads.get(), stripes.bands() * per_band, &task, &mut |_| ())?.into_iter();
    let mut rows: Vec<Tiles<T>> = folded.by_ref().take(per_band).flatten().collect();
    while folded.len() > 0 {
        let band = folded.by_ref().take(per_band).flatten();
        rows.iter_mut().zip(band).for_each(|(row, next)| row.append(next));
    }
    rows.iter()
        .map(|row| Ok(Found { statistics: row.finish(n)?, quantiles: Vec::new(), skipped: 0 }))
        .collect()
}

/// Takes the elements of some tiles of a row, and the tiles.
type WithTiles<'a, T> = dyn FnMut(&[T], &Range<u64>) -> Result<(), Failure> + 'a;

/// Rectangles of a slab: whole tiles of some neighbouring rows. All rectangles with the same tiles are a band.
struct Stripes {
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
    fn new<T: Numeric>(slabs: &Slabs, threads: NonZeroUsize) -> Self {
        let (rows, len) = (slabs.rows(), slabs.row_len());
        // If a tile is longer than memory, it is the whole row.
        let tile = usize::try_from(tree::tile_len::<T>(len as u64)).unwrap_or(usize::MAX).min(len);
        let bytes = |elements: usize| elements * size_of::<T>();
        let portion = (bytes(rows * len) / (4 * threads.get())).clamp(TASK, PORTION);
        let width = (portion / bytes(tile)).clamp(1, rows);
        let tiles = (portion / bytes(tile * width)).max(1);
        Self { rows, len, tile, width, tiles }
    }

    fn per_band(&self) -> usize {
        self.rows.div_ceil(self.width)
    }

    fn bands(&self) -> usize {
        self.len.div_ceil(self.tile).div_ceil(self.tiles)
    }

    /// Reads a rectangle, and calls a function with each of its rows' elements, and their tiles.
    fn each<T: Numeric>(
        &self,
        number: usize,
        x: &Array<'_, T>,
        start: usize,
        room: &mut Vec<T>,
        with: &mut WithTiles<'_, T>,
    ) -> Result<(), Failure> {
        let (band, place) = (number / self.per_band(), number % self.per_band());
        let tiles = band * self.tiles..((band + 1) * self.tiles).min(self.len.div_ceil(self.tile));
        let elements = tiles.start * self.tile..(tiles.end * self.tile).min(self.len);
        let rows = place * self.width..((place + 1) * self.width).min(self.rows);
        let wanted = elements.len() * rows.len();
        if room.len() < wanted {
            *room = zeroed(wanted, "a portion of the file is read at a time")?;
        }
        let room = &mut room[..wanted];
        if rows.len() == self.rows {
            x.fill(room, start + elements.start * self.rows)?;
        } else {
            let at = |element: usize| start + element * self.rows + rows.start;
            let mut lines = room.chunks_mut(rows.len()).zip(elements.clone());
            lines.try_for_each(|(line, element)| x.fill(line, at(element)))?;
        }
        let tiles = tiles.start as u64..tiles.end as u64;
        let (kept, reduced) = ((rows.len(), 1), (elements.len(), rows.len()));
        Strided::new(room, vec![kept], vec![reduced]).each(0..rows.len(), &mut |x| with(x, &tiles))
    }
}
