//! A generic function asks for `T: Element`.

use warpfold::{Cpu, Error, Op, Sum};

fn total<T>(x: &[T]) -> Result<<Sum as Op<T>>::Out, Error>
where
    Sum: Op<T>,
{
    Cpu::new().reduce(Sum, x)
}

fn main() {
    let _ = total(&[1.0f32]);
}
