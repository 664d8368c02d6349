//! A block consists of whole warps.

use gpu_kernels::block::Block;

fn main() {
    let _ = unsafe { Block::<48>::enter() };
}
