//! Elements that may be missing are collected to `Elements`.

use warpfold::Cpu;

fn main() {
    let _ = Cpu::new().median(&[Some(1.0f32), None]);
}
