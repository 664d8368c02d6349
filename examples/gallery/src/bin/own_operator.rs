//! A user's operator: the longest run of true elements.

use bytemuck::{Pod, Zeroable};
use warpfold::{Cpu, Error, Op};

/// Neighbouring elements: their number, the runs of true elements at the left and the right end, and the
/// longest run.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct Piece(u64, u64, u64, u64);

#[derive(Clone, Copy)]
struct LongestRun;

impl Op<bool> for LongestRun {
    type Acc = Piece;
    type Out = u64;
    const IDENTITY: Piece = Piece(0, 0, 0, 0);
    fn lift(self, x: bool, _index: u64) -> Piece {
        Piece(1, x.into(), x.into(), x.into())
    }
    fn combine(Piece(a, a_left, a_right, a_run): Piece, Piece(b, b_left, b_right, b_run): Piece) -> Piece {
        let left = if a_left == a { a + b_left } else { a_left };
        let right = if b_right == b { a_right + b } else { b_right };
        Piece(a + b, left, right, a_run.max(b_run).max(a_right + b_left))
    }
    fn finish(Piece(.., run): Piece, _len: u64) -> u64 {
        run
    }
}

fn main() -> Result<(), Error> {
    let x: Vec<bool> = (0..1_000_000).map(|i| i % 1000 != 0 || i == 5000).collect();
    assert_eq!(Cpu::new().reduce(LongestRun, &x)?, 1999);
    println!("the longest run has 1999 elements");
    Ok(())
}
