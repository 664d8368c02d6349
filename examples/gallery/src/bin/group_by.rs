//! Reduces a column in groups, one for each name in another column.

use std::collections::BTreeMap;

use warpfold::{Cpu, Error, Max, Mean, groups};

fn main() -> Result<(), Error> {
    let city = ["Oslo", "Rome", "Oslo", "Bern", "Rome"];
    let temperature = [12.0f64, 30.0, 8.0, 21.0, 28.0];

    // Group ids are 0, 1, 2, ...: here the alphabetical positions of the names.
    let mut id_of: BTreeMap<&str, u32> = city.iter().map(|&name| (name, 0)).collect();
    id_of.values_mut().zip(0..).for_each(|(id, next)| *id = next);
    let ids: Vec<u32> = city.iter().map(|name| id_of[name]).collect();

    let found = Cpu::new().reduce((Mean, Max), groups(&ids, &temperature, id_of.len()))?;
    assert_eq!(found, [(Some(21.0), Some(21.0)), (Some(10.0), Some(12.0)), (Some(29.0), Some(30.0))]);
    let medians = Cpu::new().median(groups(&ids, &temperature, id_of.len()))?;
    assert_eq!(medians, [21.0, 10.0, 29.0]);
    for ((name, (mean, max)), median) in id_of.keys().zip(found).zip(medians) {
        println!("{name}: mean {mean:?}, max {max:?}, median {median}");
    }
    Ok(())
}
