//! A pair that was shipped but is not in the pack.

use warpfold::Op;

#[derive(Clone, Copy)]
struct First;

impl Op<u32> for First {
    type Acc = u32;
    type Out = u32;
    const IDENTITY: u32 = 0;
    fn lift(self, x: u32, _index: u64) -> u32 {
        x
    }
    fn combine(left: u32, right: u32) -> u32 {
        if left == 0 { right } else { left }
    }
    fn finish(acc: u32, _len: u64) -> u32 {
        acc
    }
}

warpfold::ship_kernels! {
    unsafe packed in "../../../kernels/ptx/kernels.pack";
    reduce_first_u32: First, u32;
}

fn main() {}
