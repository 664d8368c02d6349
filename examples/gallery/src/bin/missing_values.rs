//! Reduces a column with missing values: they are skipped, and `position` returns an index that counts them.

use warpfold::{ArgMax, Cpu, Elements, Error, Mean};

fn main() -> Result<(), Error> {
    let column = [None, Some(1.5f32), None, Some(4.5)];
    // With the feature `arrow`, use `array.elements()` of an Arrow array.
    let x: Elements<f32> = column.into_iter().collect();

    let (mean, greatest) = Cpu::new().reduce((Mean, ArgMax), &x)?;
    assert_eq!(mean, Some(3.0));
    let row = greatest.and_then(|at| x.position(at.index));
    assert_eq!(row, Some(3));

    println!("mean {mean:?} of {} values, the greatest in row {row:?}", x.len());
    Ok(())
}
