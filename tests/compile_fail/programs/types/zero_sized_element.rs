//! A reduction needs elements of at least one byte.

use warpfold::{Cpu, Op};

#[derive(Clone, Copy, Default)]
struct Count;

impl Op<()> for Count {
    type Acc = u64;
    type Out = u64;
    const IDENTITY: u64 = 0;
    fn lift(self, _: (), _index: u64) -> u64 {
        1
    }
    fn combine(left: u64, right: u64) -> u64 {
        left + right
    }
    fn finish(acc: u64, _len: u64) -> u64 {
        acc
    }
}

fn main() {
    let _ = Cpu::new().reduce(Count, &[(), ()]);
}
