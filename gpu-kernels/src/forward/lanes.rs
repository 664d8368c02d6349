//! Short rows: lanes of a warp hold them in registers.

use cuda_std::global::GlobalCells;
use cuda_std::thread::unknown;
use cuda_std::warp::{WARP_SIZE, lane_id};
use warpfold_exact::unrolled;

use super::FloatElement;
use super::row::{Elements, Rows, greater, pairs, store, sum, turned};
use super::shapes::LanesShape;
use crate::ops::{Float, Real};
use crate::warp;

/// The rows of a warp, each of at most one element for each lane of the tree. A lane has `K` vectors, `2^log2_pieces` of each of its rows.
/// A row is cut into pieces of 32 vectors, and a lane has the vector of its own number in each piece. Shorter rows lie side by side.
pub(crate) struct Lanes<T: FloatElement, const V: usize, const K: usize> {
    values: [[T::Carrier; V]; K],
    places: Places,
}

/// Where a lane's vectors are.
#[derive(Clone, Copy)]
pub(crate) struct Places {
    /// The row of the first vector.
    pub(crate) first: u64,
    pub(crate) rows: u64,
    pub(crate) len: u64,
    pub(crate) shape: LanesShape,
}

impl Places {
    /// Returns the row of vector `k`.
    #[inline(always)]
    fn row(self, k: usize) -> u64 {
        self.first + ((k as u64 >> self.shape.log2_pieces) << (5 - self.shape.log2_lanes))
    }

    /// Returns whether vector `k` is the first of its row.
    #[inline(always)]
    fn is_first(self, k: usize) -> bool {
        k as u32 & ((1 << self.shape.log2_pieces) - 1) == 0
    }

    /// Returns the column of the first element of vector `k`.
    #[inline(always)]
    fn column<const V: usize>(self, k: usize) -> u64 {
        let piece = k as u32 & ((1 << self.shape.log2_pieces) - 1);
        let lane = lane_id() & ((1 << self.shape.log2_lanes) - 1);
        u64::from((piece * WARP_SIZE + lane) * V as u32)
    }

    /// Returns how many elements of the row there are from the first of vector `k` on.
    #[inline(always)]
    fn present<const V: usize>(self, k: usize) -> u64 {
        if self.row(k) < self.rows { self.len.saturating_sub(self.column::<V>(k)) } else { 0 }
    }

    /// Returns the index of the first element of vector `k`.
    #[inline(always)]
    fn start<const V: usize>(self, k: usize) -> u64 {
        self.row(k) * self.len + self.column::<V>(k)
    }

    /// Folds the values of a row's vectors, in pairs of neighbours. Valid in every lane and for every vector.
    #[inline(always)]
    fn fold<A: Float, const K: usize>(self, mut values: [A; K], combine: impl Fn(A, A) -> A) -> [A; K] {
        unrolled!(level < 5, up to 8 => {
            if (level as u32) < self.shape.log2_lanes {
                unrolled!(k < K, up to 4 => { values[k] = combine(values[k], warp::exchange(values[k], 1 << level)) });
            }
        });
        const { assert!(K.is_power_of_two() && K <= 4) }
        if self.shape.log2_pieces > 0 {
            unrolled!(k < K / 2, up to 2 => { values[2 * k] = combine(values[2 * k], values[(2 * k + 1) % K]) });
            if self.shape.log2_pieces > 1 {
                values[0] = combine(values[0], values[2 % K]);
                values[2 % K] = values[0];
            }
            unrolled!(k < K / 2, up to 2 => { values[(2 * k + 1) % K] = values[2 * k] });
        }
        values
    }
}

impl<T: FloatElement, const V: usize, const K: usize> Lanes<T, V, K> {
    /// Loads rows.
    #[inline(always)]
    pub(crate) fn load(elements: Elements<T, V>, places: Places, absent: T::Carrier) -> Self {
        let values = elements.load(|k| places.start::<V>(k), |k| places.present::<V>(k), absent);
        Self { values, places }
    }
}

impl<T: FloatElement, const V: usize, const K: usize> Rows<T, V, K> for Lanes<T, V, K> {
    #[inline(always)]
    fn each(&self, values: [T::Carrier; K], of: impl Fn(T::Carrier) -> T::Carrier) -> [T::Carrier; K] {
        let mut results = values;
        unrolled!(k < K, up to 4 => {
            // All vectors of a row have the same value.
            results[k] = if self.places.is_first(k) { of(values[k]) } else { results[(k + K - 1) % K] };
        });
        results
    }

    #[inline(always)]
    fn greatest(&mut self) -> [T::Carrier; K] {
        let mut values = [self.values[0][0]; K];
        unrolled!(k < K, up to 4 => {
            values[k] = self.values[k][0];
            unrolled!(v < V, up to 8 => { values[k] = greater(values[k], self.values[k][v]) });
        });
        self.places.fold(values, greater)
    }

    #[inline(always)]
    fn sums(&mut self, of: impl Fn(T::Carrier) -> T::Carrier) -> [T::Carrier; K] {
        self.places.fold(self.values.map(|vector| pairs(vector.map(&of))), sum)
    }

    #[inline(always)]
    fn keep<const MASKED: bool>(
        &mut self,
        mut centres: [T::Carrier; K],
        kept: impl Fn(T::Carrier, T::Carrier) -> T::Carrier,
        term: impl Fn(T::Carrier) -> T::Carrier,
    ) -> [T::Carrier; K] {
        let mut sums = [T::Carrier::NOUGHT; K];
        let mut k = 0;
        while k < K {
            let present = self.places.present::<V>(k);
            // In no lane where the row has no such piece.
            if warp::any(present > 0) {
                let mut terms = [T::Carrier::NOUGHT; V];
                unrolled!(v < V, up to 8 => {
                    self.values[0][v] = kept(centres[0], self.values[0][v]);
                    if !MASKED || (v as u64) < present {
                        terms[v] = term(self.values[0][v]);
                    }
                });
                sums[0] = pairs(terms);
            }
            (self.values, centres, sums) = (turned(self.values), turned(centres), turned(sums));
            k = unknown(k as u32 + 1) as usize;
        }
        self.places.fold(sums, sum)
    }

    #[inline(always)]
    fn write(
        &mut self,
        out: GlobalCells<T>,
        _kept: impl Fn(T::Carrier) -> T::Carrier,
        mut values: [T::Carrier; K],
        finish: impl Fn(T::Carrier, [T::Carrier; V], u64) -> [T::Carrier; V],
    ) {
        let mut k = 0;
        while k < K {
            let present = self.places.present::<V>(k);
            if present > 0 {
                let results = finish(values[0], self.values[0], self.places.column::<V>(k));
                store(out, self.places.start::<V>(k), results, present);
            }
            (self.values, values) = (turned(self.values), turned(values));
            k = unknown(k as u32 + 1) as usize;
        }
    }

    #[inline(always)]
    fn write_one(&self, out: GlobalCells<T::Carrier>, values: [T::Carrier; K]) {
        unrolled!(k < K, up to 4 => {
            let row = self.places.row(k);
            if row < self.places.rows && self.places.is_first(k) && self.places.column::<V>(k) == 0 {
                out.write(row, values[k]);
            }
        });
    }

    #[inline(always)]
    fn len(&self) -> u64 {
        self.places.len
    }
}
