//! Sorts, and selects from, each row of a matrix and each segment of an array.

use warpfold::{Cpu, Error, Order, rows, segments};

fn main() -> Result<(), Error> {
    let cpu = Cpu::new();

    // The two most likely of four words, for three sentences.
    let scores = [0.1f32, 0.7, 0.05, 0.15, 0.4, 0.2, 0.3, 0.1, 0.25, 0.25, 0.25, 0.25];
    let top = cpu.top_k(rows(&scores, [3, 4]), 2)?;
    assert_eq!(top.iter().map(|at| at.index).collect::<Vec<_>>(), [1, 3, 0, 2, 0, 1]);
    for (sentence, words) in top.chunks(2).enumerate() {
        println!(
            "sentence {sentence}: word {} ({}), word {} ({})",
            words[0].index, words[0].value, words[1].index, words[1].value
        );
    }

    // The median wait of each day; days have any number of visits, but at least one.
    let (waits, days) = ([4.0f64, 9.0, 5.0, 12.0, 3.0, 8.0], [0, 3, 4, 6]);
    assert_eq!(cpu.median(segments(&waits, &days))?, [5.0, 12.0, 5.5]);

    // Each row is sorted in place.
    let mut hands = [7, 2, 9, 1, 8, 3];
    cpu.sort(rows(&mut hands, [2, 3]), Order::Ascending)?;
    assert_eq!(hands, [2, 7, 9, 1, 3, 8]);
    Ok(())
}
