//! Sums the f32 numbers of a memory-mapped file.

use std::error::Error;
use std::fs::{self, File};

use memmap2::Mmap;
use warpfold::{Sum, reduce};

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::temp_dir().join(format!("gallery-{}.f32", std::process::id()));
    let numbers: Vec<f32> = (1..=1_000_000).map(|i| 1.0 / i as f32).collect();
    fs::write(&path, bytemuck::cast_slice::<f32, u8>(&numbers))?;

    let file = File::open(&path)?;
    // SAFETY: this program wrote the file, and nobody changes it while it is mapped.
    let map = unsafe { Mmap::map(&file)? };
    // Fails if the length is not a multiple of 4. The bytes are in this machine's order.
    let x: &[f32] = bytemuck::try_cast_slice(&map).map_err(|error| error.to_string())?;
    let sum = reduce::<f32, Sum>(x)?;

    assert_eq!(sum.to_bits(), 0x4166_489c);
    println!("{} numbers, sum {sum}", x.len());
    fs::remove_file(&path)?;
    Ok(())
}
