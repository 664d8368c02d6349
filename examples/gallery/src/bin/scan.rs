//! Running results: for each element the result of all elements up to it.

use warpfold::{Cpu, Error, Max, Scan, Sum, View, along, segments};

fn main() -> Result<(), Error> {
    let cpu = Cpu::new();
    let x = [3i32, 1, 4, 1, 5];

    let balance = cpu.scan(Sum, &x, Scan::inclusive())?;
    assert_eq!(balance, [3, 4, 8, 9, 14]);
    // The start of each piece of a concatenation: the sum of the lengths before it.
    assert_eq!(cpu.scan(Sum, &x, Scan::exclusive())?, [0, 3, 4, 8, 9]);
    // The greatest element so far, starting anew in each segment.
    let peaks = cpu.scan(Max, segments(&x, &[0, 3, 5]), Scan::inclusive())?;
    assert_eq!(peaks, [3, 3, 4, 1, 5].map(Some));
    // Down the columns of a matrix, and up from its last row.
    let matrix = View::new(&x[..4], &[2, 2])?;
    assert_eq!(cpu.scan(Sum, along(matrix, &[0]), Scan::inclusive())?, [3, 1, 7, 2]);
    assert_eq!(cpu.scan(Sum, along(matrix.reversed(&[0])?, &[0]), Scan::inclusive())?, [4, 1, 7, 2]);

    println!("{balance:?}");
    Ok(())
}
