//! Softmax of rows in one launch: a user's kernel that folds each row twice.
#![cfg_attr(target_arch = "nvptx64", no_std, feature(abi_ptx))]

use cuda_std::global::{GlobalCells, GlobalSlice};
use cuda_std::thread::block_idx_x;
use gpu_kernels::block::Block;
use gpu_kernels::{Maximum, Op, row};
use warpfold_elementary::exp;

/// Threads per block: 256, 512 or 1024. The number changes no bits of the result.
pub const THREADS: u32 = 256;

/// The sum of `exp(x - max)`. `max` is the result of the first fold, passed to the second.
#[derive(Clone, Copy, Debug)]
pub struct ExpSum {
    pub max: f32,
}

impl Op<f32> for ExpSum {
    type Acc = f32;
    type Out = f32;
    // 0.0 would change the sign of a sum of zeros.
    const IDENTITY: f32 = -0.0;
    const COMMUTATIVE: bool = true;
    fn lift(self, x: f32, _index: u64) -> f32 {
        exp(x - self.max)
    }
    fn combine(left: f32, right: f32) -> f32 {
        left + right
    }
    fn finish(acc: f32, _len: u64) -> f32 {
        acc
    }
}

cuda_std::kernel! {
    /// Writes `exp(x - max) / sum` for each element `x` of the block's row of `len`, where `max` is the maximum
    /// of the row and `sum` the sum of `exp(x - max)` over it. If a row has a NaN or its maximum is infinite,
    /// all results are NaN.
    ///
    /// # Safety
    /// Launched with blocks of [`THREADS`] threads in one dimension, one block per row. `input` is aligned and
    /// readable, and `output` aligned and writable, for as many rows. During the launch nothing else uses them,
    /// except to read `input`.
    pub unsafe fn softmax_rows(input: *const f32, len: u64, output: *mut f32) {
        let start = u64::from(block_idx_x()) * len;
        // SAFETY: this function's contract; every thread makes the same calls below. Each element is written by
        // one thread.
        let (mut block, input, output) = unsafe {
            (
                Block::<THREADS>::enter(),
                GlobalSlice::new(input, start + len),
                GlobalCells::new(output, start + len),
            )
        };
        let row = input.window(start, len);
        let greatest = row::reduce(&mut block, Maximum, row);
        let Some(max) = <Maximum as Op<f32>>::finish(greatest, len) else { return }; // the row is empty
        let sum = row::reduce(&mut block, ExpSum { max }, row);
        let mut i = u64::from(block.thread());
        while i < len {
            output.write(start + i, exp(row.read(i) - max) / sum);
            i += u64::from(THREADS);
        }
    }
}
