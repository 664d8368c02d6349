//! Counts in bins, drawn in the terminal.

use warpfold::{Bins, Cpu, Error, Histogram, Mean, binned};

fn main() -> Result<(), Error> {
    let cpu = Cpu::new();
    // Sums of four digits of a scrambled number: near a bell.
    let scrambled = |i: u32| i.wrapping_mul(2_654_435_761) >> 8;
    let sum = |x: u32| (0..4).map(|digit| (x >> (6 * digit) & 63) as f32).sum::<f32>();
    let x: Vec<f32> = (0..100_000).map(|i| sum(scrambled(i))).collect();

    // The last bin has its upper edge; what is outside, and NaN, is counted apart.
    let bins = Bins::even(0.0..=252.0, 12)?;
    let Histogram { counts, below, above, nan } = cpu.histogram(&bins, &x)?;
    assert_eq!((counts.iter().sum::<u64>(), below, above, nan), (100_000, 0, 0, 0));
    let most = counts.iter().max().copied().unwrap_or(1);
    for (edges, count) in bins.edges().windows(2).zip(&counts) {
        let bar = "#".repeat((count * 50 / most) as usize);
        println!("{:>5} to {:>5} {count:>6} {bar}", edges[0], edges[1]);
    }

    // Given edges, and a bin for each integer.
    let grades = Bins::from_edges(&[0, 50, 70, 90, 100])?;
    assert_eq!(cpu.histogram(&grades, &[49, 50, 77, 90, 100])?.counts, [1, 1, 1, 2]);
    let hours = cpu.reduce(Mean, binned(&grades, &[95, 60, 55, 99], &[30.0, 12.0, 16.0, 28.0]))?;
    assert_eq!(hours, [None, Some(14.0), None, Some(29.0)]);
    let letters = cpu.histogram(&Bins::integers(b'a'..=b'z')?, b"warpfold folds")?;
    assert_eq!((letters.counts[3], letters.below), (2, 1));
    Ok(())
}
