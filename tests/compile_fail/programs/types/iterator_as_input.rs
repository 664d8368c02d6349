//! An iterator is not an array: its elements are not in memory.

use warpfold::{Cpu, Sum};

fn main() {
    let _ = Cpu::new().reduce(Sum, (0..9).map(f64::from));
}
