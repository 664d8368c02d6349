//! Reduces host memory of any length on a GPU, with progress. The callback can stop the reduction.

use std::ops::ControlFlow;

use warpfold::{Cuda, Error, Sum, host};

fn main() -> Result<(), Error> {
    let cuda = match Cuda::open(0) {
        Ok(cuda) => cuda,
        Err(error) => return Ok(println!("{error}")),
    };
    let x = vec![0.5f32; 100_000_000];

    let mut calls = 0;
    let sum = cuda.reduce(
        Sum,
        host(&x).with_progress(|done, total| {
            calls += 1;
            assert!(done <= total);
            ControlFlow::Continue(())
        }),
    )?;
    assert_eq!(sum, 50_000_000.0);
    println!("{}: sum {sum}, {calls} reports", cuda.properties().name);

    let stopped = cuda.reduce(Sum, host(&x).with_progress(|_, _| ControlFlow::Break(())));
    println!("{}", stopped.unwrap_err());
    Ok(())
}
