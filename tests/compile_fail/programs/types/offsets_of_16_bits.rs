//! Offsets and ids are of five integer types.

use warpfold::{Cpu, Sum, segments};

fn main() {
    let _ = Cpu::new().reduce(Sum, segments(&[1.0f32, 2.0], &[0i16, 2]));
}
