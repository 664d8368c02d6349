//! Columns layer: the columns of many matrices at once, each along the tree of its own length. A column's accumulator has the
//! bits of a reduction of that column alone.
//!
//! A thread folds a strip of `W` columns over a share of their rows, and loads the `W` elements of a row at once. The
//! columns of a strip are side by side if they are whole vectors. Otherwise they are far apart, with the columns of the
//! next strips beside them. The 256 threads of a block form `2^log2_down` rows. The threads of one row have
//! neighbouring strips. The threads of one column have shares of the same strip, and fold their results together
//! through shared memory. No lane needs another lane's elements, so there are no shuffles, and the loads of a row of
//! threads are coalesced, even if the columns are short.
//!
//! | file | contents |
//! |---|---|
//! | [`strips`] | which columns a thread has, and how it loads them |
//! | [`lanes`] | a thread's share along the tree: neighbouring lanes |
//! | [`few`] | columns of few rows, which a thread folds alone: one load for each lane of the tree |
//! | [`free`] | the share of a thread where every order gives the tree's bits |
//! | [`combine`] | the fold of threads that have shares of the same columns |
//! | [`pairs`] | totals in pairs of neighbours: of a thread's groups of lanes, and of tiles |

use cuda_std::global::GlobalCells;
use cuda_std::grid::let_next_launch_start;
use cuda_std::thread::{block_idx_x, thread_idx_x};
use warpfold_exact::unrolled;

use crate::op::{Accumulator, Element, Op, is_free};
use crate::tree::{THREADS, tile_len};

mod combine;
pub(crate) mod entry;
pub(crate) mod few;
mod free;
mod lanes;
mod pairs;
mod strips;

use strips::Strips;

/// Matrices of one shape in memory: element (b, r, c) has the index `b * batch_pitch + r * row_pitch + c`.
#[derive(Clone, Copy)]
pub(crate) struct Columns<R> {
    /// The elements from the first matrix's first to the last one's last, with the way to load them.
    pub(crate) elements: R,
    /// The number of matrices.
    pub(crate) batches: u64,
    /// Elements of a column, at least 1.
    pub(crate) rows: u64,
    /// Columns of a matrix, at least 1.
    pub(crate) columns: u64,
    /// Elements from the start of a row to the start of the next one.
    pub(crate) row_pitch: u64,
    /// Elements from the start of a matrix to the start of the next one.
    pub(crate) batch_pitch: u64,
}

impl<R> Columns<R> {
    /// Returns the same matrices with another way to load their elements.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn by<S>(self, elements: S) -> Columns<S> {
        let Self { batches, rows, columns, row_pitch, batch_pitch, .. } = self;
        Columns { elements, batches, rows, columns, row_pitch, batch_pitch }
    }

    /// Returns the number of strips of `W` columns, each of one matrix alone.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn strips<const W: usize>(self) -> u64 {
        self.batches * self.columns.div_ceil(W as u64)
    }

    /// Returns a strip by its number.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn strip<T, const W: usize>(self, number: u64) -> Strip<R>
    where
        R: Strips<T, W>,
    {
        let (batch, number) = divide(number, self.columns.div_ceil(W as u64), self.batches == 1);
        Strip {
            elements: self.elements,
            number,
            first: batch * self.batch_pitch + self.elements.first(number),
            row_pitch: self.row_pitch,
            before: batch * self.columns,
        }
    }
}

/// The place of a thread in a block whose threads form `2^log2_down` rows.
#[derive(Clone, Copy)]
struct Place {
    thread: u32,
    log2_down: u32,
}

impl Place {
    /// Returns the binary logarithm of the number of threads in a row.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn log2_across(self) -> u32 {
        THREADS.ilog2() - self.log2_down
    }

    /// Returns this thread's index in its row.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn across(self) -> u32 {
        self.thread & ((1 << self.log2_across()) - 1)
    }

    /// Returns this thread's row.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn down(self) -> u32 {
        self.thread >> self.log2_across()
    }
}

/// A thread's columns.
#[derive(Clone, Copy)]
struct Strip<R> {
    elements: R,
    /// Its number in its matrix.
    number: u64,
    /// Index of the first column's first element.
    first: u64,
    row_pitch: u64,
    /// Columns of all matrices before its own.
    before: u64,
}

impl<R> Strip<R> {
    /// Loads the elements of row `row`, or of the last row before `end` if `row` is beyond it.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn load<T, const W: usize>(self, row: u64, end: u64) -> R::Loaded
    where
        R: Strips<T, W>,
    {
        self.elements.load(self.first + row.min(end - 1) * self.row_pitch)
    }

    /// Loads the elements of `N` rows from `row` on. `row` is less than `end`. Elements of rows from `end` on are
    /// arbitrary.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn load_present<T, const W: usize, const N: usize>(self, row: u64, end: u64) -> [R::Loaded; N]
    where
        R: Strips<T, W>,
    {
        let first = self.first + row * self.row_pitch;
        if end - row >= N as u64 {
            return self.elements.load_rows(first, self.row_pitch);
        }
        let mut loaded = [self.elements.load(first); N];
        unrolled!(i < N, up to 8 => {
            // The condition is the same for all threads.
            if i > 0 && row + (i as u64) < end {
                loaded[i] = self.elements.load(first + self.row_pitch * i as u64);
            }
        });
        loaded
    }

    /// Writes the accumulators of part `part` of `2^log2_parts` of the columns.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[track_caller]
    fn write<T, A: Accumulator, const W: usize>(
        self,
        out: GlobalCells<A>,
        accs: [A; W],
        (part, log2_parts): (u64, u32),
    ) where
        R: Strips<T, W>,
    {
        if log2_parts == 0 && R::ARE_NEIGHBOURS {
            return out.write_neighbours(self.before + self.elements.first(self.number), accs);
        }
        unrolled!(w < W => {
            if let Some(column) = self.elements.column(self.number, w) {
                out.write(((self.before + column) << log2_parts) + part, accs[w]);
            }
        });
    }
}

/// Folds `2^log2_parts` parts of each column, each to its own place in `out`. The parts of column `c` of matrix `b` are at
/// `(b * columns + c) * 2^log2_parts ..`, and their fold in pairs of neighbours is the accumulator of the column. With one part
/// it is the column's itself.
///
/// A part is an aligned power of two of a column's tiles, so it is a whole subtree. Parts beyond a column's end are the
/// identity. A block folds one part of neighbouring strips, as many as it has threads in a row: first the first part of all
/// strips, then the next part.
///
/// `N` rows are loaded at once, an equal number for each of a thread's `LANES` lanes of the tree.
///
/// Called by: every thread of every block; there is a block of 256 threads for each group of strips and part. Valid in:
/// `out`, when the launch has ended. Scratch: the block's. Order: the tree's.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn reduce<T, O, R, const W: usize, const N: usize, const LANES: usize>(
    op: O,
    columns: Columns<R>,
    (log2_down, log2_parts): (u32, u32),
    out: GlobalCells<O::Acc>,
) where
    T: Element,
    O: Op<T>,
    R: Strips<T, W>,
{
    let place = Place { thread: thread_idx_x(), log2_down };
    let log2_tile = tile_len::<T>(columns.rows).ilog2();
    let tiles = (columns.rows + (1 << log2_tile) - 1) >> log2_tile;
    let part_len = (tiles.next_power_of_two() << log2_tile) >> log2_parts;
    let strips = columns.strips::<W>();
    let groups = (strips + (1 << place.log2_across()) - 1) >> place.log2_across();
    let (part, group) = divide(u64::from(block_idx_x()), groups, log2_parts == 0);
    let own = (group << place.log2_across()) + u64::from(place.across());
    // A thread without a strip folds the last one beside its owner, so that all threads reach the same barriers.
    let strip = columns.strip::<T, W>(own.min(strips - 1));
    let start = part * part_len;
    let range = (start, (start + part_len).min(columns.rows));
    let accs = if is_free::<T, O>() {
        let step = 1 << place.log2_down;
        let load = |row| core::array::from_fn(|i| strip.load(row + step * i as u64, range.1));
        free::fold::<T, O, R, W, N>(op, load, range, place)
    } else {
        lanes::fold::<T, O, R, W, N, LANES>(op, strip, range, columns.rows, place)
    };
    let_next_launch_start();
    if place.down() == 0 && own < strips {
        strip.write::<T, _, W>(out, accs, (part, log2_parts));
    }
}

/// Returns quotient and remainder, which the device computes by a long subroutine; not if the quotient is known to be 0.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn divide(number: u64, by: u64, is_less: bool) -> (u64, u64) {
    if is_less { (0, number) } else { (number / by, number % by) }
}
