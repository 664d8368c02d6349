//! The host's side of the ladder: its rungs and their launches, on a GPU and under the emulator.

pub mod emulated;
pub mod rung;
pub mod sectors;
