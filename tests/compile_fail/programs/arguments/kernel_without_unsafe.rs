//! Naming the PTX for an operator is unsafe.

use warpfold::kernels::{Entry, FoldEntries, Kernel};
use warpfold::Op;
use warpfold::addresses::Readable;

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

impl Kernel<u32> for First {
    const FOLD: FoldEntries<Readable<u32>, u32, Self> = FoldEntries {
        block: Entry::new("any", "any", ""),
        grid: Entry::new("any", "any", ""),
        partials: Entry::new("any", "any", ""),
    };
}

fn main() {}
