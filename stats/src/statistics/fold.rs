//! All statistics of elements in one pass over memory, on the CPU.
//!
//! Memory is read once: each operator in turn folds a portion, and all but the first find it in the cache. A
//! tuple of the operators would also read it once, but takes several times as long: it carries 56 bytes for each lane
//! (docs/tuning/cpu.md).

use std::ops::Range;

use warpfold::{ArgMinMax, At, Cpu, Error, Extremes, Op, tree};

use crate::failure::Failure;
use crate::memory::with_room;
use crate::numbers::numeric::Numeric;

/// Bytes of a portion. A tile that is longer is a portion by itself.
const PORTION: u64 = 512 << 10;

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
    deviations: Vec<Acc<T, T::Deviation>>,
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
        self.deviations.extend(cpu.fold_tiles(T::Deviation::default(), x, n, tiles.clone())?);
        self.extremes.extend(cpu.fold_tiles(ArgMinMax, x, n, tiles.clone())?);
        Ok(())
    }

    /// Appends the following tiles.
    pub(crate) fn append(&mut self, mut next: Self) {
        self.totals.append(&mut next.totals);
        self.deviations.append(&mut next.deviations);
        self.extremes.append(&mut next.extremes);
    }

    /// The statistics of `n` elements from all their tiles.
    pub(crate) fn finish(&self, n: u64) -> Result<Statistics<T>, Error> {
        let (sum, mean) = warpfold::finish::<T, T::Sums>(&self.totals, n)?;
        let deviation = warpfold::finish::<T, T::Deviation>(&self.deviations, n)?;
        let sample_deviation = warpfold::finish::<T, T::SampleDeviation>(&self.deviations, n)?;
        Ok(Statistics {
            sum,
            mean,
            deviation,
            sample_deviation,
            extremes: warpfold::finish::<T, ArgMinMax>(&self.extremes, n)?,
        })
    }
}

/// Whole tiles of an array.
pub(crate) struct Portion {
    /// The indices of the elements.
    pub(crate) x: Range<usize>,
    pub(crate) tiles: Range<u64>,
}

/// The portions of an array of `len` elements, in order. Their size changes no bits: see [`Cpu::fold_tiles`].
pub(crate) fn portions<T: Numeric>(len: usize) -> impl Iterator<Item = Portion> {
    let tile_len = tree::tile_len::<T>(len as u64);
    let tiles = (PORTION / size_of::<T>() as u64 / tile_len).max(1);
    // If a portion is longer than memory, it is the whole array.
    let portion = usize::try_from(tiles.saturating_mul(tile_len)).unwrap_or(usize::MAX);
    (0..len).step_by(portion).zip((0..).step_by(tiles as usize)).map(move |(start, first)| {
        let x = start..len.min(start.saturating_add(portion));
        Portion { tiles: first..first + (x.len() as u64).div_ceil(tile_len), x }
    })
}

/// The statistics of `x`, on the calling thread unless it is very long.
pub(crate) fn fold<T: Numeric>(cpu: &Cpu, x: &[T]) -> Result<Statistics<T>, Failure> {
    let n = x.len() as u64;
    let mut tiles = Tiles::of(n)?;
    portions::<T>(x.len()).try_for_each(|portion| tiles.fold(cpu, &x[portion.x], &portion.tiles, n))?;
    Ok(tiles.finish(n)?)
}
