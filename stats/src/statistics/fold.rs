//! All statistics of elements in one pass over memory, on the CPU.
//!
//! Memory is read once: each operator in turn folds a portion by all threads, and all but the first find it in the caches. A
//! tuple of the operators would also read it once, but takes several times as long: it carries 56 bytes for each lane
//! (docs/tuning/cpu.md).

use std::num::NonZeroUsize;
use std::ops::Range;

use warpfold::{ArgMinMax, At, Cpu, Error, Extremes, Op, tree};

use crate::failure::Failure;
use crate::memory::with_room;
use crate::numbers::Array;
use crate::numbers::array::Ranges;
use crate::numbers::numeric::Numeric;
use crate::statistics::threads::portion;

/// Bytes of a portion for each thread. A tile that is longer is a portion by itself.
const PORTION: usize = 512 << 10;

/// The statistics of all elements.
#[derive(Clone, Copy)]
pub(crate) struct Statistics<T: Numeric> {
    pub(crate) sum: T::Wide,
    pub(crate) mean: Option<T::Mean>,
    pub(crate) deviation: Option<T::Mean>,
    /// That of a sample. On a GPU `None` unless it was asked for.
    pub(crate) sample_deviation: Option<T::Mean>,
    /// The least and greatest elements, with the bits of `Min`, `Max`, `ArgMin` and `ArgMax`.
    pub(crate) extremes: Option<Extremes<At<T>>>,
}

type Acc<T, O> = <O as Op<T>>::Acc;

/// The results of some tiles: one accumulator per tile and operator.
pub(crate) struct Tiles<T: Numeric> {
    totals: Vec<Acc<T, T::Sums>>,
    deviations: Vec<Acc<T, T::Deviations>>,
    extremes: Vec<Acc<T, ArgMinMax>>,
}

impl<T: Numeric> Tiles<T> {
    /// Allocates for the tiles of `n` elements.
    pub(crate) fn of(n: u64) -> Result<Self, Failure> {
        let tiles = tree::tiles::<T>(n) as usize;
        let what = "each tile of the elements has a result";
        Ok(Self {
            totals: with_room(tiles, what)?,
            deviations: with_room(tiles, what)?,
            extremes: with_room(tiles, what)?,
        })
    }

    /// Folds `x`, the next portion of an array of `n` elements, which has the given tiles.
    pub(crate) fn fold(&mut self, cpu: &Cpu, x: &[T], tiles: &Range<u64>, n: u64) -> Result<(), Error> {
        self.totals.extend(cpu.fold_tiles(T::Sums::default(), x, n, tiles.clone())?);
        self.deviations.extend(cpu.fold_tiles(T::Deviations::default(), x, n, tiles.clone())?);
        self.extremes.extend(cpu.fold_tiles(ArgMinMax, x, n, tiles.clone())?);
        Ok(())
    }

    /// The statistics of `n` elements from all their tiles.
    pub(crate) fn finish(&self, n: u64) -> Result<Statistics<T>, Error> {
        let (sum, mean) = warpfold::finish::<T, T::Sums>(&self.totals, n)?;
        let (deviation, sample_deviation) = warpfold::finish::<T, T::Deviations>(&self.deviations, n)?;
        Ok(Statistics {
            sum,
            mean,
            deviation,
            sample_deviation,
            extremes: warpfold::finish::<T, ArgMinMax>(&self.extremes, n)?,
        })
    }
}

/// The statistics of `x`, with reports of the bytes processed.
pub(crate) fn fold<T: Numeric>(
    cpu: &Cpu,
    threads: NonZeroUsize,
    x: &Array<'_, T>,
    passed: &mut dyn FnMut(u64),
) -> Result<Statistics<T>, Failure> {
    let (len, n) = (x.len(), x.len() as u64);
    let (mut all, mut room) = (Tiles::of(n)?, Vec::new());
    // If a tile is longer than memory, it is the whole array.
    let tile = usize::try_from(tree::tile_len::<T>(n)).unwrap_or(usize::MAX);
    // The size of portions changes no bits: see `Cpu::fold_tiles`.
    let tiles = (threads.get() * PORTION / size_of::<T>() / tile).max(1);
    for start in (0..len).step_by(tiles.saturating_mul(tile)) {
        let range = start..len.min(start.saturating_add(tiles.saturating_mul(tile)));
        let first = start / tile;
        let tiles = first as u64..(first + range.len().div_ceil(tile)) as u64;
        let x = portion(threads, x, range, &mut room)?;
        all.fold(cpu, x, &tiles, n)?;
        passed(size_of_val(x) as u64);
    }
    Ok(all.finish(n)?)
}
