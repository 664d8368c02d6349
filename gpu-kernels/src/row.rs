//! Row layer: a whole row by one block, with the bits of a reduction of the row alone.

use crate::block::Block;
use crate::block::groups::Groups;
use crate::grid::{Input, loads_ahead, reduce_span};
use crate::op::{Element, Op, is_free};
use crate::source::Source;
use crate::thread;
use crate::tree::{MAX_TILES, THREADS as GROUP_THREADS, tile_len, vector_len};

/// Folds `row` along the [canonical tree](crate::tree), with the bits of [`reference::fold`](crate::reference::fold) for any
/// block size. Elements are counted from 0 in the row.
///
/// A block of 256, 512 or 1024 threads folds a tile at once for each 256 threads (a tile has at least 16 KiB for elements of a
/// power-of-two size up to 16 bytes); other block sizes do not compile. The row may have any length, 0 included. Loads are of
/// 16 bytes where the row is aligned to them.
///
/// Called by: every thread of the block, with the same row. Valid in: every thread. Scratch: the block's turn, and 2 KiB more
/// (8 KiB for accumulators over 16 bytes). Order: the tree's.
///
/// ```
/// use cuda_std::emulator::Launch;
/// use cuda_std::global::{GlobalCells, GlobalSlice};
/// use cuda_std::thread::block_idx_x;
/// use gpu_kernels::block::Block;
/// use gpu_kernels::{Sum, reference, row};
///
/// cuda_std::kernel! {
///     /// Sums rows of `len` numbers, one per block.
///     ///
///     /// # Safety
///     /// Launched with blocks of 256 threads. `input` is readable for a row per block and `sums` writable for a number per
///     /// block, and nothing else uses them during the launch, except that others may read `input`.
///     pub unsafe fn row_sums(input: *const f32, len: u64, sums: *mut f32) {
///         let block_index = u64::from(block_idx_x());
///         // SAFETY: by this function's contract; every thread runs the same calls below.
///         let (mut block, input, sums) = unsafe {
///             (
///                 Block::<256>::enter(),
///                 GlobalSlice::new(input, (block_index + 1) * len),
///                 GlobalCells::new(sums, block_index + 1),
///             )
///         };
///         let sum = row::reduce(&mut block, Sum, input.window(block_index * len, len));
///         if block.thread() == 0 {
///             sums.write(block_index, sum);
///         }
///     }
/// }
///
/// let (input, mut sums) = (vec![0.1f32; 3 * 5000], [0.0f32; 3]);
/// let arguments = row_sums { input: input.as_ptr(), len: 5000, sums: sums.as_mut_ptr() };
/// // SAFETY: 3 rows of 5000 numbers, which live as long as the launch.
/// Launch::new(3, 256).run(|| unsafe { row_sums(arguments) })?;
/// assert_eq!(sums, [reference::reduce::<f32, Sum>(&input[..5000]); 3]);
/// # Ok::<(), cuda_std::emulator::Misuse>(())
/// ```
#[cfg_attr(target_arch = "nvptx64", inline(always))]
#[track_caller]
pub fn reduce<T: Element, O: Op<T>, S: Source<T>, const THREADS: u32>(
    block: &mut Block<THREADS>,
    op: O,
    row: S,
) -> O::Acc {
    const {
        assert!(
            THREADS == 256 || THREADS == 512 || THREADS == 1024,
            "a block folds a row with 256, 512 or 1024 threads"
        );
    }
    let groups = Groups { thread: block.thread(), groups: THREADS / GROUP_THREADS as u32 };
    let input = Input { elements: row, base: 0, log2_tile: tile_len::<T>(row.len()).ilog2() };
    // Only the arm of this type's vector length is compiled.
    let turn = &mut false;
    let acc = match vector_len::<T>() {
        1 => fold::<T, O, S, 1>(groups, op, input, turn),
        2 => fold::<T, O, S, 2>(groups, op, input, turn),
        4 => fold::<T, O, S, 4>(groups, op, input, turn),
        8 => fold::<T, O, S, 8>(groups, op, input, turn),
        _ => fold::<T, O, S, 16>(groups, op, input, turn),
    };
    if is_free::<T, O>() { block.reduce_all::<T, O>(acc) } else { block.broadcast(acc) }
}

/// Folds all spans of a row; a span has as many tiles as the block has groups.
///
/// Called by: every thread of the block. Valid in: thread 0; for a free operator every thread has its share. Scratch: the
/// groups', by turns from `turn` on; unused by others until the next barrier. Order: the tree's.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
#[track_caller]
pub(crate) fn fold<T: Element, O: Op<T>, S: Source<T>, const V: usize>(
    groups: Groups,
    op: O,
    input: Input<S>,
    turn: &mut bool,
) -> O::Acc {
    // `groups` is a power of two. The device divides 64-bit numbers by a long subroutine; a shift is one instruction.
    let spans = (input.tiles::<T>() + u64::from(groups.groups) - 1) >> groups.groups.trailing_zeros();
    let mut free = O::IDENTITY;
    let mut totals = Pairs::<T, O> { levels: [O::IDENTITY; LEVELS], count: 0 };
    let mut span = 0;
    while span < spans {
        if is_free::<T, O>() {
            let (tile, base) = input.tile_of::<T>(groups, span);
            free = if loads_ahead::<T, O>() {
                thread::append_tile::<T, O, S, V, true>(op, free, tile, base, groups.group_thread())
            } else {
                thread::append_tile::<T, O, S, V, false>(op, free, tile, base, groups.group_thread())
            };
        } else {
            let total = reduce_span::<T, O, S, V>(groups, op, input, span, turn);
            if groups.thread == 0 {
                totals.push(total);
            }
        }
        span += 1;
    }
    if is_free::<T, O>() { free } else { totals.total() }
}

/// Levels of the tree of spans: there are at most [`MAX_TILES`].
const LEVELS: usize = MAX_TILES.ilog2() as usize + 1;

/// Totals that are folded in pairs of neighbours as they come, whatever their final number. As in a binary counter, level `i`
/// holds the total of `2^i` of them while bit `i` of the count is 1.
struct Pairs<T: Element, O: Op<T>> {
    levels: [O::Acc; LEVELS],
    count: u64,
}

impl<T: Element, O: Op<T>> Pairs<T, O> {
    /// Folds in the next total.
    #[inline(always)]
    fn push(&mut self, mut total: O::Acc) {
        let mut carries = self.count;
        for level in &mut self.levels {
            if carries & 1 == 0 {
                *level = total;
                break;
            }
            total = O::combine(*level, total);
            carries >>= 1;
        }
        self.count += 1;
    }

    /// Returns the total of all: a level without a neighbour is folded with the next one in use.
    #[inline(always)]
    fn total(&self) -> O::Acc {
        let (mut acc, mut left) = (O::IDENTITY, self.count);
        for level in &self.levels {
            if left & 1 == 1 {
                acc = O::combine(*level, acc);
            }
            left >>= 1;
        }
        acc
    }
}
