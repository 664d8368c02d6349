//! A scan's accumulator has at most 64 KiB.

use warpfold::{Cpu, Op, Scan};

#[derive(Clone, Copy)]
struct Wide;

impl Op<u32> for Wide {
    type Acc = [u64; (1 << 13) + 1];
    type Out = u64;
    const IDENTITY: Self::Acc = [0; (1 << 13) + 1];
    fn lift(self, x: u32, _index: u64) -> Self::Acc {
        [x.into(); (1 << 13) + 1]
    }
    fn combine(mut left: Self::Acc, right: Self::Acc) -> Self::Acc {
        left.iter_mut().zip(&right).for_each(|(left, &right)| *left += right);
        left
    }
    fn finish(acc: Self::Acc, _len: u64) -> u64 {
        acc[0]
    }
}

fn main() {
    let _ = Cpu::new().scan(Wide, &[1, 2], Scan::inclusive());
}
