//! A fold of a row along the tree needs groups of 256 threads.

use cuda_std::global::GlobalSlice;
use gpu_kernels::block::Block;
use gpu_kernels::{Sum, row};

fn main() {
    // SAFETY: does not compile, so it is never run.
    let mut block = unsafe { Block::<128>::enter() };
    // SAFETY: as above.
    let _ = row::reduce(&mut block, Sum, unsafe { GlobalSlice::new([1.0f32].as_ptr(), 1) });
}
