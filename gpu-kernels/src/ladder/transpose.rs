//! A matrix transpose: `out[column][row] = input[row][column]`, in tiles of 32 x 32, blocks of 32 x 8 threads.
//!
//! Nothing is computed, so a copy is the limit. **Look at:** sectors wasted of the first, bank replays of the second, and
//! neither in the third.

use cuda_std::global::{GlobalCells, GlobalSlice};
use cuda_std::thread::{block_idx_x, block_idx_y, sync_threads, thread_idx_x, thread_idx_y};

/// Rows and columns of a tile.
pub const TILE: u32 = 32;

/// Rows of threads in a block: each thread moves `TILE / ROWS` elements.
pub const ROWS: u32 = 8;

cuda_std::shared_bytes! {
    /// A tile, with rows of up to 33 words.
    fn ladder_tile: 4224
}

/// A matrix of `height` rows of `width` floats.
#[derive(Clone, Copy)]
pub struct Extent {
    /// Columns of the input.
    pub width: u32,
    /// Rows of the input.
    pub height: u32,
}

impl Extent {
    /// Returns the places of an element in the input and in the output, if it exists.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn places(self, row: u32, column: u32) -> Option<(u64, u64)> {
        let (width, height) = (u64::from(self.width), u64::from(self.height));
        let (row, column) = (u64::from(row), u64::from(column));
        (row < height && column < width).then(|| (row * width + column, column * height + row))
    }
}

/// Reads along rows and writes along columns: each store of a warp touches 32 sectors, and uses 4 bytes of each.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub fn naive(input: GlobalSlice<f32>, out: GlobalCells<f32>, extent: Extent) {
    let column = block_idx_x() * TILE + thread_idx_x();
    let mut row = block_idx_y() * TILE + thread_idx_y();
    for _ in 0..TILE / ROWS {
        if let Some((from, to)) = extent.places(row, column) {
            out.write(to, input.read(from));
        }
        row += ROWS;
    }
}

/// Copies through a tile in shared memory, so that rows are read and rows are written. The tile's rows are `PITCH` words long.
/// With 32, a column lies in one bank, and reading it takes 32 turns; one word of padding shifts each row by a bank.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub fn tiled<const PITCH: usize>(input: GlobalSlice<f32>, out: GlobalCells<f32>, extent: Extent) {
    let tile = ladder_tile().array::<f32, 1056>();
    let (x, y) = (thread_idx_x(), thread_idx_y());
    let (first_row, first_column) = (block_idx_y() * TILE, block_idx_x() * TILE);
    for part in 0..TILE / ROWS {
        let row = y + part * ROWS;
        if let Some((from, _)) = extent.places(first_row + row, first_column + x) {
            tile.write(row as usize * PITCH + x as usize, input.read(from));
        }
    }
    sync_threads();
    for part in 0..TILE / ROWS {
        let column = y + part * ROWS;
        if let Some((_, to)) = extent.places(first_row + x, first_column + column) {
            out.write(to, tile.read(x as usize * PITCH + column as usize));
        }
    }
}
