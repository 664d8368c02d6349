//! How columns are dealt to threads: a strip each, of columns that are side by side or far apart.

use bytemuck::NoUninit;
use cuda_std::global::{Spread, Vector, Vectors};

use crate::source::{Packed, Single};

/// Loads of the rows of strips of `W` columns, which may be anywhere in a matrix.
pub(crate) trait Strips<T, const W: usize>: Copy {
    /// Whether the columns of a strip are side by side.
    const ARE_NEIGHBOURS: bool;
    /// What a load gives.
    type Loaded: Packed<T, W>;
    /// Returns the first column of strip `strip`.
    fn first(self, strip: u64) -> u64;
    /// Returns column `w` of strip `strip`, unless it is another strip's.
    fn column(self, strip: u64, w: usize) -> Option<u64>;
    /// Loads one row of a strip, whose first element is at `first`.
    fn load(self, first: u64) -> Self::Loaded;
    /// Loads `M` rows of it, which are `pitch` elements apart. All of them must be there.
    fn load_rows<const M: usize>(self, first: u64, pitch: u64) -> [Self::Loaded; M];
}

/// Strips of neighbours: a row is one vector. The columns of a matrix are a multiple of `W`.
impl<T: NoUninit, const W: usize> Strips<T, W> for Vectors<T, W> {
    const ARE_NEIGHBOURS: bool = true;
    type Loaded = Vector<T, W>;
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn first(self, strip: u64) -> u64 {
        strip * W as u64
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn column(self, strip: u64, w: usize) -> Option<u64> {
        Some(strip * W as u64 + w as u64)
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[track_caller]
    fn load(self, first: u64) -> Vector<T, W> {
        self.read_or_last(first / W as u64)
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[track_caller]
    fn load_rows<const M: usize>(self, first: u64, pitch: u64) -> [Vector<T, W>; M] {
        self.read_column(first / W as u64, pitch / W as u64)
    }
}

/// Strips whose columns are as far apart as there are strips. Neighbouring threads then load neighbouring elements,
/// whatever the alignment of a row. If the number of columns is not a multiple of `W`, the last column of each strip is
/// nearer, and may also belong to another strip.
impl<T: Copy, const W: usize> Strips<T, W> for Spread<T, W> {
    const ARE_NEIGHBOURS: bool = W == 1;
    type Loaded = Single<T, W>;
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn first(self, strip: u64) -> u64 {
        strip
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn column(self, strip: u64, w: usize) -> Option<u64> {
        let column = strip + self.distance(w);
        (column >= self.step() * w as u64).then_some(column)
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[track_caller]
    fn load(self, first: u64) -> Single<T, W> {
        Single(self.read(first))
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[track_caller]
    fn load_rows<const M: usize>(self, first: u64, pitch: u64) -> [Single<T, W>; M] {
        self.read_column(first, pitch).map(Single)
    }
}
