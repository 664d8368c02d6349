//! A tuple has up to four operators; more are nested.

use warpfold::{Cpu, Max, Mean, Min, StdDev, Sum};

fn main() {
    let _ = Cpu::new().reduce((Sum, Min, Max, Mean, StdDev), &[1.0f64]);
}
