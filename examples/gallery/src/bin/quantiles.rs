//! Medians and other quantiles by selection: the array is not sorted.

use warpfold::{Cpu, Error, Interpolation};

fn main() -> Result<(), Error> {
    let cpu = Cpu::new();
    let latency: Vec<f32> = (0..1001).map(|i| (i * 617 % 1001) as f32).collect();

    assert_eq!(cpu.median(&latency)?, 500.0);
    let tail = cpu.quantiles(&latency, &[0.9, 0.99, 0.9995], Interpolation::Linear)?;
    assert_eq!(tail, [900.0, 990.0, 999.5]);
    println!("median 500, tail {tail:?}");

    // One NaN makes every quantile NaN; a quantile of empty input is an error.
    assert!(cpu.median(&[1.0, f64::NAN])?.is_nan());
    println!("{}", cpu.median(&[0.0f64; 0]).unwrap_err());
    Ok(())
}
