//! The greatest element and its index, the median and other quantiles: the array is not sorted.

use warpfold::{ArgMax, Cpu, Error, Interpolation};

fn main() -> Result<(), Error> {
    let cpu = Cpu::new();
    let latency: Vec<f32> = (0..1001).map(|i| (i * 617 % 1001) as f32).collect();

    assert_eq!(cpu.median(&latency)?, 500.0);
    let tail = cpu.quantiles(&latency, &[0.9, 0.99, 0.9995], Interpolation::Linear)?;
    assert_eq!(tail, [900.0, 990.0, 999.5]);
    println!("median 500, tail {tail:?}");

    // For the greatest NaN is skipped, and of equal elements the first counts. One NaN makes every quantile NaN.
    let x = [2.5f32, f32::NAN, 9.0, -1.0, 9.0];
    let greatest = cpu.reduce(ArgMax, &x)?;
    assert_eq!(greatest.map(|at| (at.index, at.value)), Some((2, 9.0)));
    assert!(cpu.median(&x)?.is_nan());

    // Empty input has no greatest element, and its median is an error.
    assert_eq!(cpu.reduce(ArgMax, &[0.0f32; 0])?, None);
    println!("{}", cpu.median(&[0.0f64; 0]).unwrap_err());
    Ok(())
}
