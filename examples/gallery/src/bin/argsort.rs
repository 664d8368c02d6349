//! Sorts a table by one of its columns: sort the indices, then take every column in that order.

use warpfold::{Cpu, Error, NanGreatest, Order};

fn main() -> Result<(), Error> {
    let cpu = Cpu::new();
    let name = ["d", "a", "c", "b"];
    let score = [1.5f32, -f32::NAN, 7.0, 1.5];

    // Stable: rows of equal scores keep their order. NaN is greater than every number, whatever its sign; without the wrapper, a
    // NaN with a sign is less.
    let order = cpu.argsort(NanGreatest::wrap_slice(&score), Order::Descending)?;
    assert_eq!(order, [1, 2, 0, 3]);
    let sorted: Vec<&str> = order.iter().map(|&row| name[row]).collect();
    println!("{sorted:?}");

    // For one column of small values beside the keys, `sort_pairs` sorts both in place.
    let (mut keys, mut values) = ([3u8, 1, 2], ['x', 'y', 'z']);
    cpu.sort_pairs(&mut keys, &mut values, Order::Ascending)?;
    assert_eq!((keys, values), ([1, 2, 3], ['y', 'z', 'x']));
    Ok(())
}
