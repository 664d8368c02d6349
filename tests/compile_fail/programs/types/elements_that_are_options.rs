//! Elements that may be missing are collected to `Elements`.

use warpfold::{Cpu, Sum};

fn main() {
    let _ = Cpu::new().reduce(Sum, &[Some(1.0f64), None]);
}
