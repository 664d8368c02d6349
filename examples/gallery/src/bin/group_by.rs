//! Reduces a column by the keys in other columns.

use warpfold::{Cpu, Error, Max, Mean, Sum, by_key};

fn main() -> Result<(), Error> {
    let city = ["Oslo", "Rome", "Oslo", "Bern", "Rome"];
    let month = [1, 7, 1, 7, 7];
    let temperature = [12.0f64, 30.0, 8.0, 21.0, 28.0];

    // The distinct keys come sorted, with a result for each.
    let cpu = Cpu::new();
    let (cities, found) = cpu.reduce((Mean, Max), by_key(&city, &temperature))?;
    assert_eq!(cities, ["Bern", "Oslo", "Rome"]);
    assert_eq!(found, [(Some(21.0), Some(21.0)), (Some(10.0), Some(12.0)), (Some(29.0), Some(30.0))]);
    let (_, medians) = cpu.median(by_key(&city, &temperature))?;
    assert_eq!(medians, [21.0, 10.0, 29.0]);
    for ((name, (mean, max)), median) in cities.iter().zip(found).zip(medians) {
        println!("{name}: mean {mean:?}, max {max:?}, median {median}");
    }

    // A tuple is a key of several columns.
    let both: Vec<_> = city.into_iter().zip(month).collect();
    let (keys, sums) = cpu.reduce(Sum, by_key(&both, &temperature))?;
    assert_eq!(keys, [("Bern", 7), ("Oslo", 1), ("Rome", 7)]);
    assert_eq!(sums, [21.0, 20.0, 58.0]);
    Ok(())
}
