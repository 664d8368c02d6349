//! Reduces an array of ndarray along some of its axes.

use ndarray::{Array3, array};
use warpfold::{Cpu, Error, Mean, Sum, along};

fn main() -> Result<(), Error> {
    let x = Array3::from_shape_fn((2, 3, 4), |(i, j, k)| (12 * i + 4 * j + k) as f32);
    let cpu = Cpu::new();

    // One sum for each index of axis 1; a transposed or sliced view gives the same bits.
    let sums = cpu.reduce(Sum, along(&x, &[0, 2]))?;
    assert_eq!(sums, array![60.0, 92.0, 124.0].into_dyn());
    println!("{sums}");

    // `keep_dims` keeps the reduced axes, with length 1, so that the result broadcasts against `x`.
    let means = cpu.reduce(Mean, along(&x, &[2]).keep_dims())?;
    assert_eq!(means.shape(), [2, 3, 1]);
    assert_eq!(means[[1, 2, 0]], Some(21.5));
    Ok(())
}
