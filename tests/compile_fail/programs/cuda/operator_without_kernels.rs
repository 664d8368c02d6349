//! The messages say what to do.

use warpfold::{Cuda, Error, Op};

#[derive(Clone, Copy, Default)]
struct SquaredTotal;

impl Op<f32> for SquaredTotal {
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

fn main() -> Result<(), Error> {
    let cuda = Cuda::open(0)?;
    let array = cuda.upload(&[1.0f32, 2.0])?;
    cuda.reduce(SquaredTotal, &array)?;
    cuda.fold(SquaredTotal, &array)?;
    Ok(())
}
