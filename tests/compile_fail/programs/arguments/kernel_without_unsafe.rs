//! Naming the PTX for an operator is unsafe.

use warpfold::arguments::{Block, Grid, Partials};
use warpfold::{Entry, Kernel, Op};

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
    const BLOCK: Entry<Block<*const u32, u32, Self>> = Entry::new("any", "any", "");
    const GRID: Entry<Grid<*const u32, u32, Self>> = Entry::new("any", "any", "");
    const PARTIALS: Entry<Partials<u32, Self>> = Entry::new("any", "any", "");
}

fn main() {}
