//! A pair that was shipped but not stamped.

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
    unsafe from "../../built";
    reduce_first_u32: First, u32;
}

fn main() {}
