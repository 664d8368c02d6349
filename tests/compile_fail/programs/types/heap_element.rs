//! Elements must be plain data: the target of a pointer is not on the device.

use warpfold::Op;

#[derive(Clone, Copy)]
struct Length;

impl Op<String> for Length {
    type Acc = u64;
    type Out = u64;
    const IDENTITY: u64 = 0;
    fn lift(self, x: String, _index: u64) -> u64 {
        x.len() as u64
    }
    fn combine(left: u64, right: u64) -> u64 {
        left + right
    }
    fn finish(acc: u64, _len: u64) -> u64 {
        acc
    }
}

fn main() {}
