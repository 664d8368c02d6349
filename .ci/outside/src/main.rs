//! What a user's own crate does, with default features.

use warpfold::{Cpu, Sum, reduce};

fn main() -> Result<(), warpfold::Error> {
    let x: Vec<f32> = (0..1_000_000).map(|i| 1.0 / (i + 1) as f32).collect();
    let sum = reduce::<f32, Sum>(&x)?;
    assert_eq!(sum.to_bits(), Cpu::new().reduce::<f32, Sum>(&x)?.to_bits());
    // The harmonic number of 10^6 is 14.392727 to f32's precision; adding in order drifts off it.
    assert!((sum - 14.392727).abs() < 2e-6, "{sum}");
    println!("sum of 1/i for i in 1..=1000000: {sum}, adding in order: {}", x.iter().sum::<f32>());
    Ok(())
}
