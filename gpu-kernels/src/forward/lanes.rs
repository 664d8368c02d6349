//! Short rows: lanes of a warp hold them in registers.

use core::marker::PhantomData;

use bytemuck::{Pod, Zeroable};
use cuda_std::global::GlobalCells;
use cuda_std::thread::{anew, unknown};
use cuda_std::warp::{WARP_SIZE, lane_id};
use warpfold_exact::unrolled;

use super::FloatElement;
use super::access::{Access, Source};
use super::row::{CellsOf, Results, Rows, Terms, greater, greatest, nothing, pairs, sum};
use super::shapes::LanesShape;
use crate::ops::{Float, Real};
use crate::warp;

/// The rows of a warp, each of at most one element for each lane of the tree. A lane has `K` vectors, `2^log2_pieces` of each of its rows.
/// A row is cut into pieces of 32 vectors, and a lane has the vector of its own number in each piece. Shorter rows lie side by side.
pub(crate) struct Lanes<T: FloatElement, S: Source<T, V>, const V: usize, const K: usize> {
    loaded: [S::Loaded; K],
    kept: [[S::Element; V]; K],
    places: Places,
    access: PhantomData<S>,
}

/// Where a lane's vectors are.
#[derive(Clone, Copy)]
pub(crate) struct Places {
    /// The row of the first vector.
    first: u64,
    /// The number of rows from `first` on, if it is not too great.
    rows: u32,
    len: u32,
    /// This lane's number among the lanes of a row.
    lane: u32,
    shape: LanesShape,
}

impl Places {
    /// `first` is the row of the warp's first lane, and `rows` the number of all rows. They have at most
    /// [`most_of_lanes`](super::shapes::most_of_lanes) elements.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn new(first: u64, rows: u64, len: u64, shape: LanesShape) -> Self {
        let first = first + u64::from(lane_id() >> shape.log2_lanes);
        let rows = rows.saturating_sub(first).min(u64::from(u32::MAX)) as u32;
        let lane = lane_id() & ((1 << shape.log2_lanes) - 1);
        Self { first, rows, len: len as u32, lane, shape }
    }

    /// Returns the same places, computed again where they are used: kept, they would take more registers than elements.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn anew(self) -> Self {
        Self { rows: anew(self.rows), len: anew(self.len), lane: anew(self.lane), ..self }
    }

    /// Returns the row of vector `k`, counted from the first vector's.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn row(self, k: usize) -> u32 {
        k as u32 >> self.shape.log2_pieces << (5 - self.shape.log2_lanes)
    }

    /// Returns whether vector `k` is the first of its row.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn is_first(self, k: usize) -> bool {
        k as u32 & ((1 << self.shape.log2_pieces) - 1) == 0
    }

    /// Returns the column of the first element of vector `k`.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn column<const V: usize>(self, k: usize) -> u32 {
        let piece = k as u32 & ((1 << self.shape.log2_pieces) - 1);
        (piece * WARP_SIZE + self.lane) * V as u32
    }

    /// Returns how many elements of the row there are from the first of vector `k` on.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn present<const V: usize>(self, k: usize) -> u32 {
        if self.row(k) < self.rows { self.len.saturating_sub(self.column::<V>(k)) } else { 0 }
    }

    /// Returns the index of a column of the row of vector `k`.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn index(self, k: usize, column: u32) -> u64 {
        self.first * u64::from(self.len) + u64::from(self.row(k) * self.len + column)
    }

    /// Folds the values of the vectors of each row, in pairs of neighbours. Valid in every lane and for every vector.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn pieces<A: Float, const K: usize>(self, mut values: [A; K], combine: impl Fn(A, A) -> A) -> [A; K] {
        const { assert!(K.is_power_of_two() && K <= 8) }
        unrolled!(level < 3, up to 4 => {
            if (level as u32) < self.shape.log2_pieces {
                unrolled!(k < K, up to 8 => {
                    if k >> level & 1 == 0 {
                        let right = (k + (1 << level)) % K;
                        values[k] = combine(values[k], values[right]);
                        values[right] = values[k];
                    }
                });
            }
        });
        values
    }

    /// Folds the values of the lanes of each row, in pairs of neighbours. Valid in every lane.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn lanes<A: Float, const K: usize>(
        self,
        mut values: [A; K],
        is_needed: impl Fn(usize) -> bool,
        combine: impl Fn(A, A) -> A,
    ) -> [A; K] {
        unrolled!(level < 5, up to 8 => {
            if (level as u32) < self.shape.log2_lanes {
                unrolled!(k < K, up to 8 => {
                    if is_needed(k) {
                        values[k] = combine(values[k], warp::exchange(values[k], 1 << level));
                    }
                });
            }
        });
        values
    }

    /// Folds along the tree: a lane has its own subtree in each piece.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn along_tree<A: Float, const K: usize>(self, terms: [A; K]) -> [A; K] {
        self.pieces(self.lanes(terms, |_| true, sum), sum)
    }
}

impl<T: FloatElement, S: Source<T, V>, const V: usize, const K: usize> Lanes<T, S, V, K> {
    /// Loads rows.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn load(elements: S, places: Places, absent: T) -> Self {
        // Where a row has no element, its last vector is loaded again.
        let last = places.len.saturating_sub(V as u32);
        let at = |k| {
            let column = places.column::<V>(k);
            let column = if column < places.len { column } else { last };
            [places.index(k, column), u64::from(column)]
        };
        let loaded = elements.load(at, |k| places.present::<V>(k), absent);
        Self { loaded, kept: [[S::Element::zeroed(); V]; K], places, access: PhantomData }
    }

    /// Keeps elements, and sums their terms along the tree. A vector without elements counts as `absent`.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn along_tree<M: Terms<T::Carrier, S::Element>>(
        &mut self,
        of: [M; K],
        absent: T::Carrier,
    ) -> [T::Carrier; K] {
        let (mut sums, places) = ([absent; K], self.places.anew());
        unrolled!(k < K, up to 8 => {
            let present = places.present::<V>(k);
            if present > 0 {
                let elements = S::unpacked(self.loaded[k]);
                let mut terms = [absent; V];
                unrolled!(v < V, up to 8 => {
                    self.kept[k][v] = of[k].kept(elements[v]);
                    let term = of[k].term(self.kept[k][v]);
                    terms[v] = if !M::IS_MASKED || S::Access::has(v, present) { term } else { terms[v] };
                });
                sums[k] = pairs(terms);
            }
        });
        self.places.along_tree(sums)
    }
}

impl<T: FloatElement, S: Source<T, V>, const V: usize, const K: usize> Rows<T, S, V, K>
    for Lanes<T, S, V, K>
{
    /// Each lane has the value of another row, as far as there are enough lanes.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn each<X: Pod>(&self, values: [X; K], of: impl Fn(X) -> T::Carrier) -> [T::Carrier; K] {
        let (mut results, lanes) = ([T::Carrier::NOUGHT; K], 1 << self.places.shape.log2_lanes);
        let mut begin = 0;
        while begin < K as u32 {
            let mut own = values[0];
            unrolled!(k < K, up to 8 => { own = if begin + self.places.lane == k as u32 { values[k] } else { own } });
            let result = of(own);
            unrolled!(k < K, up to 8 => {
                let from = (k as u32).wrapping_sub(begin);
                if from < lanes {
                    results[k] = warp::of_lane(result, lane_id() - self.places.lane + from);
                }
            });
            begin = unknown(begin + lanes);
        }
        results
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn greatest(&mut self) -> [T::Carrier; K]
    where
        S: Source<T, V, Element = T::Carrier>,
    {
        let values = self.loaded.map(|vector| {
            let elements = S::unpacked(vector);
            greatest(elements[0], elements)
        });
        let places = self.places;
        let mut values = places.lanes(places.pieces(values, greater), |k| places.is_first(k), greater);
        unrolled!(k < K, up to 8 => { values[k] = if places.is_first(k) { values[k] } else { values[(k + K - 1) % K] } });
        values
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn sums<M: Terms<T::Carrier, S::Element>>(&mut self, terms: [M; K]) -> [T::Carrier; K] {
        self.along_tree(terms, nothing())
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn keep<M: Terms<T::Carrier, S::Element>>(&mut self, terms: [M; K]) -> [T::Carrier; K] {
        // Only terms that are masked may be -0.0.
        self.along_tree(terms, if M::IS_MASKED { nothing() } else { T::Carrier::NOUGHT })
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn write<M: Terms<T::Carrier, S::Element>, R: Results<T, S::Element, V>>(
        &mut self,
        out: CellsOf<T, S, V>,
        _terms: [M; K],
        results: [R; K],
    ) {
        unrolled!(k < K, up to 8 => {
            let places = self.places.anew();
            let (present, column) = (places.present::<V>(k), places.column::<V>(k));
            if present > 0 {
                let results = results[k].of(self.kept[k], u64::from(column));
                S::Access::store(out, places.index(k, column), results, present);
            }
        });
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn write_one(&self, out: GlobalCells<T::Carrier>, values: [T::Carrier; K]) {
        unrolled!(k < K, up to 8 => {
            let row = self.places.row(k);
            if row < self.places.rows && self.places.is_first(k) && self.places.lane == 0 {
                out.write(self.places.first + u64::from(row), values[k]);
            }
        });
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn numbers(&self) -> [u64; K] {
        core::array::from_fn(|k| self.places.first + u64::from(self.places.row(k)))
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn len(&self) -> u64 {
        u64::from(self.places.len)
    }
}
