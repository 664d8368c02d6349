//! The places of elements: their bins, then a place for elements below the bins, one for elements above, and one for
//! NaN.

use std::marker::PhantomData;

use gpu_kernels::Rank;
use gpu_kernels::histogram::position::Position;
use gpu_kernels::histogram::shapes::OUTSIDE;

use super::histogram;
use crate::bins::{BinNumber, Bins, Histogram};
use crate::error::Error;
use crate::memory;

/// A way to find places.
pub(super) trait Place<T>: Copy + Sync {
    /// Returns the number of places.
    fn places(self) -> usize;
    /// Writes the place of each element.
    fn find(self, x: &[T], places: &mut [u32]);
}

/// Returns the number of places of bins.
fn places_of<T: BinNumber>(bins: &Bins<T>) -> usize {
    bins.len() + OUTSIDE as usize
}

/// Returns the place of an element outside the bins.
#[inline(always)]
fn outside<T: BinNumber>(x: T, [low, high]: [T; 2], bins: u32) -> u32 {
    // A NaN is neither below nor above.
    bins + 2 - 2 * u32::from(x < low) - u32::from(x > high)
}

/// Searches the bins.
#[derive(Clone, Copy)]
pub(super) struct Search<'a, T> {
    pub(super) bins: &'a Bins<T>,
}

impl<T: BinNumber> Place<T> for Search<'_, T> {
    fn places(self) -> usize {
        places_of(self.bins)
    }
    #[inline(always)]
    fn find(self, x: &[T], places: &mut [u32]) {
        let (edges, ends, bins) = (self.bins.edges(), self.bins.ends(), self.bins.len());
        places.fill(0);
        // Every element takes a step, then every element the next: the steps of one element wait for each other. A bin is from
        // its place on, among `count`.
        let mut count = bins;
        while count > 1 {
            let half = count / 2;
            for (place, &x) in places.iter_mut().zip(x) {
                let middle = *place as usize + half;
                *place = if edges[middle] <= x { middle as u32 } else { *place };
            }
            count -= half;
        }
        for (place, &x) in places.iter_mut().zip(x) {
            let is_inside = (ends[0] <= x) & (x <= ends[1]);
            *place = if is_inside { *place } else { outside(x, ends, bins as u32) };
        }
    }
}

/// The distance from the first integer is the bin.
#[derive(Clone, Copy)]
pub(super) struct Distance<T> {
    ends: [T; 2],
    bins: u32,
}

impl<T: BinNumber> Distance<T> {
    pub(super) fn new(bins: &Bins<T>) -> Self {
        Self { ends: bins.ends(), bins: bins.len() as u32 }
    }
}

impl<T: BinNumber> Place<T> for Distance<T> {
    fn places(self) -> usize {
        (self.bins + OUTSIDE) as usize
    }
    #[inline(always)]
    fn find(self, x: &[T], places: &mut [u32]) {
        let [low, high] = self.ends;
        for (place, &x) in places.iter_mut().zip(x) {
            let is_inside = (low <= x) & (x <= high);
            *place = if is_inside { x.steps(low) as u32 } else { outside(x, self.ends, self.bins) };
        }
    }
}

/// A product with the distance from the first edge guesses the bin.
#[derive(Clone, Copy)]
pub(super) struct Product<'a, T: BinNumber> {
    edges: &'a [T],
    ends: [T; 2],
    bins: u32,
    scale: T::Position,
    slack: T::Position,
}

/// Marks the number of the bin whose lower edge is so near that the element is compared with it. There are at most 2^31 bins.
const NEAR: u32 = 1 << 31;

impl<'a, T: BinNumber> Product<'a, T> {
    pub(super) fn new(bins: &'a Bins<T>, scale: f64, slack: f64) -> Self {
        let [scale, slack] = [scale, slack].map(T::Position::of);
        Self { edges: bins.edges(), ends: bins.ends(), bins: bins.len() as u32, scale, slack }
    }
}

impl<T: BinNumber> Place<T> for Product<'_, T> {
    fn places(self) -> usize {
        (self.bins + OUTSIDE) as usize
    }
    #[inline(always)]
    fn find(self, x: &[T], places: &mut [u32]) {
        let [low, high] = self.ends;
        let mut is_any_near = false;
        for (place, &x) in places.iter_mut().zip(x) {
            let is_inside = (low <= x) & (x <= high);
            let (nearest, is_less, is_far) = x.distance(low).nearest(self.scale, self.slack);
            let guess = if is_far { nearest.wrapping_sub(u32::from(is_less)) } else { nearest | NEAR };
            *place = if is_inside { guess } else { outside(x, self.ends, self.bins) };
            is_any_near |= is_inside & !is_far;
        }
        if is_any_near {
            for (place, &x) in places.iter_mut().zip(x) {
                if *place & NEAR != 0 {
                    let near = (*place ^ NEAR).min(self.bins - 1);
                    *place = near - u32::from(near > 0 && x < self.edges[near as usize]);
                }
            }
        }
    }
}

/// The rank of an element is its place, if there are few: each possible element is counted.
#[derive(Clone, Copy, Default)]
pub(super) struct ByRank<T>(PhantomData<T>);

impl<T: BinNumber> ByRank<T> {
    /// Returns the number of possible elements, if they are few.
    pub(super) fn values() -> Option<usize> {
        (T::Rank::BITS <= 16).then(|| 1 << T::Rank::BITS)
    }

    /// Returns the histogram of elements whose numbers are known.
    pub(super) fn counts_of(bins: &Bins<T>, counts: &[u64]) -> Result<Histogram, Error> {
        let mut sums = memory::filled(0, places_of(bins))?;
        let mut rank = <T::Rank as bytemuck::Zeroable>::zeroed();
        for count in counts {
            sums[bins.place(T::from_rank(rank)) as usize] += count;
            rank = rank.above().unwrap_or(rank);
        }
        Ok(histogram(sums))
    }
}

impl<T: BinNumber> Place<T> for ByRank<T> {
    fn places(self) -> usize {
        Self::values().unwrap_or(0)
    }
    #[inline(always)]
    fn find(self, x: &[T], places: &mut [u32]) {
        for (place, x) in places.iter_mut().zip(x) {
            *place = x.rank().digit(0, 16.min(T::Rank::BITS));
        }
    }
}
