//! Rolling means and extremes: a result for each window.

use warpfold::{Cpu, Error, Max, Mean, Min, StdDev, Sum, windows};

fn main() -> Result<(), Error> {
    let cpu = Cpu::new();
    let prices = [10.0f64, 10.5, 11.0, 10.0, 9.0, 9.5, 12.0, 12.5];

    // The first window ends at the third element.
    let means = cpu.reduce(Mean, windows(&prices, 3))?;
    let ranges = cpu.reduce((Min, Max), windows(&prices, 3))?;
    for (i, (mean, range)) in means.iter().zip(&ranges).enumerate() {
        if let (Some(mean), (Some(low), Some(high))) = (mean, range) {
            println!("day {}: mean {mean:.2}, from {low} to {high}", i + 2);
        }
    }
    assert_eq!(means.len(), prices.len() - 2);
    assert_eq!(means[1], Some(10.5));
    assert_eq!(ranges[3], (Some(9.0), Some(10.0)));

    // Every other window.
    assert_eq!(cpu.reduce(Sum, windows(&prices, 4).step(2))?, [41.5, 39.5, 43.0]);

    // A window has the bits of its elements alone, whatever is in the array around it.
    let deviations = cpu.reduce(StdDev, windows(&prices, 3))?;
    assert_eq!(deviations[2], cpu.reduce(StdDev, &prices[2..5])?);
    Ok(())
}
