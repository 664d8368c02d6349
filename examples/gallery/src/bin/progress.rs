//! Reduces an array in portions and prints the progress. Portions are whole tiles, so they change no bits of
//! the result.

use warpfold::{Cpu, Error, Sum, finish, tree};

fn main() -> Result<(), Error> {
    let x: Vec<f32> = (0..10_000_000).map(|i| (i % 1000) as f32 * 0.1).collect();
    let n = x.len() as u64;
    let (tile_len, tiles) = (tree::tile_len::<f32>(n), tree::tiles::<f32>(n));
    let cpu = Cpu::new();

    let mut folded = Vec::new();
    for first in (0..tiles).step_by(tiles.div_ceil(4) as usize) {
        let last = (first + tiles.div_ceil(4)).min(tiles);
        let portion = (first * tile_len) as usize..(last * tile_len).min(n) as usize;
        let done = portion.end;
        folded.extend(cpu.fold_tiles(Sum, &x[portion], n, first..last)?);
        println!("{:3} %", 100 * done / x.len());
    }
    let sum = finish::<f32, Sum>(&folded, n)?;

    assert_eq!(sum.to_bits(), cpu.reduce(Sum, &x)?.to_bits());
    println!("sum {sum}");
    Ok(())
}
