//! Finds the greatest element and its index.

use warpfold::{ArgMax, Cpu, Error};

fn main() -> Result<(), Error> {
    let x = [2.5f32, f32::NAN, 9.0, -1.0, 9.0];
    let cpu = Cpu::new();

    // NaN is skipped; of equal elements the first counts.
    let greatest = cpu.reduce(ArgMax, &x)?;
    assert_eq!(greatest.map(|at| (at.index, at.value)), Some((2, 9.0)));
    println!("{greatest:?}");

    // Empty input has no greatest element.
    assert_eq!(cpu.reduce(ArgMax, &[0.0f32; 0])?, None);
    Ok(())
}
