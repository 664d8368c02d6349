//! The message says what to do.

use warpfold::{Op, reduce};

#[derive(Clone, Copy, Default)]
struct SumOfSquares;

impl Op<f32> for SumOfSquares {
    type Acc = f64;
    type Out = f64;
    const IDENTITY: f64 = -0.0;
    fn lift(self, x: f32, _index: u64) -> f64 {
        f64::from(x) * f64::from(x)
    }
    fn combine(left: f64, right: f64) -> f64 {
        left + right
    }
    fn finish(acc: f64, _len: u64) -> f64 {
        acc
    }
}

fn main() {
    let _ = reduce::<f32, SumOfSquares>(&[1.0, 2.0]);
}
