//! Grid layer: a whole input, in one block, in one launch whose last block finishes, or in passes.

use cuda_std::atomic::Ticket;
use cuda_std::global::{GlobalCells, Outbox};
use cuda_std::grid::let_next_launch_start;
use cuda_std::thread::{block_idx_x, grid_dim_x};

use crate::block::groups::{Groups, WARP_PARTIALS};
use crate::hand_over::ticket::is_last;
use crate::op::{Element, Op, is_free};
use crate::shapes::BLOCK_TILES;
use crate::source::Source;
use crate::thread;
use crate::tree::{RUN, lanes, tile_len};
use crate::warp::Unrolling;

/// The elements to fold and their place in the whole input.
#[derive(Clone, Copy)]
pub(crate) struct Input<S> {
    /// The elements.
    pub(crate) elements: S,
    /// Index of the first element in the whole input: a multiple of the tile length, but for a free operator any index.
    pub(crate) base: u64,
    /// Binary logarithm of the tile length.
    pub(crate) log2_tile: u32,
}

impl<S> Input<S> {
    /// Returns the elements of tile `tile`, counted from this input's first, and the index of the first of them.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn tile<T>(self, tile: u64) -> (S, u64)
    where
        S: Source<T>,
    {
        let start = tile << self.log2_tile;
        (self.elements.window(start, 1 << self.log2_tile), self.base + start)
    }

    /// Returns the tile of this thread's group in span `span`, as [`tile`](Self::tile) does.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn tile_of<T>(self, block: Groups, span: u64) -> (S, u64)
    where
        S: Source<T>,
    {
        self.tile::<T>(span * u64::from(block.groups) + u64::from(block.group()))
    }

    /// Returns the number of tiles. The last one may be cut short.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn tiles<T>(self) -> u64
    where
        S: Source<T>,
    {
        (self.elements.len() + (1 << self.log2_tile) - 1) >> self.log2_tile
    }
}

/// Folds up to 16 of the smallest tiles in one block.
///
/// Called by: every thread of the only block. Valid in: `out`.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn reduce_in_one_block<T: Element, O: Op<T>, S: Source<T>, const V: usize>(
    block: Groups,
    op: O,
    elements: S,
    base: u64,
    out: Outbox<O::Acc>,
) {
    let input = Input { elements, base, log2_tile: tile_len::<T>(0).ilog2() };
    let tiles = input.tiles::<T>().min(BLOCK_TILES) as u32;
    let mut tile = block.group();
    let mut free = O::IDENTITY;
    while tile < tiles {
        let (elements, base) = input.tile::<T>(u64::from(tile));
        if is_free::<T, O>() {
            free = thread::append_small_tile::<T, O, S, V>(op, free, elements, base, block.group_thread());
        } else {
            // A tile of the smallest length is one band.
            let acc = if O::COMMUTATIVE {
                thread::fold_tile::<T, O, S, V>(op, elements, base, block.group_thread())
            } else {
                thread::fold_band::<T, O, S, V>(op, elements, base, 0, block.group_thread())
            };
            block.keep::<T, O>(acc, tile);
        }
        tile += block.groups;
    }
    let_next_launch_start();
    let total =
        if is_free::<T, O>() { block.reduce::<T, O>(free, false) } else { block.join_tiles::<T, O>(tiles) };
    if block.thread == 0 {
        out.write(total);
    }
}

/// Folds all tiles. Each span, of as many tiles as a block has groups, becomes one partial result; spans are dealt to blocks
/// round-robin. With a ticket, the block that takes the last number folds the partial results, and a free operator has one
/// partial result per block instead of one per span.
///
/// Called by: every thread of every block. Valid in: `partials`, when the launch has ended; with a ticket, `out`.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn reduce<T: Element, O: Op<T>, S: Source<T>, const V: usize>(
    block: Groups,
    op: O,
    input: Input<S>,
    partials: GlobalCells<O::Acc>,
    ticket: Option<Ticket>,
    out: Outbox<O::Acc>,
) {
    // `groups` is a power of two. The device divides 64-bit numbers by a long subroutine; a shift is one instruction.
    let spans = (input.tiles::<T>() + u64::from(block.groups) - 1) >> block.groups.trailing_zeros();
    let count =
        if is_free::<T, O>() && ticket.is_some() { spans.min(u64::from(grid_dim_x())) } else { spans };
    let mut span = u64::from(block_idx_x());
    let mut turn = false;
    let mut free = O::IDENTITY;
    while span < spans {
        let next = span + u64::from(grid_dim_x());
        if is_free::<T, O>() {
            let (tile, base) = input.tile_of::<T>(block, span);
            free = if loads_ahead::<T, O>() {
                thread::append_tile::<T, O, S, V, true>(op, free, tile, base, block.group_thread())
            } else {
                thread::append_tile::<T, O, S, V, false>(op, free, tile, base, block.group_thread())
            };
            if ticket.is_none() || next >= spans {
                let total = block.reduce::<T, O>(free, turn);
                free = O::IDENTITY;
                turn = !turn;
                if block.thread == 0 {
                    partials.write(if ticket.is_some() { u64::from(block_idx_x()) } else { span }, total);
                }
            }
        } else {
            let total = reduce_span::<T, O, S, V>(block, op, input, span, &mut turn);
            if block.thread == 0 {
                partials.write(span, total);
            }
        }
        span = next;
    }
    let_next_launch_start();
    let Some(ticket) = ticket else { return };
    let last = grid_dim_x() - 1;
    // The first warp alone folds few partial results, so the other warps need not wait for the ticket.
    let in_warp = count <= WARP_PARTIALS;
    if in_warp && !block.in_first_warp() {
        return;
    }
    if is_last(ticket, block.thread == 0, last, in_warp) {
        let total = block.fold_partials::<T, O>(partials, (0, count), Unrolling::Fast);
        if block.thread == 0 {
            out.write(total);
        }
    }
}

/// Returns whether a thread has registers for rows that it does not fold yet. With larger accumulators, fewer blocks would be
/// resident. A free operator has one accumulator, not one per lane. f32 ArgMax would be slower (docs/tuning/registers.md). Variances and
/// ArgMax of formulas that leave out elements have more to compute, and as many blocks either way.
pub(crate) const fn loads_ahead<T: Element, O: Op<T>>() -> bool {
    if O::LEAVES_OUT && size_of::<O::Acc>() > 16 {
        return true;
    }
    // Elements of 1 and 2 bytes are unpacked many at once. Rows ahead would take too many registers.
    if is_free::<T, O>() {
        size_of::<O::Acc>() <= 8 && size_of::<T>() >= 4
    } else {
        size_of::<O::Acc>() <= size_of::<T>()
    }
}

/// Folds one span along the tree: a tile per group.
///
/// Called by: every thread of the block. Valid in: thread 0.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn reduce_span<T: Element, O: Op<T>, S: Source<T>, const V: usize>(
    block: Groups,
    op: O,
    input: Input<S>,
    span: u64,
    turn: &mut bool,
) -> O::Acc {
    let (tile, base) = input.tile_of::<T>(block, span);
    let mut total = O::IDENTITY;
    if O::COMMUTATIVE {
        let acc = if loads_ahead::<T, O>() {
            thread::fold_long_tile::<T, O, S, V, true>(op, tile, base, block.group_thread())
        } else {
            thread::fold_long_tile::<T, O, S, V, false>(op, tile, base, block.group_thread())
        };
        total = block.reduce_groups::<T, O>(acc, *turn);
        *turn = !*turn;
    } else {
        // Every group runs the same number of bands, so that all threads reach the same barriers.
        let band_len = (RUN * lanes::<T>()) as u64;
        let mut band = 0;
        while band < 1 << input.log2_tile {
            let acc = thread::fold_band::<T, O, S, V>(op, tile, base, band, block.group_thread());
            total = O::combine(total, block.reduce_groups::<T, O>(acc, *turn));
            *turn = !*turn;
            band += band_len;
        }
    }
    block.join_groups::<T, O>(total, Unrolling::Fast)
}

/// Folds `partials` in portions of `fan_in` (a power of two up to 4096), one per block. This is one pass.
///
/// Called by: every thread of every block. Valid in: thread 0.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn reduce_partials<T: Element, O: Op<T>>(
    block: Groups,
    partials: GlobalCells<O::Acc>,
    count: u64,
    fan_in: u32,
) -> O::Acc {
    let portion = u64::from(block_idx_x());
    let first = (portion * u64::from(fan_in)).min(count);
    let end = (first + u64::from(fan_in)).min(count);
    let total = block.fold_partials::<T, O>(partials, (first, end), Unrolling::Short);
    let_next_launch_start();
    total
}
