//! Long rows: a block has one, and goes over it in steps.

use bytemuck::{Pod, Zeroable};
use cuda_std::global::GlobalCells;
use cuda_std::thread::{anew, block_dim_x, sync_threads, thread_idx_x};
use cuda_std::warp::{WARP_SIZE, lane_id};
use warpfold_exact::unrolled;

use super::FloatElement;
use super::access::{Access, Source};
use super::row::{CellsOf, Results, Rows, Terms, greater, greatest, nothing, pairs, sum};
use crate::ops::Float;
use crate::tree::{RUN, THREADS, lanes, tile_len};
use crate::warp;

/// Warps of the largest block.
const MAX_WARPS: usize = 32;

cuda_std::shared_bytes! {
    /// A value of each warp, of up to 8 bytes, for two turns.
    fn forward_totals: 512
}

const _: () = assert!(2 * MAX_WARPS * 8 == 512);

/// A running block of groups of 256 threads.
///
/// Each method is a collective of all of its threads, with one barrier. The scratch of a turn is written again two turns later. By then all
/// threads have passed the barrier of the turn between, so they have read what it held.
#[derive(Clone, Copy)]
pub(crate) struct Block {
    pub(crate) thread: u32,
    groups: u32,
    is_odd: bool,
}

impl Block {
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn new() -> Self {
        Self { thread: thread_idx_x(), groups: block_dim_x() / THREADS as u32, is_odd: false }
    }

    /// Folds the values of all threads, in pairs of neighbours. Valid in every thread.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn fold<A: Float>(&mut self, value: A, absent: A, combine: impl Fn(A, A) -> A) -> A {
        let of_warp = |mut value: A| {
            unrolled!(level < 5, up to 8 => { value = combine(value, warp::exchange(value, 1 << level)) });
            value
        };
        let totals = forward_totals().array::<A, { 2 * MAX_WARPS }>();
        let turn = if self.is_odd { MAX_WARPS } else { 0 };
        self.is_odd = !self.is_odd;
        let total = of_warp(value);
        if lane_id() == 0 {
            totals.write(turn + (self.thread / WARP_SIZE) as usize, total);
        }
        sync_threads();
        let is_there = lane_id() < self.groups * (THREADS as u32 / WARP_SIZE);
        of_warp(if is_there { totals.read(turn + lane_id() as usize) } else { absent })
    }
}

/// A row of a block. In a step each group of threads has one chunk, the least number of rows of the tree's lanes, of its tile. Neighbouring
/// tiles are a span, which has as many steps as a tile has chunks.
///
/// A thread holds its vectors of one step. Folds go over the spans in turns from the first to the last and back, so that what is needed
/// first is what was had last: in registers, or in a cache.
pub(crate) struct BlockRow<T: FloatElement, S: Source<T, V>, const V: usize> {
    block: Block,
    elements: S,
    /// The row, and its number of elements.
    row: u64,
    len: u64,
    absent: T,
    log2_tile: u32,
    log2_chunks: u32,
    spans: u64,
    loaded: [S::Loaded; RUN],
    kept: [[S::Element; V]; RUN],
    /// The step whose vectors are loaded, and kept in the end.
    held: u64,
}

/// Elements of a chunk.
const fn chunk_len<T>() -> u64 {
    (RUN * lanes::<T>()) as u64
}

impl<T: FloatElement, S: Source<T, V>, const V: usize> BlockRow<T, S, V> {
    /// Loads nothing yet. The row has at least one element.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn new(elements: S, (row, len): (u64, u64), absent: T) -> Self {
        let block = Block::new();
        let log2_tile = tile_len::<T>(len).trailing_zeros();
        let span = u64::from(block.groups) << log2_tile;
        Self {
            elements,
            row,
            len,
            absent,
            log2_tile,
            log2_chunks: log2_tile - const { chunk_len::<T>().trailing_zeros() },
            // A power of two.
            spans: (len + span - 1) >> span.trailing_zeros(),
            block,
            loaded: [S::absent(absent); RUN],
            kept: [[S::Element::zeroed(); V]; RUN],
            held: u64::MAX,
        }
    }

    /// Returns the column of the first element of a thread in a step.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn column(&self, step: u64) -> u64 {
        let (span, chunk) = (step >> self.log2_chunks, step & ((1 << self.log2_chunks) - 1));
        let group = self.block.thread / THREADS as u32;
        let tile = (span * u64::from(self.block.groups) + u64::from(group)) << self.log2_tile;
        tile + chunk * chunk_len::<T>() + u64::from(self.block.thread % THREADS as u32 * V as u32)
    }

    /// Returns how many elements of the row there are from a thread's first one in a step on, if they are not too many.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn left(&self, step: u64) -> u32 {
        self.len.saturating_sub(self.column(step)).min(chunk_len::<T>()) as u32
    }

    /// Returns the number of steps.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn steps(&self) -> u64 {
        self.spans << self.log2_chunks
    }

    /// Loads a step unless it is held. Returns whether it has.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn hold(&mut self, step: u64) -> bool {
        if self.held == step {
            return false;
        }
        let (first, left) = (self.column(step), self.left(step));
        let present = |i| left.saturating_sub((i * lanes::<T>()) as u32);
        let (begin, last) = (self.row * self.len, self.len.saturating_sub(V as u64));
        // Where there is no element, the row's last vector is loaded again.
        let at = |i| {
            let column = first + (i * lanes::<T>()) as u64;
            let column = if column < self.len { column } else { last };
            [begin + column, column]
        };
        self.loaded = self.elements.load(at, present, self.absent);
        self.held = step;
        true
    }

    /// Keeps elements, and sums their terms along the tree, with the spans from the first to the last or back.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn along_tree<M: Terms<T::Carrier, S::Element>>(&mut self, is_back: bool, terms: M) -> T::Carrier {
        let last_chunk = (1u64 << self.log2_chunks) - 1;
        let mut total = nothing::<T::Carrier>();
        // Lane i has the total of a subtree of 2^i spans that waits for its neighbour.
        let mut waiting = total;
        let mut accs = [total; V];
        let mut n = 0;
        while n < self.steps() {
            let turn = n >> self.log2_chunks;
            let span = if is_back { self.spans - 1 - turn } else { turn };
            let step = span << self.log2_chunks | n & last_chunk;
            self.hold(step);
            let left = self.left(step);
            unrolled!(i < RUN, up to 4 => {
                let present = left.saturating_sub((i * lanes::<T>()) as u32);
                if present > 0 {
                    let elements = S::unpacked(self.loaded[i]);
                    unrolled!(v < V, up to 8 => {
                        self.kept[i][v] = terms.kept(elements[v]);
                        let with = accs[v] + terms.term(self.kept[i][v]);
                        accs[v] = if !M::IS_MASKED || S::Access::has(v, present) { with } else { accs[v] };
                    });
                }
            });
            if n & last_chunk == last_chunk {
                total = self.block.fold(pairs(accs), nothing(), sum);
                accs = [nothing(); V];
                let (mut subtree, mut level) = (span, 0);
                while self.spans > 1 << level {
                    // Without a neighbour a subtree is the one above.
                    if (subtree ^ 1) << level < self.spans {
                        if (subtree & 1 == 0) != is_back {
                            waiting = if lane_id() == level { total } else { waiting };
                            break;
                        }
                        total = total + warp::of_lane(waiting, level);
                    }
                    subtree >>= 1;
                    level += 1;
                }
            }
            n += 1;
        }
        total
    }
}

impl<T: FloatElement, S: Source<T, V>, const V: usize> Rows<T, S, V, 1> for BlockRow<T, S, V> {
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn each<X: Pod>(&self, [value]: [X; 1], of: impl Fn(X) -> T::Carrier) -> [T::Carrier; 1] {
        [of(value)]
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn greatest(&mut self) -> [T::Carrier; 1]
    where
        S: Source<T, V, Element = T::Carrier>,
    {
        let mut value = self.absent.wide();
        let mut step = 0;
        while step < self.steps() {
            self.hold(step);
            unrolled!(i < RUN, up to 4 => { value = greatest(value, S::unpacked(self.loaded[i])) });
            step += 1;
        }
        [self.block.fold(value, self.absent.wide(), greater)]
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn sums<M: Terms<T::Carrier, S::Element>>(&mut self, [terms]: [M; 1]) -> [T::Carrier; 1] {
        [self.along_tree(false, terms)]
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn keep<M: Terms<T::Carrier, S::Element>>(&mut self, [terms]: [M; 1]) -> [T::Carrier; 1] {
        [self.along_tree(true, terms)]
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn write<M: Terms<T::Carrier, S::Element>, R: Results<T, S::Element, V>>(
        &mut self,
        out: CellsOf<T, S, V>,
        [terms]: [M; 1],
        [results]: [R; 1],
    ) {
        let mut step = 0;
        while step < self.steps() {
            if self.hold(step) {
                unrolled!(i < RUN, up to 4 => {
                    let elements = S::unpacked(self.loaded[i]);
                    unrolled!(v < V, up to 8 => { self.kept[i][v] = terms.kept(elements[v]) });
                });
            }
            // Kept from the loads on, addresses would take more registers than elements.
            self.block.thread = anew(self.block.thread);
            let (first, left) = (self.column(step), self.left(step));
            unrolled!(i < RUN, up to 4 => {
                let present = left.saturating_sub((i * lanes::<T>()) as u32);
                if present > 0 {
                    let column = first + (i * lanes::<T>()) as u64;
                    let results = results.of(self.kept[i], column);
                    S::Access::store(out, self.row * self.len + column, results, present);
                }
            });
            step += 1;
        }
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn write_one(&self, out: GlobalCells<T::Carrier>, [value]: [T::Carrier; 1]) {
        if self.block.thread == 0 {
            out.write(self.row, value);
        }
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn numbers(&self) -> [u64; 1] {
        [self.row]
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn len(&self) -> u64 {
        self.len
    }
}
